"""Runs each trial on machines that SkyPilot rents for it and gives back."""

import logging
import os
import re
import shlex
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from subprocess import Popen

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.execution import checkpoints, result
from tunewise.execution.command.command import Command
from tunewise.execution.command.output import Transcript, measurement, report_of
from tunewise.execution.executor import Job, checked_limit, overrun, timed
from tunewise.execution.log import BoundedLog
from tunewise.execution.pool import Pool
from tunewise.execution.sky.command import Sky, end, plain
from tunewise.execution.sky.leases import Lease, Leases
from tunewise.execution.sky.task_file import MOUNTED, nodes, task_file
from tunewise.history import Failure, Outcome, Preempted
from tunewise.problem import Problem
from tunewise.space import Cluster, Config, Fleet
from tunewise.study.executor import Request
from tunewise.study.folders import LOG
from tunewise.study.owner import Owner

Machines = Callable[[Config], Fleet]
"""Which machines a config is run on."""


@dataclass(eq=False)
class _Run:
    future: Future[Outcome]
    request: Request
    fleet: Fleet
    name: str
    transcript: Transcript
    began: float = 0.0
    process: "Popen[bytes] | None" = None
    stopped: Failure | None = None
    at_once: bool = False
    awake: threading.Event = field(default_factory=threading.Event)


