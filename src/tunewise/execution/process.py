"""Runs each trial in a worker process of its own on this machine."""

import itertools
import os
import pickle
import signal
import sys
import threading
import uuid
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import MethodType

from tunewise.errors import ExecutionError
from tunewise.execution import gpus, leftovers, messages, process_tree, result
from tunewise.execution.executor import (
    Job,
    checked_limit,
    timed,
)
from tunewise.execution.fork_server import ForkServer
from tunewise.execution.pool import Pool
from tunewise.execution.supervisor import LEAVE, Order, Stop
from tunewise.history import Failure, Outcome, Trial
from tunewise.study.executor import Report, Request
from tunewise.study.folders import LOG

_OVERDUE = 10.0
"""Seconds behind all limits of a trial after which a silent supervisor is taken for hung."""

_LONGEST_START = 600.0
"""Seconds that a job may need to be loaded before its first trial begins."""

_LONGEST_WAIT = 3600.0
"""Seconds that are waited at a time: the system's calls know 596 hours at most."""


@dataclass(eq=False)
class _Run:
    future: Future[Outcome]
    fork_server: ForkServer
    request: Request
    order: Order
    began: float = 0.0
    supervisor: Connection | None = None
    pids: tuple[int, int] | None = None
    slot: int = 0


class ProcessExecutor(Pool):
    """Runs a Python callable on each trial, in a worker process with a session of its own.

    The job may be a lambda or a closure: workers inherit it by fork, as it is when it is first
    submitted. A crash, a hang or a memory blow-up ends the trial and not the study; whatever the
    job started ends with its trial, and all trials end with the study's process.

    Where this machine has several GPUs and several trials run at once, each has some of its own:
    `CUDA_VISIBLE_DEVICES` names them.

    With a folder, what the job prints goes to `log.txt` there, and its outcome to `result.json`
    before the future resolves, so that `recover` finds it after a kill of the study.
    """

    shortest = 0.5  # a quarter of it suffices to end processes
    getting_ready = 5.0  # imports of a training, on a busy machine

    def __init__(
        self,
        workers: int = 1,
        *,
        memory: int | None = None,
        grace: float = 5.0,
        keep: bool = True,
    ) -> None:
        """Nothing is started before the first submit.

        Args:
            workers: How many trials run at once.
            memory: Bytes that the processes of one trial may hold together; more ends it.
            grace: Seconds between asking a trial to end and killing it.
            keep: Whether outcomes are kept in the folders of trials, where `recover` finds them.
        """
        super().__init__(workers)
        self._keep = keep
        self._memory = _checked_memory(memory)
        self._grace = checked_limit(grace, "grace")
        self._numbers = itertools.count()
        self._fork_server: ForkServer | None = None
        self._idle: list[Connection] = []
        self._gpus = gpus.shares(gpus.visible(os.environ), self.workers)
        self._slots = list(range(self.workers))

    def prepare(self, job: Job) -> None:
        """Fork now from what the process is; best done before it has threads or connections."""
        with self._lock:
            self._fork_server_of(job)

    def start(self, request: Request) -> Future[Outcome]:
        """Run the job on the trial as soon as a worker is free.

        It is asked to end so early that it has ended when its money has.
        """
        order = Order(
            next(self._numbers),
            _pickled(request.trial),
            result.identity(request.trial),
            request.seconds,
            None if request.folder is None else _prepared(request.folder),
            self._memory,
            self._grace,
            uuid.uuid4().hex,
            request.allowance,
            request.checkpoints,
            self._keep,
            latest=request.latest,
        )
        with self._lock:
            if self._closed:
                raise ExecutionError("the executor was shut down and takes no more trials")
            run = _Run(Future(), self._fork_server_of(request.job), request, order)
            self._waiting.append(run)
            self._fill()
        return run.future

    def stop(self, future: Future[Outcome], outcome: Failure, *, at_once: bool = False) -> None:
        """End a trial, running or waiting; one that has ended stays as it is."""
        with self._lock:
            run = self._running.get(future)
            if run is not None and run.supervisor is not None:
                _send(run.supervisor, pickle.dumps(Stop(run.order.run, outcome, at_once)))
                return
        self._withdraw(future, outcome)

    def recover(self, request: Request) -> Outcome | None:
        """The outcome of this attempt at the trial, where the folder has it.

        What is left of an attempt whose watchers were killed is ended first.
        """
        if request.folder is not None:
            leftovers.end(request.folder, request.trial)
        return super().recover(request)

    def _fork_server_of(self, job: Job) -> ForkServer:
        """The server for the job; one for another job is let go, its running trials are not."""
        if not callable(job):
            raise ExecutionError(f"the job is {job!r}; expected a function that takes a trial")
        if self._fork_server is None or not _same(self._fork_server.job, job):
            self._release()
            try:
                self._fork_server = ForkServer(job)
            except OSError as error:
                raise ExecutionError(_no_process(error)) from error
        return self._fork_server

    def _fill(self) -> None:
        """Start what waits while workers are free. The lock is held."""
        while self._waiting and len(self._running) < self.workers:
            run = self._waiting.popleft()
            if run.future.set_running_or_notify_cancel():
                self._start(run)

    def _start(self, run: _Run) -> None:
        try:
            run.supervisor = self._supervisor(run)
        except OSError as error:
            run.future.set_result(timed(Failure(_no_process(error)), 0.0))
            return
        self._unresolved += 1
        run.began, run.slot = self.now(), self._slots.pop(0)
        self._running[run.future] = run
        self._order(run, run.supervisor)
        threading.Thread(
            target=self._attend, args=(run, run.supervisor), name="tunewise-trial", daemon=True
        ).start()

    def _order(self, run: _Run, supervisor: Connection) -> None:
        _send(supervisor, pickle.dumps(replace(run.order, gpus=self._gpus[run.slot])))

    def _supervisor(self, run: _Run) -> Connection:
        while run.fork_server is self._fork_server and self._idle:
            idle = self._idle.pop()
            if not idle.poll(0):
                return idle
            idle.close()  # it has nothing to say but that it was killed meanwhile
        try:
            return run.fork_server.supervisor()
        except OSError:
            return self._new_supervisor(run)

    def _new_supervisor(self, run: _Run) -> Connection:
        """Of a new server: the run's own was let go for another job, or somebody killed it."""
        self._release()
        self._fork_server = run.fork_server = ForkServer(run.fork_server.job)
        return run.fork_server.supervisor()

    def _attend(self, run: _Run, supervisor: Connection) -> None:
        """Wait for the outcome of a run, and let the next one start."""
        outcome = self._heard(run, supervisor)
        if outcome is None and run.pids is None and supervisor.poll(0):
            # Killed before the trial began, with its fork server as a rule: nothing was trained.
            with self._lock, suppress(OSError):
                supervisor = run.supervisor = self._new_supervisor(run)
                self._order(run, supervisor)
            outcome = self._heard(run, supervisor)
        reusable = outcome is not None
        if outcome is None:
            # What it watched over is ended by its guard; should that be gone too, by us.
            session = None if run.pids is None else run.pids[1]
            process_tree.end_marked(f"{leftovers.MARK}={run.order.mark}", session)
            lost = Failure("the process that watched over the trial was killed")
            outcome = timed(lost, self.now() - run.began)
        with self._lock:
            del self._running[run.future]
            self._slots = sorted([*self._slots, run.slot])
            if reusable and run.fork_server is self._fork_server:
                self._idle.append(supervisor)
            else:
                _dismiss(supervisor)
            self._fill()
        run.future.set_result(outcome)
        with self._lock:
            self._unresolved -= 1
            self._release_if_done()
            self._quiet.notify_all()

    def _heard(self, run: _Run, supervisor: Connection) -> Outcome | None:
        """Listen until the outcome is told; None when it never will be."""
        order = run.order
        limit = order.limit if order.latest is None else order.latest
        patience = min(limit, order.allowance.seconds) + order.grace + _OVERDUE
        due = run.began + max(patience, _LONGEST_START)
        try:
            while True:
                if not supervisor.poll(min(max(due - self.now(), 0.0), _LONGEST_WAIT)):
                    if self.now() < due:
                        continue
                    _kill(run.pids)
                    return None
                said = messages.read(supervisor.recv_bytes())
                if isinstance(said, Report):
                    run.request.report(said)
                elif isinstance(said, tuple):
                    run.pids, due = said, self.now() + patience
                elif said is not None:
                    return said
        except (EOFError, OSError):
            return None

    def _release_if_done(self) -> None:
        if self._closed and not self._unresolved:
            self._release()

    def _release(self) -> None:
        """Let go of processes that no running trial needs."""
        while self._idle:
            _dismiss(self._idle.pop())
        if self._fork_server is not None:
            busy = any(run.fork_server is self._fork_server for run in self._running.values())
            self._fork_server.close(wait=not busy)
            self._fork_server = None


