"""Races strategies on a table in virtual time: same problem, same seeds, nothing really run.

After each trial the strategy is asked what it would deploy; the table knows how good that truly
is.
"""

import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.entrants import bootstrap, label
from tunewise.benchmark.measures.penalty import share_of_optimum
from tunewise.benchmark.measures.reliability import Claim, claimed
from tunewise.benchmark.replay import ReplayExecutor
from tunewise.errors import ExecutionError, StrategyError, TunewiseWarning
from tunewise.history import History, Measurement, Trial, completed
from tunewise.problem import Metrics, Problem
from tunewise.strategy.loop.delegating import Delegating, DelegatingPruner
from tunewise.strategy.spec import StrategySpec
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.study import Study


@dataclass(frozen=True)
class Step:
    """How a run stood after one more trial.

    Attributes:
        cost: USD spent so far.
        time: Virtual seconds since the run began.
        share: The penalised objective of the config it would deploy, as a share of the optimum.
        feasible: Whether that config truly keeps the limits.
        bootstrap: Whether the trial was one of those that the strategy begins with.
        incumbent: The objective of the best measured trial that keeps all limits and could be
            deployed as it is; None before the first one.
        number: How many trials had ended, this one too.
        fraction: The share of the data that the trial used.
        thought: Seconds for which the strategy had been asked so far, in real time.
        claim: What the strategy said of that config, against the truth; None for nothing.
    """

    cost: float
    time: float
    share: float
    feasible: bool
    bootstrap: bool = False
    incumbent: float | None = None
    number: int = 0
    fraction: float = 1.0
    thought: float = 0.0
    claim: Claim | None = None

    @property
    def strict(self) -> float:
        """The share of the optimum, but nothing where a limit is missed (Nephele's thesis, 7.1)."""
        return self.share if self.feasible else 0.0


@dataclass(frozen=True)
class Run:
    """One entrant with one seed: its steps, and the seconds that an ask took on average."""

    strategy: str
    seed: int
    steps: tuple[Step, ...]
    seconds_per_ask: float


def race(
    contest: Contest,
    strategies: Sequence[StrategySpec],
    seeds: Sequence[int],
    jobs: int = 1,
    ran: Callable[[Run], None] = lambda run: None,
) -> list[Run]:
    """All strategies with all seeds, on so many processes; `ran` hears of each as it ends."""
    entries = [(spec, seed) for spec in strategies for seed in seeds]
    runs = []
    for run in _all(contest, entries, jobs):
        ran(run)
        runs.append(run)
    order = {(label(spec), seed): i for i, (spec, seed) in enumerate(entries)}
    return sorted(runs, key=lambda run: order[run.strategy, run.seed])


def _all(contest: Contest, entries: list[tuple[StrategySpec, int]], jobs: int) -> Iterator[Run]:
    if jobs == 1:
        yield from (replayed(contest, spec, seed) for spec, seed in entries)
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    try:
        with _one_thread_each():
            futures = [pool.submit(replayed, contest, spec, seed) for spec, seed in entries]
        yield from (future.result() for future in as_completed(futures))
    except BrokenProcessPool as error:
        raise ExecutionError(
            "a process of the race was killed, perhaps for want of memory; race with fewer jobs"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started inside compute with one thread each, or they would get in each other's way.

    Numerical libraries read this once, when they are loaded: it must be there before.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def replayed(contest: Contest, spec: StrategySpec, seed: int) -> Run:
    """One run of one strategy."""
    problem, optimum = contest.problem, contest.table.best(contest.problem)
    if optimum is None:
        where = "the full data" if problem.deploy == "full" else "any fraction"
        raise ExecutionError(
            f"no config of {contest.table.path.name} keeps the limits at {where};"
            " expected at least one: loosen them"
        )
    clock = ReplayExecutor(workers=contest.parallel)
    steps: list[Step] = []
    begins = bootstrap(spec)
    with Study(problem, spec, seed) as study:
        timed = _Timed(study.strategy, contest.stop_by_reports)
        study.strategy = timed

        def note(study: Study, trial: Trial) -> None:
            answer = answer_of(timed.inner, study.history)
            truth = None if answer is None else truth_of(contest, answer)
            good = truth is not None and problem.feasible(truth)
            share = _share(problem, truth, optimum.objective)
            begun = len(steps) < begins
            held = _incumbent(problem, study.history)
            spent, now = study.spent["cost"], clock.now()
            told = (len(steps) + 1, trial.fraction, timed.seconds)
            claim = answer if answer is None else claimed(problem, study.history, answer, truth)
            steps.append(Step(spent, now, share, good, begun, held, *told, claim))

        with warnings.catch_warnings():
            # A race measures how often limits are kept: nobody acts on one study's doubt.
            warnings.simplefilter("ignore", TunewiseWarning)
            study.optimize(
                contest.job or contest.table,
                trials=contest.trials,
                parallel=contest.parallel,
                executor=clock,
                callbacks=[note],
                progress=False,
            )
    return Run(label(spec), seed, tuple(steps), timed.seconds / max(timed.asks, 1))


def answer_of(strategy: Strategy, history: History) -> Recommendation | None:
    """What the strategy would deploy; None where it does not know yet."""
    try:
        return strategy.recommend(history)
    except StrategyError:
        return None


def truth_of(contest: Contest, best: Recommendation) -> Metrics | None:
    """What a recommended config truly measures; None where it fails."""
    outcome = contest.table(Trial(0, best.config, best.fraction))
    if not isinstance(outcome, Measurement):
        return None
    return completed(contest.problem, best.config, outcome).metrics


def _incumbent(problem: Problem, history: History) -> float | None:
    best = history.best(problem)
    return None if best is None else best.metrics[problem.objective]


def _share(problem: Problem, truth: Metrics | None, optimum: float) -> float:
    return 0.0 if truth is None else share_of_optimum(problem, truth, optimum)


class _Timed(Delegating):
    """A strategy, and how long it thinks."""

    def __init__(self, inner: Strategy, stop_by_reports: bool) -> None:
        super().__init__(inner)
        self.seconds, self.asks = 0.0, 0
        if not stop_by_reports:
            self.pruner = _ByLimits(self)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        began = time.perf_counter()
        suggested = super().suggest(history, count)
        self.seconds += time.perf_counter() - began
        self.asks += 1
        return suggested


class _ByLimits(DelegatingPruner):
    """Stops nothing by its reports."""

    def verdict(self, history: History, trial: Trial) -> str | None:
        return None