class SkyExecutor(Pool):
    """Rents a cluster for each trial, runs its command there, and tears the cluster down.

    It is torn down whatever becomes of the trial, and before its future resolves. A crash of this
    process leaves a lease, which the next start cleans up. A trial's time is that of its cluster,
    from the launch until it is gone, unless the command tells one.
    """

    def __init__(
        self,
        workers: int = 1,
        *,
        machines: Machines,
        sky: str = "sky",
        infra: str | None = None,
        setup: str | None = None,
        teardown: float = 60.0,
        bucket: str | None = None,
        leases: Leases | None = None,
    ) -> None:
        """Nothing is rented before the first trial.

        Args:
            workers: How many clusters are up at once.
            machines: Which machines a config is run on.
            sky: SkyPilot's command, in its own environment: a path, or words.
            infra: Where to rent, such as "aws" or "aws/us-east-1"; by default where it is cheapest.
            setup: A script that makes a new machine ready, before the first command.
            teardown: Seconds that tearing down takes: a trial is ended so long before its money.
            bucket: Where checkpoints outlive the machines, such as "s3://name"; without one, jobs
                are offered no place for them.
            leases: Where clusters that are up are noted.
        """
        super().__init__(workers)
        teardown = checked_limit(teardown, "teardown")
        self.shortest, self.getting_ready = 2 * teardown, 600.0
        self._machines, self._sky = machines, Sky(sky, pause=min(2.0, teardown))
        self._infra, self._setup, self._teardown = infra, setup, teardown
        self._bucket = _checked_bucket(bucket)
        self._leases = leases or Leases()
        self._cleaned = False

    @classmethod
    def for_problem(
        cls,
        problem: Problem,
        workers: int = 1,
        *,
        sky: str = "sky",
        infra: str | None = None,
        setup: str | None = None,
        teardown: float = 60.0,
        bucket: str | None = None,
    ) -> "SkyExecutor":
        """For the machines that a problem's `Cluster` parameter, or its price, speaks of."""
        clusters = [p for p in problem.space.parameters if isinstance(p, Cluster)]
        priced = getattr(problem.price, "fleet", None)
        if not clusters and priced is None:
            raise ExecutionError(
                "the executor 'sky' does not know which machines to rent; expected a parameter of"
                " kind cluster, or a price such as {vm: m5.large, count: 2}"
            )

        def machines(config: Config) -> Fleet:
            if not clusters:
                return priced(config)  # type: ignore[misc, no-any-return] # it was looked for above
            return clusters[0].fleet(config[clusters[0].name])

        return cls(
            workers,
            machines=machines,
            sky=sky,
            infra=infra,
            setup=setup,
            teardown=teardown,
            bucket=bucket,
        )

    def refuse(self, job: Job, configs: Sequence[Config]) -> None:
        """Refuse a job, or machines, that cannot be rented for."""
        if not isinstance(job, Command):
            raise ExecutionError(
                f"the job is {job!r}; expected a command, such as Command('python train.py'): a"
                " Python function cannot be sent to rented machines"
            )
        for config in configs:
            nodes(self._machines(config))

    def missing(self) -> str | None:
        """SkyPilot's command, where it is not on this machine."""
        try:
            self._sky.check()
        except ExecutionError as error:
            return str(error)
        return None

    def prepare(self, job: Job) -> None:
        """Refuse what cannot run on other machines, and tear down what a crash has left."""
        self.refuse(job, [])
        self._sky.check()
        with self._lock:
            if not self._cleaned:
                self._cleaned = True
                for lease in clean(self._leases, self._sky):
                    self._warn(lease)

    def start(self, request: Request) -> Future[Outcome]:
        """Rent machines for the trial as soon as one of our workers is free."""
        self.prepare(request.job)
        fleet = self._machines(request.trial.config)
        nodes(fleet)  # refused here rather than in a thread
        heard, job = partial(_pass_on, request), request.job
        assert isinstance(job, Command), "others are refused before a trial starts"
        name = f"tunewise-{uuid.uuid4().hex[:12]}"
        return self._accept(_Run(Future(), request, fleet, name, Transcript(heard, job.epochs)))

    def stop(self, future: Future[Outcome], outcome: Failure, *, at_once: bool = False) -> None:
        """End a trial, running or waiting; its cluster is gone when the future resolves."""
        with self._lock:
            run = self._running.get(future)
            if run is not None:
                run.stopped = run.stopped or outcome
                run.at_once = run.at_once or at_once
                run.awake.set()
                return
        self._withdraw(future, outcome)

    def _fill(self) -> None:
        """Begin what waits while workers are free. The lock is held."""
        while self._waiting and len(self._running) < self.workers:
            run = self._waiting.popleft()
            if not run.future.set_running_or_notify_cancel():
                continue
            run.began = self.now()
            self._unresolved += 1
            self._running[run.future] = run
            # No daemon: the interpreter waits for it, so that no cluster is left up.
            threading.Thread(target=self._attend, args=(run,), name="tunewise-cloud").start()

    def _attend(self, run: _Run) -> None:
        """Rent, run, give back; then let the next one start."""
        log = _log(run.request)
        try:
            outcome: Outcome = self._rented(run, log)
        except (ExecutionError, OSError) as error:
            outcome = Failure(str(error))
        if log is not None:
            log.close()
        outcome = timed(outcome, self.now() - run.began)
        folder = run.request.folder
        if folder is not None and not isinstance(outcome, Preempted):
            result.keep(folder, result.identity(run.request.trial), outcome)
        self._resolve(run.future, outcome)

    def _rented(self, run: _Run, log: BoundedLog | None) -> Outcome:
        """The outcome of the trial on its cluster, which is gone by then."""
        trial = run.request.trial
        lease = Lease(
            run.name,
            f"{run.fleet.vm.name}:{nodes(run.fleet)}",
            run.fleet.price,
            time.time(),
            str(Owner.here()),
            trial.number,
        )
        self._leases.add(lease)
        try:
            return self._launched(run, log)
        finally:
            if self._sky.down(run.name, partial(_say, log)):
                self._leases.remove(run.name)
            else:
                self._warn(lease, log)
                with suppress(ExecutionError):  # else it is left behind when our process has ended
                    self._leases.add(replace(lease, left_up=True))

    def _warn(self, lease: Lease, log: BoundedLog | None = None) -> None:
        """Say loudly that a cluster goes on to cost money, now and at the end."""
        command = shlex.join(self._sky.words)
        sky = "" if command == "sky" else f" --sky {shlex.quote(command)}"
        sentence = (
            f"the cluster {lease.name} ({lease.machines}, {lease.hourly:g} USD an hour) may still"
            f" be up: `sky down` failed. Tear it down with: tunewise clusters --down{sky}"
        )
        with self._lock:
            self.warnings = (*self.warnings, sentence)
        logging.getLogger("tunewise").warning("%s", sentence)
        _say(log, f"{sentence}\n")

    def _launched(self, run: _Run, log: BoundedLog | None) -> Outcome:
        job = run.request.job
        assert isinstance(job, Command)
        script, env = job.elsewhere(run.request.trial)
        if self._bucket is not None and (kept := run.request.checkpoints) is not None:
            env[checkpoints.VARIABLE] = f"{MOUNTED}/{kept.parent.parent.name}/{kept.name}"
            script = f'mkdir -p "${checkpoints.VARIABLE}"\n{script}'
        with tempfile.TemporaryDirectory(prefix="tunewise-sky-") as folder:
            file = Path(folder) / "task.yaml"
            workdir = None if job.cwd is None else os.path.abspath(job.cwd)
            places = {"infra": self._infra, "workdir": workdir, "setup": self._setup}
            places["bucket"] = self._bucket
            file.write_text(task_file(run.name, run.fleet, script, env, **places), encoding="utf-8")
            if run.stopped is not None:
                return run.stopped
            run.process = self._sky.launch(run.name, str(file))
            reading = threading.Thread(target=_read, args=(run, log), daemon=True)
            reading.start()
            ended = self._ended(run)
            reading.join(timeout=10)
        run.transcript.close()
        return ended or self._outcome(run)

    def _ended(self, run: _Run) -> Outcome | None:
        """Wait until the command has ended; why, where it did not end by itself."""
        process, request = run.process, run.request
        assert process is not None
        money = request.allowance.seconds - self._teardown
        while process.poll() is None:
            ran = self.now() - run.began
            if run.stopped is None and ran >= min(request.seconds, money):
                run.stopped = (
                    overrun(request.seconds)
                    if request.seconds <= money
                    else request.allowance.used_up()
                )
            if run.stopped is not None:
                end(process, 0.5 if run.at_once else 10.0)
                return run.stopped
            run.awake.wait(min(0.2, max(min(request.seconds, money) - ran, 0.01)))
        return None

    def _outcome(self, run: _Run) -> Outcome:
        assert run.process is not None
        code, tail = run.process.returncode, run.transcript.tail
        last = f"; its last output: {tail.splitlines()[-1]}\n{tail}" if tail else ""
        if code:
            if run.fleet.spot and not self._sky.is_up(run.name):
                return Preempted(f"the spot machines were taken away{last}")
            return Failure(f"sky launch ended with exit code {code}{last}")
        try:
            found = measurement(run.transcript, run.request.trial.fraction)
        except MeasurementError as error:
            return Failure(str(error))
        return found or Failure(
            "the command gave no result: no line of its output is a JSON object such as"
            f' {{"accuracy": 0.9}}{last}'
        )


