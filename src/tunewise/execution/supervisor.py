"""The process that watches over a worker: limits, stops, and a clean end of all it started.

A supervisor is single-threaded and serves one trial after the other. It adopts whatever the worker
leaves behind, even in other sessions, so that the end of a trial is the end of all its processes.
When the study's process is gone, or the fork server that guards it, the supervisor ends everything
at once and leaves.
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

from tunewise.execution import leftovers, messages, process_tree, result, worker
from tunewise.execution.checkpoints import offer
from tunewise.execution.executor import Allowance, Job, overrun, timed
from tunewise.execution.gpus import give
from tunewise.execution.log import BoundedLog
from tunewise.history import Failure, Outcome
from tunewise.study.executor import Report
from tunewise.study.folders import LOG
from tunewise.study.owner import Owner

_LOOK = 0.05
"""Seconds between looks at the memory of a trial that has a limit on it."""

_LONGEST_SLEEP = 3600.0
"""Seconds that a supervisor sleeps at a time: epoll knows 596 hours at most."""

_HASTE = 20
"""The share of its time in which a trial has to end before its money does, one in so many."""

_ENDING = 0.25
"""Seconds in which even a busy machine ends the processes of a trial."""

_REHEARSAL = 0.02
"""Seconds to the end of the money below which a supervisor sleeps through to it."""

_LATE = 2.0
"""How much longer than at its rehearsals a supervisor may wait for a processor at the end."""


@dataclass(frozen=True)
class Order:
    """A trial to run.

    Attributes:
        run: Tells the runs of one executor apart.
        trial: The trial, pickled: only the worker opens it.
        identity: What `result.save` needs to know of the trial.
        limit: Seconds that it may run.
        folder: Where its log and result go.
        memory: Bytes that its processes may hold together.
        grace: Seconds between being asked to end and being killed.
        mark: What the environment of its processes carries.
        allowance: What it may spend: all its processes are gone when that is used up.
        checkpoints: The folder that it may go on from.
        keep: Whether its outcome is kept in its folder.
        gpus: What CUDA_VISIBLE_DEVICES says in its processes; None to leave that alone.
        latest: Where given, the limit leaves out seconds that it waited for processors, and it
            ends after so many by the clock in any case.
    """

    run: int
    trial: bytes
    identity: dict[str, Any]
    limit: float
    folder: Path | None
    memory: float
    grace: float
    mark: str
    allowance: Allowance = Allowance()
    checkpoints: Path | None = None
    keep: bool = True
    gpus: str | None = None
    latest: float | None = None

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
    """The wish to end a run with this outcome, perhaps without time to end by itself."""

    run: int
    outcome: Failure
    at_once: bool = False


LEAVE = pickle.dumps(None)
"""What a supervisor is told when it is not needed any more.

A closed connection alone may stay unseen, where another process has inherited our end of it.
"""


class _Alone(Exception):
    """The study's process or the fork server has ended, or the study needs us no more."""


def supervise(study: Connection, lifeline: int | None, guard: int, job: Job) -> None:
    """Serve orders for the job until the study ends the connection, or study or guard are gone."""
    supervisor = _Supervisor(study, lifeline, guard, job)
    try:
        supervisor.serve()
    except (_Alone, EOFError, ConnectionError):
        if supervisor.worker is not None:
            process_tree.end(supervisor.worker)