def _same(one: Job, other: Job) -> bool:
    """Whether it is one job: a method is a new object each time it is looked up."""
    if isinstance(one, MethodType) and isinstance(other, MethodType):
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    return one is other


def _no_process(error: OSError) -> str:
    return f"no process could be started for the trial: {error.strerror}"


def _dismiss(supervisor: Connection) -> None:
    _send(supervisor, LEAVE)
    supervisor.close()


def _send(supervisor: Connection, message: bytes) -> None:
    try:
        supervisor.send_bytes(message)
    except OSError:
        return  # the supervisor was killed: whoever waits for its answer learns it from the silence


def _kill(pids: tuple[int, int] | None) -> None:
    """End a supervisor that does not answer, and the worker with it."""
    for pid in pids or ():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _pickled(trial: Trial) -> bytes:
    try:
        return pickle.dumps(trial)
    except Exception as error:
        raise ExecutionError(
            f"the config {trial.config} cannot be sent to a worker process: {error}"
        ) from error


def _prepared(folder: Path) -> Path:
    """The folder, made where it is missing, with a log that can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOG).open("a").close()
    except OSError as error:
        raise ExecutionError(f"cannot write to the folder {folder}: {error.strerror}") from error
    return folder.absolute()


def _checked_memory(memory: int | None) -> float:
    if memory is None:
        return float("inf")
    if isinstance(memory, bool) or not isinstance(memory, int) or memory <= 0:
        raise ExecutionError(f"memory is {memory!r}; expected a number of bytes above 0, or None")
    if sys.platform != "linux":
        raise ExecutionError(f"memory is {memory!r}; a memory limit needs Linux")
    return float(memory)
