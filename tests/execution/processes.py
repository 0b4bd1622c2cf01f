"""Looking at processes from outside, as a sceptic would."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

FOREVER = 1000
PATIENCE = 120.0
"""Seconds in which even a busy machine gets a moment's work done; far from for ever."""


def alive(pid: int) -> bool:
    """Whether the process runs: a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")


def eventually(holds: Callable[[], bool], within: float = PATIENCE) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + within
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def gone(pids: Iterable[int], within: float = PATIENCE) -> bool:
    """Whether all these processes end in time."""
    listed = list(pids)
    assert listed
    return eventually(lambda: not any(map(alive, listed)), within)


def children() -> list[int]:
    """The children of this process, zombies too."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def sleepers() -> list[int]:
    """Start a process in our group, and one that flees into a session of its own."""
    sleep = ["sleep", str(FOREVER)]
    return [
        subprocess.Popen(sleep).pid,
        subprocess.Popen(sleep, start_new_session=True).pid,
        _orphan(sleep),
    ]


def _orphan(command: list[str]) -> int:
    """A grandchild in a session of its own whose parent has ended: a daemon."""
    script = (
        "import subprocess, sys; print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL,"
        " start_new_session=True).pid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout)


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))
