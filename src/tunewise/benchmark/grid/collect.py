"""Runs what is left of a grid on an executor."""

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tunewise.benchmark.grid.kept import Kept
from tunewise.benchmark.grid.plan import Run
from tunewise.errors import ExecutionError
from tunewise.history import Failure, History, Measurement, Outcome, Preempted
from tunewise.problem import Problem
from tunewise.study.booking import paid_once
from tunewise.study.executor import Job, Report, Request, TrialExecutor

_TICK = 0.25
_IN_VAIN = 5
"""So many runs fail one after the other, and none has worked, before it is given up."""

_PREEMPTIONS = 10


class _Running(NamedTuple):
    run: Run
    began: float
    reports: list[Report]


class Collection:
    """A grid that is being measured.

    Attributes:
        runs: All runs of the grid.
        kept: What was measured by now.
    """

    def __init__(self, problem: Problem, runs: Sequence[Run], kept: Kept) -> None:
        """Nothing runs before `run`."""
        self.problem, self.runs, self.kept = problem, runs, kept
        self._preempted: dict[int, int] = {}

    @property
    def open(self) -> list[Run]:
        """The runs that are still to be measured."""
        return [run for run in self.runs if run not in self.kept]

    @property
    def done(self) -> int:
        """How many runs were measured."""
        return len(self.runs) - len(self.open)

    @property
    def failed(self) -> int:
        """How many of them failed."""
        kept = (self.kept[run].outcome for run in self.runs if run in self.kept)
        return sum(isinstance(outcome, Failure) for outcome in kept)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take one after the other, by what was measured; None at first.

        A fraction that has no run yet is held to take its share of the nearest one that has.
        """
        took: dict[float, list[float]] = {}
        for run in self.runs:
            if run in self.kept:
                took.setdefault(run.fraction, []).append(self.kept[run].took)
        if not took:
            return None
        mean = {fraction: sum(each) / len(each) for fraction, each in took.items()}

        def expected(fraction: float) -> float:
            near = min(mean, key=lambda s: max(s / fraction, fraction / s))
            return mean[near] * fraction / near

        return sum(expected(run.fraction) for run in self.open)

    def run(
        self,
        job: Job,
        executor: TrialExecutor,
        *,
        parallel: int = 1,
        limit: float | None = None,
        until: float | None = None,
        told: Callable[[Run, Outcome], None] = lambda run, outcome: None,
    ) -> None:
        """Measure what is open; each run is kept before another begins.

        Args:
            job: What to run.
            executor: Where.
            parallel: Runs at once.
            limit: Seconds that one run may take.
            until: The executor's clock after which no run is begun.
            told: Hears of each run that was measured.

        Raises:
            ExecutionError: When nothing works.
        """
        waiting, running = list(reversed(self.open)), dict[Future[Outcome], _Running]()
        folder = Path(tempfile.mkdtemp(prefix="tunewise-"))
        failed = 0
        try:
            while waiting or running:
                over = until is not None and executor.now() >= until
                if over and not running:
                    return
                while waiting and len(running) < parallel and not over:
                    started = self._started(waiting.pop(), job, executor, limit, folder)
                    running[started[0]] = started[1]
                for future in executor.wait(list(running), timeout=_TICK):
                    ended = running.pop(future)
                    outcome = self._outcome(ended, future.result())
                    shutil.rmtree(folder / str(ended.run.number), ignore_errors=True)
                    if self._runs_again(ended.run, outcome):
                        waiting.append(ended.run)
                        continue
                    self.kept.add(ended.run, outcome, time.monotonic() - ended.began)
                    told(ended.run, outcome)
                    failed = failed + 1 if isinstance(outcome, Failure) else -len(self.runs)
                    if isinstance(outcome, Failure) and failed >= _IN_VAIN:
                        raise ExecutionError(
                            f"the first {failed} runs failed, the last so: {outcome.reason}\n"
                            f"Remove {self.kept.path} to measure them again."
                        )
        finally:
            for future in running:
                executor.stop(future, Preempted("the collection ended"))
            executor.wait(list(running), timeout=None) if running else None
            shutil.rmtree(folder, ignore_errors=True)

    def _started(
        self, run: Run, job: Job, executor: TrialExecutor, limit: float | None, folder: Path
    ) -> tuple[Future[Outcome], _Running]:
        reports: list[Report] = []
        place = folder / str(run.number)
        request = Request(job, run.trial, limit, place, report=reports.append)
        return executor.start(request), _Running(run, time.monotonic(), reports)

    def _runs_again(self, run: Run, outcome: Outcome) -> bool:
        """Whether its machine was taken away, and not again and again."""
        if not isinstance(outcome, Preempted):
            return False
        times = self._preempted[run.number] = self._preempted.get(run.number, 0) + 1
        return times < _PREEMPTIONS

    def _outcome(self, ended: _Running, outcome: Outcome) -> Outcome:
        """With what it cost, and what it reported on its way."""
        config, priced = ended.run.config, self.problem.priced
        outcome, _ = paid_once(History(), ended.run.trial, outcome)  # each run begins anew
        outcome = replace(outcome, metrics=priced(config, outcome.metrics))
        if not isinstance(outcome, Measurement):
            return outcome
        wanted = (objective.metric for objective in self.problem.objectives)
        if missing := [name for name in wanted if name not in outcome.metrics]:
            has = ", ".join(sorted(outcome.metrics))
            sentence = f"the measurement has no {missing[0]!r}, which is wanted; it has: {has}"
            return Failure(sentence, outcome.metrics)
        reported = {r.fraction: r.metrics for r in ended.reports if r.fraction is not None}
        below = {s: m for s, m in reported.items() if s < ended.run.fraction}
        snapshots = {**below, **outcome.snapshots}
        return replace(outcome, snapshots={s: priced(config, m) for s, m in snapshots.items()})