class _Supervisor:
    def __init__(self, study: Connection, lifeline: int | None, guard: int, job: Job) -> None:
        self.worker: int | None = None
        self._study, self._job, self._self = study, job, Owner.here()
        self._events = selectors.DefaultSelector()
        self._wake = process_tree.wake_on_child_death()
        for descriptor in (study, self._wake, lifeline, process_tree.end_of(guard)):
            if descriptor is not None:
                self._events.register(descriptor, selectors.EVENT_READ)
        process_tree.adopt_orphans()
        if os.getppid() != guard:
            os._exit(0)

    def serve(self) -> None:
        while True:
            for message in self._messages(None):
                if isinstance(message, Order):
                    self._study.send_bytes(messages.ended(self._run(message)))

    def _messages(self, timeout: float | None) -> Iterator[Order | Stop]:
        """Wait for anything to happen, and pass on what the study said."""
        for key, _ in self._events.select(timeout):
            if key.fileobj is self._study:
                yield self._heard()
            elif key.fd == self._wake:
                process_tree.empty(self._wake)
            elif key.data is not None:
                if not key.data():
                    self._events.unregister(key.fd)  # or its end would wake us again and again
            else:
                raise _Alone

    def _heard(self) -> Order | Stop:
        said: Order | Stop | None = pickle.loads(self._study.recv_bytes())
        if said is None:
            raise _Alone
        return said

    def _run(self, order: Order) -> Outcome:
        if order.folder is not None:
            (order.folder / result.FILE).unlink(missing_ok=True)
        watch = self._start(order)
        self._study.send_bytes(messages.started(os.getpid(), watch.pid))
        while not watch.over():
            for message in self._messages(watch.patience()):
                if isinstance(message, Stop) and message.run == order.run:
                    watch.decide(message.outcome, message.at_once)
            for report in watch.reports():
                self._study.send_bytes(messages.reported(report))
            watch.enforce()
        self.worker = None
        outcome = watch.outcome()
        for pipe in watch.pipes:
            if pipe in self._events.get_map():
                self._events.unregister(pipe)
            os.close(pipe)
        for report in watch.reports():
            self._study.send_bytes(messages.reported(report))
        return outcome

    def _start(self, order: Order) -> "_Watch":
        ours, theirs = os.pipe()
        log, printed = (None, None) if order.folder is None else os.pipe()
        supervisor = os.getpid()

        def work() -> None:
            os.setsid()
            process_tree.die_with(supervisor)
            os.close(ours)
            self._events.close()
            self._study.close()
            leftovers.begin(order.folder, order.identity, order.mark, self._self)
            offer(order.checkpoints)
            give(order.gpus)
            kept = order.identity if order.keep else None
            worker.work(self._job, order.trial, kept, order.folder, theirs, printed)

        # Supervisors ignore SIGTERM. Blocked, one that comes before the worker heeds it is kept.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            self.worker = process_tree.forked(work)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(theirs)
        watch = _Watch(order, self.worker, ours, log)
        self._events.register(ours, selectors.EVENT_READ, watch.read)
        if log is not None and printed is not None:
            os.close(printed)
            self._events.register(log, selectors.EVENT_READ, watch.read_log)
        return watch


