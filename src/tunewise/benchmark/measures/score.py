"""How strategies did in a race, as plain data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np

from tunewise.benchmark.measures.pace import Pace, Spending, spending
from tunewise.benchmark.measures.reliability import Reliability, reliability
from tunewise.benchmark.race import Run, Step

LEVELS = (0.90, 0.95, 0.99)
Interval: TypeAlias = tuple[float | None, float | None]

_NOTHING = Step(cost=0.0, time=0.0, share=0.0, feasible=False)
"""How a run stands that could not even afford its first trial."""


@dataclass(frozen=True)
class Score:
    """One strategy over all its seeds.

    Attributes:
        strategy: Its name.
        seeds: How many runs there were.
        final: The share of the optimum that the last recommendation reached, on average.
        strict: The same, where a recommendation that misses a limit counts as nothing.
        worst: The final share of the worst seed.
        feasible: The share of runs whose last recommendation truly keeps the limits.
        ended_at: By level, how many runs ended at or above it.
        cost_to: By level, the USD from which on the mean curve stays at or above it.
        time_to: The same in seconds.
        cost_interval: By level, where `cost_to` lies with 95 % confidence; None is never.
        time_interval: The same in seconds.
        cost: USD spent per run, on average.
        time: Seconds of a run, on average.
        trials: Trials per run, on average.
        seconds_per_ask: How long the strategy thought, on average.
        fraction: The share of the data that a trial used, on average.
        cost_per_trial: USD that a trial cost, on average.
        reliability: How often what it said of its recommendations came true.
    """

    strategy: str
    seeds: int
    final: float
    strict: float
    worst: float
    feasible: float
    ended_at: dict[float, int]
    cost_to: dict[float, float | None]
    time_to: dict[float, float | None]
    cost_interval: dict[float, Interval]
    time_interval: dict[float, Interval]
    cost: float
    time: float
    trials: float
    seconds_per_ask: float
    fraction: float
    cost_per_trial: float
    reliability: tuple[Reliability, ...] = ()


def scores(runs: Iterable[Run]) -> list[Score]:
    """A score for each strategy, in the order of the runs."""
    return [score(group) for group in by_strategy(runs)]


def by_strategy(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs of each strategy, which stand together."""
    return [list(group) for _, group in groupby(runs, key=lambda run: run.strategy)]


def score(runs: Sequence[Run]) -> Score:
    """The score of the runs of one strategy."""
    last = [run.steps[-1] if run.steps else _NOTHING for run in runs]
    finals = [step.share for step in last]
    cost, time = (Pace.of(runs, spending(kind)) for kind in ("cost", "time"))
    return Score(
        strategy=runs[0].strategy,
        seeds=len(runs),
        final=_mean(finals),
        strict=_mean([step.strict for step in last]),
        worst=min(finals),
        feasible=_mean([float(step.feasible) for step in last]),
        ended_at={level: sum(share >= level - 1e-9 for share in finals) for level in LEVELS},
        cost_to={level: cost.reached(level) for level in LEVELS},
        time_to={level: time.reached(level) for level in LEVELS},
        cost_interval={level: cost.interval(level) for level in LEVELS},
        time_interval={level: time.interval(level) for level in LEVELS},
        cost=_mean([step.cost for step in last]),
        time=_mean([step.time for step in last]),
        trials=_mean([float(len(run.steps)) for run in runs]),
        seconds_per_ask=_mean([run.seconds_per_ask for run in runs]),
        fraction=_mean([step.fraction for run in runs for step in run.steps]),
        cost_per_trial=_mean([cost for run in runs for cost in _costs(run)]),
        reliability=tuple(reliability(s.claim for run in runs for s in run.steps if s.claim)),
    )


def per_step(runs: Sequence[Run]) -> list[list[float]]:
    """For each trial of a run its number, its mean fraction and its mean cost over the seeds."""
    longest = max((len(run.steps) for run in runs), default=0)
    found = []
    for i in range(longest):
        reached = [run for run in runs if len(run.steps) > i]
        fraction = _mean([run.steps[i].fraction for run in reached])
        found.append([i + 1.0, fraction, _mean([_costs(run)[i] for run in reached])])
    return found


def _costs(run: Run) -> list[float]:
    """What each trial of a run cost."""
    spent = [0.0, *(step.cost for step in run.steps)]
    return [after - before for before, after in zip(spent, spent[1:], strict=False)]


def reached(runs: Sequence[Run], level: float, effort: Callable[[Step], float]) -> float | None:
    """The effort from which on the mean curve stays at or above the level; None if it never does.

    Each run is a step function of the effort: nothing before its first step, its last share for
    ever after.
    """
    return Pace.of(runs, effort).reached(level)


def means(runs: Iterable[Run], kind: Spending, count: int = 25) -> dict[str, list[list[float]]]:
    """For each strategy its mean curve as pairs of spending and share, at the same spendings."""
    paces = {group[0].strategy: Pace.of(group, spending(kind)) for group in by_strategy(runs)}
    spent = np.concatenate([pace.efforts for pace in paces.values()])
    spent = spent[spent > 0]
    if not len(spent):
        return {strategy: [] for strategy in paces}
    at = np.geomspace(spent.min(), spent.max(), count)
    at[-1] = spent.max()  # rounding must not leave out the end
    return {name: np.column_stack([at, pace.at(at)]).tolist() for name, pace in paces.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
