"""The processes that descend from this one: forking, finding, signalling, weighing and ending them.

Linux tells all of it in `/proc`. Elsewhere the process group of the worker has to do.
"""

import ctypes
import os
import signal
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")

_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
"""Numbers of `prctl` options, from <linux/prctl.h>."""

_LONGEST_DEATH = 5.0
"""Seconds that killed processes get to be gone; one that is stuck in the kernel may take longer."""


def forked(main: Callable[[], None]) -> int:
    """Fork a child that calls `main` and ends, whatever happens; returns its pid."""
    with warnings.catch_warnings():
        # Python warns of deadlocks after a fork beside threads. The children made here never wait
        # for another thread's locks: they run `main` and leave without cleaning up after others.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        main()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none can slip away."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends, or now if it has ended already."""
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def wake_on_child_death() -> int:
    """A descriptor that becomes readable when a child of this process ends."""
    ours, theirs = os.pipe()
    for each in (ours, theirs):
        os.set_blocking(each, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ours


def empty(pipe: int) -> None:
    """Take what a descriptor of `wake_on_child_death` holds."""
    try:
        os.read(pipe, 4096)
    except BlockingIOError:
        return  # a look in between has emptied it


def end_of(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the system has such."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def descendants(pid: int) -> list[int]:
    """All living processes below this one, nearest first; empty where `/proc` does not tell."""
    found: list[int] = []
    waiting = deque([pid])
    while waiting:
        below = _children(waiting.popleft())
        found += below
        waiting += below
    return found


def send(worker: int, number: int) -> None:
    """Send a signal to the worker's process group, and to descendants that left the group."""
    _kill_group(worker, number)
    for pid in descendants(os.getpid()):
        if _group(pid) not in (worker, None):
            _kill(pid, number)


def reap() -> tuple[dict[int, int], bool]:
    """The wait status of each child that has ended, and whether any child is left."""
    ended: dict[int, int] = {}
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return ended, True
            ended[pid] = status
    except ChildProcessError:
        return ended, False


def end(worker: int) -> dict[int, int]:
    """Kill the worker's group and every descendant, and wait until they are gone.

    Returns the wait status of each child that ended.
    """
    _kill_group(worker, signal.SIGKILL)
    statuses, left = reap()
    patience = time.monotonic() + _LONGEST_DEATH
    while left and time.monotonic() < patience:
        _kill_group(worker, signal.SIGKILL)
        for pid in descendants(os.getpid()):
            _kill(pid, signal.SIGKILL)
        ended, left = reap()
        statuses |= ended
        if left and not ended:
            time.sleep(0.001)
    return statuses


def end_all(spared: set[int]) -> None:
    """Kill all children of this process but the spared ones, with everything below them."""
    patience = time.monotonic() + _LONGEST_DEATH
    while strays := set(_children(os.getpid())) - spared:
        for stray in strays:
            for pid in [stray, *descendants(stray)]:
                _kill(pid, signal.SIGKILL)
        for stray in strays:
            with suppress(ChildProcessError):
                os.waitpid(stray, os.WNOHANG)
        if time.monotonic() > patience:
            return
        time.sleep(0.001)


def end_marked(
    mark: str, session: int | None, mapped: str | None = None, grace: float = 0.0
) -> bool:
    """Kill every process that was started with the mark in its environment, or in the session.

    Also those that have the file mapped. For what nobody is the parent of any more: whoever watched
    over it was killed. With a grace they are asked first, and have so many seconds to end by
    themselves. Returns whether there was any.
    """
    last = time.monotonic() + grace
    asked: set[int] = set()
    any_found = False
    while found := [pid for pid in _processes() if _belongs(pid, mark, session, mapped)]:
        any_found, now = True, time.monotonic()
        for pid in found:
            if now >= last:
                _kill(pid, signal.SIGKILL)
            elif pid not in asked:
                _kill(pid, signal.SIGTERM)
        asked |= set(found)
        if now > last + _LONGEST_DEATH:
            break
        time.sleep(0.005 if now >= last else 0.05)
    return any_found


def group_lives(group: int) -> bool:
    """Whether any process of a group runs: a zombie does not."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # there is one, of another user
    return not PROC.exists() or any(_runs_in(pid, group) for pid in _processes())


def memory_kills() -> int | None:
    """How many processes the kernel has killed because memory ran out; None where it is silent."""
    with suppress(OSError, ValueError):
        for line in (PROC / "vmstat").read_text().splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return None


def killed(before: int | None) -> str:
    """What a kill was for, given `memory_kills` before it."""
    now = memory_kills()
    if before is None or now is None:
        return ": the kernel does that when memory runs out"
    if now != before:
        return ": the kernel did that, as memory ran out"
    return ": some process did that, for the kernel killed none for lack of memory"


def memory(root: int, suspicious: int) -> int:
    """Bytes that what a process started holds together, exact where it may exceed `suspicious`.

    The resident size is quick to read, but counts pages that a fork shares once per process, and
    files that the kernel could drop. Only when it is suspicious each page is shared out exactly.
    What the first of them was born with is not its own: its parent has as much of it.
    """
    listed = descendants(root)
    resident = sum(map(_resident, listed))
    if resident <= suspicious:
        return resident
    return max(sum(map(_proportional, listed)) - _proportional(root), 0)


def processors_busy() -> float:
    """Seconds in which the machine's processors were busy since it was started; 0 if unknown."""
    try:
        user, nice, system, _, _, irq, soft, *_ = (PROC / "stat").read_text().split()[1:10]
    except (OSError, ValueError):
        return 0.0
    return sum(map(int, (user, nice, system, irq, soft))) / os.sysconf("SC_CLK_TCK")


def waited(root: int, busy_before: float) -> float:
    """Seconds in which other programs kept the processors from what a process started.

    That is what the thread that waited most has waited, and no more than the others have used of
    all processors since these were `busy_before`: threads also wait for their own like.
    """
    stats = [_scheduled(thread) for pid in descendants(root) for thread in _threads(pid)]
    own, longest = sum(ran for ran, _ in stats), max((wait for _, wait in stats), default=0.0)
    others = processors_busy() - busy_before - own
    return max(min(longest, others / (os.cpu_count() or 1)), 0.0)


def _threads(pid: int) -> list[Path]:
    with suppress(OSError):
        return list((PROC / str(pid) / "task").iterdir())
    return []


def _scheduled(thread: Path) -> tuple[float, float]:
    """Seconds that a thread ran, and that it waited for a processor; both 0 if unknown."""
    try:
        ran, wait, _ = (thread / "schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(wait) / 1e9


def _children(pid: int) -> list[int]:
    """The children of all threads of a process."""
    found: list[int] = []
    try:
        for thread in os.listdir(PROC / str(pid) / "task"):
            found += map(int, (PROC / str(pid) / "task" / thread / "children").read_text().split())
    except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
        pass  # it ended while we looked, or there is no /proc
    return found


def _processes() -> list[int]:
    with suppress(FileNotFoundError):
        return [int(name) for name in os.listdir(PROC) if name.isdecimal()]
    return []


def _belongs(pid: int, mark: str, session: int | None, mapped: str | None) -> bool:
    """Whether a living process carries the mark or file, or is in a session without a leader."""
    if pid == os.getpid():
        return False
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        if fields[0] in "ZX":
            return False
        # A leader that lives is another process that was given the same pid.
        if session is not None and int(fields[3]) == session and not (PROC / str(session)).exists():
            return True
        if mark.encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0"):
            return True
        return mapped is not None and _maps(pid, os.fsencode(mapped))
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def _runs_in(pid: int, group: int) -> bool:
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return fields[0] not in "ZX" and int(fields[2]) == group


def _maps(pid: int, file: bytes) -> bool:
    lines = (PROC / str(pid) / "maps").read_bytes().splitlines()
    return any(line.endswith(b" " + file) for line in lines)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _kill(pid: int, number: int) -> None:
    # It may be gone, or have become another user's: then there is nothing to do.
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _kill_group(worker: int, number: int) -> None:
    # The group may be gone, or not made yet: then the worker is reached by its own pid.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, number)


def _resident(pid: int) -> int:
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _proportional(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except PermissionError:
        return _resident(pid)
    sizes = {words[0]: int(words[1]) * 1024 for words in map(str.split, lines[1:])}
    if "Pss_Anon:" in sizes:
        return sizes["Pss_Anon:"] + sizes.get("Pss_Shmem:", 0)
    return sizes.get("Pss:", 0)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
