"""The process that watches over a worker: limits, stops, and a clean end of all it started.

A keeper is single-threaded and serves one trial after the other. It adopts whatever the worker
leaves behind, even in other sessions, so that the end of a trial is the end of all its processes.
When the study's process is gone, the keeper ends everything at once and leaves.
"""

import math
import os
import pickle
import selectors
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tunewise.errors import MeasurementError
from tunewise.execution import descent, result, worker
from tunewise.execution.executor import Allowance, Job, overrun, timed
from tunewise.execution.forking import forked
from tunewise.history import Failure, Outcome

_LOOK = 0.05
"""Seconds between looks at the memory of a trial that has a limit on it."""

_HASTE = 20
"""The share of its time in which a trial has to end before its money does, one in so many."""

_ENDING = 0.25
"""Seconds in which even a busy machine ends the processes of a trial."""


@dataclass(frozen=True)
class Request:
    """A trial to run.

    Attributes:
        run: Tells the runs of one executor apart.
        trial: The trial, pickled: only the worker opens it.
        identity: What `result.save` needs to know of the trial.
        limit: Seconds that it may run.
        folder: Where its log and result go.
        memory: Bytes that its processes may hold together.
        grace: Seconds between being asked to end and being killed.
        allowance: What it may spend: all its processes are gone when that is used up.
    """

    run: int
    trial: bytes
    identity: dict[str, Any]
    limit: float
    folder: Path | None
    memory: float
    grace: float
    allowance: Allowance = Allowance()

    @property
    def money_grace(self) -> float:
        """Seconds to end in before the money does: little of a trial that is short anyway."""
        seconds = self.allowance.seconds
        return max(min(self.grace, seconds / _HASTE), self.killing)

    @property
    def killing(self) -> float:
        """Seconds before the money ends at which what is left of the trial is killed."""
        return min(_ENDING, self.allowance.seconds / 4)


@dataclass(frozen=True)
class Stop:
    """The wish to end a run with this outcome."""

    run: int
    outcome: Failure


LEAVE = pickle.dumps(None)
"""What a keeper is told when it is not needed any more.

A closed connection alone may stay unseen, where another process has inherited our end of it.
"""


class _StudyGone(Exception):
    """The study's process has ended, or needs this keeper no more."""


def keep(study: Connection, lifeline: int | None, job: Job) -> None:
    """Serve requests for the job until the study closes the connection or is gone."""
    keeper = _Keeper(study, lifeline, job)
    try:
        keeper.serve()
    except (_StudyGone, EOFError, ConnectionError):
        if keeper.worker is not None:
            descent.end(keeper.worker)


class _Keeper:
    def __init__(self, study: Connection, lifeline: int | None, job: Job) -> None:
        self.worker: int | None = None
        self._study, self._job = study, job
        self._events = selectors.DefaultSelector()
        self._events.register(study, selectors.EVENT_READ)
        if lifeline is not None:
            self._events.register(lifeline, selectors.EVENT_READ)
        self._wake = _wake_on_child_death()
        self._events.register(self._wake, selectors.EVENT_READ)
        descent.adopt_orphans()

    def serve(self) -> None:
        while True:
            for message in self._messages(None):
                if isinstance(message, Request):
                    self._study.send_bytes(result.encode(self._run(message)))

    def _messages(self, timeout: float | None) -> Iterator[Request | Stop]:
        """Wait for anything to happen, and pass on what the study said."""
        for key, _ in self._events.select(timeout):
            if key.fileobj is self._study:
                yield self._heard()
            elif key.fd == self._wake:
                _empty(self._wake)
            elif key.data is not None:
                if not key.data.read():
                    self._events.unregister(key.fd)  # or its end would wake us again and again
            else:
                raise _StudyGone

    def _heard(self) -> Request | Stop:
        said: Request | Stop | None = pickle.loads(self._study.recv_bytes())
        if said is None:
            raise _StudyGone
        return said

    def _run(self, request: Request) -> Outcome:
        if request.folder is not None:
            (request.folder / result.FILE).unlink(missing_ok=True)
        watch = self._start(request)
        while not watch.over():
            for message in self._messages(watch.patience()):
                if isinstance(message, Stop) and message.run == request.run:
                    watch.decide(message.outcome)
            watch.enforce()
        if watch.pipe in self._events.get_map():
            self._events.unregister(watch.pipe)
        self.worker = None
        outcome = watch.outcome()
        os.close(watch.pipe)
        return outcome

    def _start(self, request: Request) -> "_Watch":
        ours, theirs = os.pipe()
        keeper = os.getpid()

        def work() -> None:
            os.setsid()
            descent.die_with(keeper)
            os.close(ours)
            self._events.close()
            self._study.close()
            worker.work(self._job, request.trial, request.identity, request.folder, theirs)

        # Keepers ignore SIGTERM. Blocked, one that comes before the worker heeds it is kept for it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            self.worker = forked(work)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(theirs)
        watch = _Watch(request, self.worker, ours)
        self._events.register(ours, selectors.EVENT_READ, watch)
        return watch