class _Watch:
    """One run: what its worker said and printed, how it ended, and what was decided about it."""

    def __init__(self, order: Order, pid: int, pipe: int, log: int | None) -> None:
        self.pid = pid
        self.pipes = [pipe] if log is None else [pipe, log]
        self._order = order
        self._began, self._memory_kills = time.monotonic(), process_tree.memory_kills()
        self._lines = messages.Lines()
        self._reports: list[Report] = []
        self._told: Outcome | None = None
        self._status: int | None = None
        self._decided: Failure | None = None
        self._killed_at: float | None = None
        self._kill_at = self._look_at = self._wake_at = math.inf
        self._late = self._waited = 0.0
        self._busy = process_tree.processors_busy()
        if math.isfinite(order.memory):
            self._look_at = self._began
        self._log = None if order.folder is None else BoundedLog(order.folder / LOG)
        for each in self.pipes:
            os.set_blocking(each, False)

    def read(self) -> bool:
        """Take what the worker said, as far as it goes; False when there will be no more."""
        try:
            while chunk := os.read(self.pipes[0], 65536):
                for line in self._lines.add(chunk):
                    self._hear(line)
        except BlockingIOError:
            return True
        return False

    def read_log(self) -> bool:
        """Take a part of what the job printed; False when there will be no more."""
        assert self._log is not None
        for _ in range(16):  # then it is time to look at other things
            try:
                chunk = os.read(self.pipes[1], 65536)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self._log.write(chunk)
        return True

    def reports(self) -> list[Report]:
        """What the job reported since the last look."""
        found, self._reports = self._reports, []
        return found

    def _hear(self, line: bytes) -> None:
        said = messages.read(line)
        if isinstance(said, Report):
            self._reports.append(said)
        elif said is not None and not isinstance(said, tuple) and self._decided is None:
            self._told = said

    def over(self) -> bool:
        """Whether the worker ended; when it was told to end, whether all its processes have."""
        ended, left = process_tree.reap()
        self._note(ended)
        return (
            (self._killed_at is not None or not left) if self._decided else self._status is not None
        )

    def patience(self) -> float:
        """Seconds until something has to be looked at.

        Where money is at stake it is half of the time that is left: each look on the way is a
        rehearsal that shows how late this machine lets us wake up, and the end comes earlier by it.
        """
        now = time.monotonic()
        left = max(min(self._kill_at, self._look_at, self._deadline()) - now, 0.0)
        if math.isfinite(self._order.allowance.seconds):
            left = max(left / 2, min(left, _REHEARSAL))
        left = min(left, _LONGEST_SLEEP)
        self._wake_at = now + left
        return left

    def decide(self, outcome: Failure, at_once: bool = False) -> None:
        """Ask everything to end; the first decision counts, and a result that is out before it."""
        if self._decided is None:
            self.read()
            self._decided = outcome
            last = self._money_ends() - self._order.killing
            grace = min(self._order.grace, _ENDING if at_once else math.inf)
            self._kill_at = min(time.monotonic() + grace, last)
            process_tree.send(self.pid, signal.SIGTERM)

    def enforce(self) -> None:
        """Keep the limits."""
        now = time.monotonic()
        self._late = max(self._late, now - self._wake_at)
        if now >= self._deadline() and self._order.latest is not None:
            self._waited = process_tree.waited(os.getpid(), self._busy)
        if now >= self._deadline():
            in_time = now >= self._limit_ends()
            self.decide(overrun(self._order.limit) if in_time else self._order.allowance.used_up())
        if now >= self._look_at:
            self._weigh(now)
        if now >= self._kill_at:
            self._killed_at = time.monotonic()  # weighing has taken a while
            self._note(process_tree.end(self.pid))

    def outcome(self) -> Outcome:
        """How the run ended; what is left of its processes is killed."""
        self._note(process_tree.end(self.pid))
        if self._order.folder is not None:
            leftovers.forget(self._order.folder)
        self.read()
        if self._log is not None:
            while self._unread():
                pass
            self._log.close()
        if self._told is not None:
            return self._told
        told = self._decided or Failure(_how_it_ended(self._status, self._memory_kills))
        # What was killed computes no more, however long a busy machine takes to clear it away.
        outcome = timed(told, (self._killed_at or time.monotonic()) - self._began)
        if self._order.folder is not None and self._order.keep:
            result.keep(self._order.folder, self._order.identity, outcome)
        return outcome

    def _unread(self) -> bool:
        """Take what is left in the pipe of the log; whether there may be more."""
        assert self._log is not None
        try:
            chunk = os.read(self.pipes[1], 65536)
        except BlockingIOError:
            return False  # something that cannot be killed holds it open
        self._log.write(chunk)
        return bool(chunk)

    def _deadline(self) -> float:
        if self._decided:
            return math.inf
        paid = self._money_ends() - self._order.money_grace
        return min(self._limit_ends(), paid)

    def _limit_ends(self) -> float:
        """When the limit is reached, as far as is known by now."""
        limit, latest = self._order.limit, self._order.latest
        return self._began + (limit if latest is None else min(limit + self._waited, latest))

    def _money_ends(self) -> float:
        """When the money is used up, less what we may oversleep: at most half of its time."""
        seconds = self._order.allowance.seconds
        return self._began + seconds - min(_LATE * self._late, seconds / 2)

    def _note(self, statuses: dict[int, int]) -> None:
        if self.pid in statuses:
            self._status = statuses[self.pid]

    def _weigh(self, now: float) -> None:
        limit = self._order.memory
        held = process_tree.memory(os.getpid(), int(limit))
        took = time.monotonic() - now
        self._look_at = now + max(_LOOK, 10 * took)  # never spend more than a tenth on looking
        if held > limit and self._decided is None:
            self.decide(Failure(f"memory limit of {_size(limit)} exceeded: {_size(held)} in use"))
            self._kill_at = now  # there is no time for a grace period


def _how_it_ended(status: int | None, memory_kills: int | None) -> str:
    code = None if status is None else os.waitstatus_to_exitcode(status)
    if code is None:
        return "the job's process was lost"
    if code >= 0:
        return f"the job's process ended with exit code {code} before it returned a result"
    name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
    why = process_tree.killed(memory_kills) if -code == signal.SIGKILL else ""
    return f"the job was killed by {name}{why}"


def _size(number: float) -> str:
    return f"{number / 2**30:.3g} GiB" if number >= 2**30 else f"{number / 2**20:.3g} MiB"
