"""What has to be done now and then for a store, by one of all services that share it."""

import logging
import shutil
import threading
import time

from tunewise.errors import RightLost, StorageError
from tunewise.service.running.plan import Plan
from tunewise.storage.accounts import Audit, Jobs, Lease, Leases
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url
from tunewise.storage.tasks.opening import files_beside, jobs_beside
from tunewise.study.owner import Owner

LEASE = 10.0
"""Seconds after which another takes over from a leader that is silent."""

BEAT = 3.0
"""Seconds between signs of life."""

EVERY = 3600.0
"""Seconds between chores."""

ABANDONED = 7 * 86400.0
"""Seconds after which nobody comes back to what a training keeps while it runs."""


def sweep(url: str, jobs: Jobs) -> None:
    """Remove folders of jobs that nobody needs, and what killed trainings left."""
    folders = [each for each in jobs_beside(url).glob("*") if each.name.isdigit()]
    kept = jobs.kept()  # after the look: what is new by now has no folder in it
    for folder in folders:
        if int(folder.name) not in kept:
            shutil.rmtree(folder, ignore_errors=True)
    for folder in files_beside(url).glob("training-*"):
        if time.time() - folder.stat().st_mtime > ABANDONED:
            shutil.rmtree(folder, ignore_errors=True)


class Chores:
    """Leads, while nobody else does, in a thread of its own."""

    def __init__(self, plan: Plan) -> None:
        """Of the plan's store."""
        parsed = parsed_url(plan.url)
        assert parsed is not None, "a service has a store"
        self._database = Database(parsed)
        self._leases, self._audit = Leases(self._database), Audit(self._database)
        self._keep, self._url = plan.keep_days * 86400, plan.url
        self._owner, self._over = str(Owner.here()), threading.Event()
        self._thread = threading.Thread(target=self._run, name="tunewise-chores", daemon=True)

    def __enter__(self) -> "Chores":
        """Begin the chores."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let another lead."""
        self._over.set()
        self._thread.join(BEAT)
        self._database.close()

    def _run(self) -> None:
        lease: Lease | None = None
        done_at = -EVERY
        while not self._over.is_set():
            try:
                lease = self._leases.take("chores", self._owner, LEASE)
                if lease is not None and time.monotonic() - done_at >= EVERY:
                    self._audit.forget(time.time() - self._keep, lease)
                    sweep(self._url, Jobs(self._database))
                    done_at = time.monotonic()
            except (StorageError, RightLost) as error:
                logging.getLogger("tunewise").warning("%s", error)
            self._over.wait(BEAT)
        if lease is not None:
            self._leases.release(lease)
