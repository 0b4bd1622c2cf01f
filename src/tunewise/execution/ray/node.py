"""A process on a Ray node that runs trials for one Ray worker, one after the other.

It is a plain Python process: what a job starts is watched over as on a single machine, and ends
with its trial. It keeps the process that trials of a job are forked from, so that a trial costs a
fork. When the Ray worker is killed, this process sees its end of the channel closed, and whatever
runs is ended.
"""

import json
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution import process_tree
from tunewise.execution.log import KEPT
from tunewise.execution.process import ProcessExecutor
from tunewise.execution.worker import workplace
from tunewise.history import Failure, Outcome, Trial
from tunewise.study.executor import Allowance, Job, Report, Request
from tunewise.study.folders import LOG

_LOOK = 0.5
"""Seconds between looks at what a trial has printed and used."""

_USAGE, _VARIABLES = "usage.json", "variables.json"

Variables = dict[str, str | None]
"""What is to be found in the environment; None: what is not."""


@dataclass(frozen=True)
class Order:
    """A trial for a node.

    Attributes:
        job: Which job it is for.
        trial: What to run the job on.
        limit: Seconds that it may run.
        allowance: What it may spend.
        checkpoints: A folder that this attempt may go on from.
        grace: Seconds between asking it to end and killing it.
        memory: Bytes that its processes may hold together; None where there is no limit.
        env: Variables that the job finds in its environment.
        latest: Where given, the limit counts seconds of work, and the trial ends after so many by
            the clock in any case.
    """

    job: str
    trial: Trial
    limit: float | None
    allowance: Allowance
    checkpoints: Path | None
    grace: float
    memory: int | None
    env: Variables
    latest: float | None = None


@dataclass(frozen=True)
class Said:
    """What a node tells of a running trial; what is None, or empty, is not said.

    Attributes:
        printed: More of its output.
        report: What it told on the way.
        usage: CPU seconds and peak bytes of memory until now.
        outcome: How it ended.
        node: Ray's name of the node on which it runs.
    """

    printed: bytes = b""
    report: Report | None = None
    usage: dict[str, float] | None = None
    outcome: Outcome | None = None
    node: str = ""


class _Measured:
    """A job that leaves in the trial's folder what it has used."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def preload(self) -> None:
        """What the job wants to have in every process, once for all of them."""
        preload = getattr(self._job, "preload", None)
        if preload is not None:
            preload()

    def __call__(self, trial: Any) -> Any:
        place = workplace()
        assert place is not None and place.folder is not None
        _set(json.loads((place.folder / _VARIABLES).read_text()))
        try:
            return self._job(trial)
        finally:
            used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, -1)]
            cpu = sum(each.ru_utime + each.ru_stime for each in used)
            peak = max(each.ru_maxrss for each in used) * 1024.0
            with suppress(OSError):  # a full disk costs the figures, not the trial
                (place.folder / _USAGE).write_text(json.dumps({"cpu": cpu, "memory": peak}))


class Node:
    """Runs what comes down the channel."""

    def __init__(self, channel: Connection) -> None:
        """Nothing runs before `serve`."""
        self._channel = channel
        self._sending = threading.Lock()
        self._job: _Measured | None = None
        self._executor: ProcessExecutor | None = None
        self._limits: tuple[float, int | None] = (0.0, None)

    def serve(self) -> None:
        """Until the Ray worker is gone."""
        while True:
            try:
                job, order = pickle.loads(self._channel.recv_bytes())
            except (EOFError, OSError):
                break
            if not isinstance(order, Order):
                continue  # the wish to end a trial that has just ended
            folder = Path(tempfile.mkdtemp(prefix="tunewise-ray-"))
            try:
                self._run(self._ready(job, order), order, folder)
            except Exception as error:
                said = f"the job could not be started on its node: {error}"
                self._say(Said(outcome=Failure(said, {"time": 0.0})))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        self._let_go()

    def _ready(self, job: bytes | None, order: Order) -> ProcessExecutor:
        """What forks the trial's processes, after a job that is new has been taken."""
        if job is not None:
            self._let_go()
            self._job = None
            # Cloudpickle wrote it, and pickle can read that: Ray stays unloaded here, and the
            # processes that are forked for trials stay small.
            self._job = _Measured(pickle.loads(job))
        if self._job is None:
            raise ExecutionError("it cannot be loaded there, as was said before")
        limits = order.grace, order.memory
        if self._executor is None or self._limits != limits:
            self._let_go()
            # The study keeps the outcome: here nobody would look for it.
            self._executor = ProcessExecutor(1, grace=order.grace, memory=order.memory, keep=False)
            self._limits = limits
            self._executor.prepare(self._job)
        return self._executor

    def _let_go(self) -> None:
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def _run(self, executor: ProcessExecutor, order: Order, folder: Path) -> None:
        assert self._job is not None
        (folder / _VARIABLES).write_text(json.dumps(order.env))
        request = Request(
            self._job,
            order.trial,
            order.limit,
            folder,
            order.allowance,
            report=lambda report: self._say(Said(report=report)),
            checkpoints=order.checkpoints,
            latest=order.latest,
        )
        woken, wake = Pipe(duplex=False)
        with woken, wake:
            others = set(process_tree.descendants(os.getpid()))
            future = executor.start(request)
            future.add_done_callback(lambda _: wake.send_bytes(b"."))
            printed = _printed(folder / LOG)
            while woken not in wait([woken, self._channel], _LOOK):
                if self._channel.poll(0):
                    self._hear(executor, future)
                self._tell_news(next(printed), _used(others))
            self._say(Said(next(printed), None, _left(folder / _USAGE), future.result()))

    def _hear(self, executor: ProcessExecutor, future: "Future[Outcome]") -> None:
        try:
            outcome, at_once = pickle.loads(self._channel.recv_bytes())
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGKILL)  # its guard ends what runs
        executor.stop(future, outcome, at_once=at_once)

    def _tell_news(self, printed: bytes, usage: dict[str, float] | None) -> None:
        if printed or usage:
            self._say(Said(printed, usage=usage))

    def _say(self, said: Said) -> None:
        with self._sending:
            self._channel.send_bytes(pickle.dumps(said))


def _printed(log: Path) -> Iterator[bytes]:
    """What is new in the log, each time."""
    place = 0
    while True:
        new = b""
        if log.exists():
            with log.open("rb") as file:
                if os.fstat(file.fileno()).st_size < place:
                    place = KEPT  # its middle was left out: what follows the head is new, or nearly
                file.seek(place)
                new = file.read()
        place += len(new)
        yield new


def _left(file: Path) -> dict[str, float] | None:
    try:
        found: dict[str, float] = json.loads(file.read_text())
        return found
    except (OSError, ValueError):
        return None  # it was killed: the last look has to do


def _used(others: Collection[int]) -> dict[str, float] | None:
    """What the processes below this one use now, without those others."""
    cpu = memory = 0.0
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for pid in process_tree.descendants(os.getpid()):
        if pid in others:
            continue
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu += sum(int(ticks) for ticks in stat[11:15]) / tick
        memory += int(stat[21]) * page
    return {"cpu": cpu, "memory": memory} if memory else None


def _set(variables: Variables) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def main() -> None:
    """Serve the channel whose descriptor is the last word of the command line."""
    Node(Connection(int(sys.argv[-1]))).serve()
