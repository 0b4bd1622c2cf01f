"""The process of a study whose job kills everything above it, and leaves daemons behind.

Usage: python -m tests.execution.massacre FOLDER
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import tunewise as tw
from tests.execution.processes import FOREVER
from tunewise.execution import RunningTrial

PROBLEM = tw.Problem(
    tw.Space(tw.Choice("x", [1, 2])), maximize="accuracy", price=lambda config: 3600.0
)


def study(folder: Path) -> tw.Study:
    """The study of this folder."""
    return tw.Study(PROBLEM, "random", seed=0, storage=str(folder / "s.db"), name="s")


def _daemon() -> int:
    """A process that was only forked, in a session of its own and with no descriptor left."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.closerange(0, 256)
        time.sleep(FOREVER)
    return pid


def _watchers(study: int) -> list[int]:
    """All processes above this one up to the study's, the study's first."""
    found, pid = [], os.getpid()
    while pid != study:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(pid)
    return found[::-1]


def main(folder: Path) -> None:
    """Run one trial, not to its end."""
    above = os.getpid()

    def job(trial: RunningTrial) -> dict[str, float]:
        pids = [_daemon(), subprocess.Popen(["sleep", str(FOREVER)], start_new_session=True).pid]
        (folder / "draft").write_text(" ".join(map(str, pids)))
        (folder / "draft").rename(folder / "pids")
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped, none sees the others die
            for pid in _watchers(above):
                os.kill(pid, number)
        time.sleep(FOREVER)
        return {}

    study(folder).optimize(job, trials=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
