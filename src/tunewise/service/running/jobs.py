"""Runs submitted job files, each as a `tunewise tune` of its own.

Started as `python -m tunewise.service.running.jobs`.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tunewise.execution.process_tree import die_with
from tunewise.service.running.plan import VARIABLE, Plan, own_environment
from tunewise.service.sent import Sent
from tunewise.storage.accounts import JobRow, Jobs
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url
from tunewise.storage.tasks.opening import files_beside, jobs_beside
from tunewise.study.owner import Owner

LEASE = 30.0
"""Seconds after which another worker takes a silent one's job; its study is resumed."""

POLL = 1.0
"""Seconds between looks for a job, and at one that runs."""

PATIENCE = 30.0
"""Seconds that a stopped job may take to end its trials."""


class Runner:
    """Takes one job after the other."""

    def __init__(self, jobs: Jobs, url: str) -> None:
        """Of the store at this URL."""
        self._jobs, self._url, self._owner = jobs, url, str(Owner.here())
        self._going = True

    def run(self) -> None:
        """Until a signal ends it."""
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)
        while self._going:
            job = self._jobs.claim(self._owner, LEASE)
            if job is None:
                time.sleep(POLL)
            else:
                self._work(job)

    def _end(self, *_: object) -> None:
        self._going = False

    def _work(self, job: JobRow) -> None:
        folder = self._folder(job)
        folder.mkdir(parents=True, exist_ok=True)
        file, log = folder / "job.yaml", folder / "log.txt"
        Sent(files_beside(self._url)).unpack(job.namespace, job.name, folder)
        file.write_text(job.text, encoding="utf-8")
        with log.open("ab") as kept:
            running = subprocess.Popen(
                words(file, job),
                cwd=folder,
                env={**own_environment(), "TUNEWISE_STORAGE": self._url},
                stdin=subprocess.DEVNULL,
                stdout=kept,
                stderr=kept,
                start_new_session=True,
            )
            going = self._attend(job, running)
        if not self._going and going:
            return  # the lease ends, and whoever comes next resumes the study
        code = running.returncode
        state = "done" if code in (0, 3) else "failed"
        self._jobs.end(job.id, self._owner, state, last_line(log))

    def _attend(self, job: JobRow, running: "subprocess.Popen[bytes]") -> bool:
        """Until it ends, or has to: whether it was still its time."""
        while running.poll() is None:
            mine = self._jobs.renew(job.id, self._owner, LEASE)
            if not mine or not self._going:
                running.send_signal(signal.SIGTERM)
                try:
                    running.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    running.kill()
                    running.wait()
                return mine
            with suppress(subprocess.TimeoutExpired):
                running.wait(POLL)
        return False

    def _folder(self, job: JobRow) -> Path:
        return jobs_beside(self._url) / str(job.id)


def words(file: Path, job: JobRow) -> list[str]:
    """The command that runs a job."""
    options = [f"--{key.replace('_', '-')}={value}" for key, value in job.settings.items()]
    where = [f"--name={job.name}", f"--namespace={job.namespace}"]
    start = [sys.executable, "-m", "tunewise.service.running.child", "tune", str(file)]
    return [*start, *where, *options, "--json"]


def last_line(log: Path) -> str:
    """What a job said last, cut to what a list can show."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line.strip()[:500] for line in reversed(lines) if line.strip()), "")


if __name__ == "__main__":
    die_with(int(os.environ.pop("TUNEWISE_PARENT")))
    plan = Plan.unpacked(os.environ.pop(VARIABLE))
    parsed = parsed_url(plan.url)
    assert parsed is not None, "the plan names a store"
    Runner(Jobs(Database(parsed)), plan.url).run()
