"""A process on a Ray node that runs trials for one Ray worker, one after the other.

It is a plain Python process: what a job starts is watched over as on a single machine, and ends
with its trial. When the Ray worker is killed, this process sees its end of the channel closed, and
whatever runs is ended.
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
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from tunewise.execution import process_tree
from tunewise.execution.process import ProcessExecutor
from tunewise.execution.worker import LOG
from tunewise.history import Failure, Outcome, Trial
from tunewise.study.executor import Allowance, Job, Report, Request

_LOOK = 0.5
"""Seconds between looks at what a trial has printed and used."""

_USAGE = "usage.json"


@dataclass(frozen=True)
class Order:
    """A trial for a node.

    Attributes:
        trial: What to run the job on.
        limit: Seconds that it may run.
        allowance: What it may spend.
        grace: Seconds between asking it to end and killing it.
        env: Variables that the job finds in its environment.
    """

    trial: Trial
    limit: float | None
    allowance: Allowance
    grace: float
    env: dict[str, str]


@dataclass(frozen=True)
class Said:
    """What a node tells of a running trial; what is None is not said.

    Attributes:
        printed: More of its output.
        report: What it told on the way.
        usage: CPU seconds and peak bytes of memory until now.
        outcome: How it ended.
    """

    printed: bytes | None = None
    report: Report | None = None
    usage: dict[str, float] | None = None
    outcome: Outcome | None = None


class _Measured:
    """A job that leaves in its folder what it has used."""

    def __init__(self, job: Job, env: dict[str, str], file: Path) -> None:
        self._job, self._env, self._file = job, env, file

    def __call__(self, trial: Any) -> Any:
        os.environ.update(self._env)
        try:
            return self._job(trial)
        finally:
            used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, -1)]
            cpu = sum(each.ru_utime + each.ru_stime for each in used)
            peak = max(each.ru_maxrss for each in used) * 1024.0
            with suppress(OSError):  # a full disk costs the figures, not the trial
                self._file.write_text(json.dumps({"cpu": cpu, "memory": peak}))


class Node:
    """Runs what comes down the channel."""

    def __init__(self, channel: Connection) -> None:
        """Nothing runs before `serve`."""
        self._channel = channel
        self._sending = threading.Lock()
        self._jobs: dict[bytes, Job] = {}

    def serve(self) -> None:
        """Until the Ray worker is gone."""
        while True:
            try:
                job, order = pickle.loads(self._channel.recv_bytes())
            except (EOFError, OSError):
                return
            folder = Path(tempfile.mkdtemp(prefix="tunewise-ray-"))
            try:
                self._run(self._loaded(job), order, folder)
            except Exception as error:
                said = f"the job could not be started on its node: {error}"
                self._say(Said(outcome=Failure(said, {"time": 0.0})))
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _loaded(self, job: bytes) -> Job:
        if job not in self._jobs:
            from ray import cloudpickle

            self._jobs = {job: cloudpickle.loads(job)}
        return self._jobs[job]

    def _run(self, job: Job, order: Order, folder: Path) -> None:
        woken, wake = Pipe(duplex=False)
        with ProcessExecutor(1, grace=order.grace) as executor, woken, wake:
            request = Request(
                _Measured(job, order.env, folder / _USAGE),
                order.trial,
                order.limit,
                folder,
                order.allowance,
                report=lambda report: self._say(Said(report=report)),
            )
            future = executor.start(request)
            future.add_done_callback(lambda _: wake.send_bytes(b"."))
            printed = _printed(folder / LOG)
            while woken not in wait([woken, self._channel], _LOOK):
                if self._channel.poll(0):
                    self._hear(executor, future)
                self._tell_news(printed)
            self._tell_news(printed, _left(folder / _USAGE))
            self._say(Said(outcome=future.result()))

    def _hear(self, executor: ProcessExecutor, future: "Future[Outcome]") -> None:
        try:
            outcome, at_once = pickle.loads(self._channel.recv_bytes())
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGKILL)  # its guard ends what runs
        executor.stop(future, outcome, at_once=at_once)

    def _tell_news(self, printed: Iterator[bytes], usage: dict[str, float] | None = None) -> None:
        news, usage = next(printed), usage or _used()
        if news or usage:
            self._say(Said(printed=news or None, usage=usage))

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


def _used() -> dict[str, float] | None:
    """What the processes below this one use now."""
    cpu = memory = 0.0
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for pid in process_tree.descendants(os.getpid()):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu += sum(int(ticks) for ticks in stat[11:15]) / tick
        memory += int(stat[21]) * page
    return {"cpu": cpu, "memory": memory} if memory else None


def main() -> None:
    """Serve the channel whose descriptor is the last word of the command line."""
    Node(Connection(int(sys.argv[-1]))).serve()
