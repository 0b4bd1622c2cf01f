"""What has to be done now and then for a store, by one of all services that share it."""

import logging
import threading
import time

from tunewise.errors import RightLost, StorageError
from tunewise.service.running.plan import Plan
from tunewise.storage.accounts import Audit, Lease, Leases
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url
from tunewise.study.owner import Owner

LEASE = 10.0
"""Seconds after which another takes over from a leader that is silent."""

BEAT = 3.0
"""Seconds between signs of life."""

EVERY = 3600.0
"""Seconds between chores."""


class Chores:
    """Leads, while nobody else does, in a thread of its own."""

    def __init__(self, plan: Plan) -> None:
        """Of the plan's store."""
        parsed = parsed_url(plan.url)
        assert parsed is not None, "a service has a store"
        self._database = Database(parsed)
        self._leases, self._audit = Leases(self._database), Audit(self._database)
        self._keep = plan.keep_days * 86400
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
                    done_at = time.monotonic()
            except (StorageError, RightLost) as error:
                logging.getLogger("tunewise").warning("%s", error)
            self._over.wait(BEAT)
        if lease is not None:
            self._leases.release(lease)