def _checked_bucket(bucket: str | None) -> str | None:
    if bucket is not None and not re.fullmatch(r"[a-z0-9]+://[^\s/]+", bucket):
        raise ExecutionError(f"the bucket is {bucket!r}; expected its address, such as 's3://name'")
    return bucket


def clean(leases: Leases, sky: Sky, unreadable: bool = False) -> list[Lease]:
    """Tear down the clusters that nobody uses any more; those that still may be up.

    One whose lease is unreadable may be in use: only a person can tell.
    """
    left = []
    for lease in leases:
        if lease.in_use or (lease.unreadable and not unreadable):
            continue
        if sky.down(lease.name):
            leases.remove(lease.name)
        else:
            left.append(lease)
    return left


def _log(request: Request) -> BoundedLog | None:
    if request.folder is None:
        return None
    with suppress(OSError):
        request.folder.mkdir(parents=True, exist_ok=True)
    return BoundedLog(request.folder / LOG)


def _say(log: BoundedLog | None, text: str) -> None:
    if log is not None:
        log.write(text.encode())


def _read(run: _Run, log: BoundedLog | None) -> None:
    """Pass on what the command prints, line by line."""
    assert run.process is not None and run.process.stdout is not None
    with run.process.stdout as printed:
        for line in printed:
            if log is not None:
                log.write(line)
            run.transcript.add(plain(line.decode(errors="replace")))


def _pass_on(request: Request, found: dict[str, object]) -> None:
    report = report_of(found, request.trial.fraction)
    if report is not None:
        request.report(report)