class _Watch:
    """One run: what its worker said, how it ended, and what was decided about it."""

    def __init__(self, request: Request, pid: int, pipe: int) -> None:
        self.pipe = pipe
        self._request, self._pid = request, pid
        self._began = time.monotonic()
        self._said = bytearray()
        self._in_time: int | None = None
        self._status: int | None = None
        self._decided: Failure | None = None
        self._killed = False
        self._kill_at = self._look_at = math.inf
        if math.isfinite(request.memory):
            self._look_at = self._began
        os.set_blocking(pipe, False)

    def read(self) -> bool:
        """Take what the worker wrote, as far as it goes; False when there will be no more."""
        try:
            while chunk := os.read(self.pipe, 65536):
                self._said += chunk
        except BlockingIOError:
            return True
        return False

    def over(self) -> bool:
        """Whether the worker ended; when it was told to end, whether all its processes have."""
        ended, left = descent.reap()
        self._note(ended)
        return (self._killed or not left) if self._decided else self._status is not None

    def patience(self) -> float | None:
        """Seconds until something has to be looked at, None when nothing has."""
        due = min(self._kill_at, self._look_at, self._deadline())
        return None if math.isinf(due) else max(due - time.monotonic(), 0.0)

    def decide(self, outcome: Failure) -> None:
        """Ask everything to end; the first decision counts, and a result that is out before it."""
        if self._decided is None:
            self.read()
            self._in_time = len(self._said)
            self._decided = outcome
            last = self._began + self._request.allowance.seconds - self._request.killing
            self._kill_at = min(time.monotonic() + self._request.grace, last)
            descent.send(self._pid, signal.SIGTERM)

    def enforce(self) -> None:
        """Keep the limits."""
        now = time.monotonic()
        if now >= self._deadline():
            in_time = now >= self._began + self._request.limit
            self.decide(
                overrun(self._request.limit) if in_time else self._request.allowance.used_up()
            )
        if now >= self._look_at:
            self._weigh(now)
        if now >= self._kill_at:
            self._note(descent.end(self._pid))
            self._killed = True

    def outcome(self) -> Outcome:
        """How the run ended; what is left of its processes is killed."""
        self._note(descent.end(self._pid))
        self.read()
        try:
            return result.decode(bytes(self._said[: self._in_time]))
        except MeasurementError:
            told = self._decided or Failure(_how_it_ended(self._status))
        outcome = timed(told, time.monotonic() - self._began)
        if self._request.folder is not None:
            result.keep(self._request.folder, self._request.identity, outcome)
        return outcome

    def _deadline(self) -> float:
        if self._decided:
            return math.inf
        paid = self._request.allowance.seconds - self._request.money_grace
        return self._began + min(self._request.limit, paid)

    def _note(self, statuses: dict[int, int]) -> None:
        if self._pid in statuses:
            self._status = statuses[self._pid]

    def _weigh(self, now: float) -> None:
        limit = self._request.memory
        held = descent.memory(descent.descendants(os.getpid()), int(limit))
        took = time.monotonic() - now
        self._look_at = now + max(_LOOK, 10 * took)  # never spend more than a tenth on looking
        if held > limit and self._decided is None:
            self.decide(Failure(f"memory limit of {_size(limit)} exceeded: {_size(held)} in use"))
            self._kill_at = now  # there is no time for a grace period


def _wake_on_child_death() -> int:
    """A descriptor that becomes readable when a child of this process ends."""
    ours, theirs = os.pipe()
    for end in (ours, theirs):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ours


def _empty(pipe: int) -> None:
    try:
        os.read(pipe, 4096)
    except BlockingIOError:
        return  # a look in between has emptied it


def _how_it_ended(status: int | None) -> str:
    code = None if status is None else os.waitstatus_to_exitcode(status)
    if code is None:
        return "the job's process was lost"
    if code >= 0:
        return f"the job's process ended with exit code {code} before it returned a result"
    name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
    memory = ": the kernel does that when memory runs out" if -code == signal.SIGKILL else ""
    return f"the job was killed by {name}{memory}"


def _size(number: float) -> str:
    return f"{number / 2**30:.3g} GiB" if number >= 2**30 else f"{number / 2**20:.3g} MiB"
