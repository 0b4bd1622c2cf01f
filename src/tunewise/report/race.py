"""How strategies did in a race, as plain data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tunewise.execution.race import Run, Step

LEVELS = (0.90, 0.95, 0.99)


@dataclass(frozen=True)
class Score:
    """One strategy over all its seeds.

    Attributes:
        strategy: Its name.
        seeds: How many runs there were.
        final: The share of the optimum that the last recommendation reached, on average.
        worst: The same, of the worst seed.
        feasible: The share of runs whose last recommendation truly keeps the limits.
        cost_to: By level, the USD from which on the mean curve stays at or above it.
        time_to: The same in seconds.
        cost: USD spent per run, on average.
        trials: Trials per run, on average.
        seconds_per_ask: How long the strategy thought, on average.
    """

    strategy: str
    seeds: int
    final: float
    worst: float
    feasible: float
    cost_to: dict[float, float | None]
    time_to: dict[float, float | None]
    cost: float
    trials: float
    seconds_per_ask: float


def scores(runs: Iterable[Run]) -> list[Score]:
    """A score for each strategy, in the order of the runs."""
    return [score(list(group)) for _, group in groupby(runs, key=lambda run: run.strategy)]


def score(runs: Sequence[Run]) -> Score:
    """The score of the runs of one strategy."""
    last = [run.steps[-1] for run in runs if run.steps]
    finals = [step.share for step in last] or [0.0]
    return Score(
        strategy=runs[0].strategy,
        seeds=len(runs),
        final=_mean(finals),
        worst=min(finals),
        feasible=_mean([float(step.feasible) for step in last]),
        cost_to={level: reached(runs, level, lambda step: step.cost) for level in LEVELS},
        time_to={level: reached(runs, level, lambda step: step.time) for level in LEVELS},
        cost=_mean([step.cost for step in last]),
        trials=_mean([float(len(run.steps)) for run in runs]),
        seconds_per_ask=_mean([run.seconds_per_ask for run in runs]),
    )


def reached(runs: Sequence[Run], level: float, effort: Callable[[Step], float]) -> float | None:
    """The effort from which on the mean curve stays at or above the level; None if it never does.

    Each run is a step function of the effort: nothing before its first step, its last share for
    ever after.
    """
    # All changes of all runs in order of effort: the mean moves by each change's part of it.
    changes = sorted(
        (effort(step), (step.share - before) / len(runs))
        for run in runs
        for step, before in zip(run.steps, [0.0, *(s.share for s in run.steps)], strict=False)
    )
    mean, since = 0.0, None
    for i, (at, change) in enumerate(changes):
        mean += change
        if i + 1 < len(changes) and changes[i + 1][0] == at:
            continue  # more changes at the same effort: the curve takes them at once
        if mean < level - 1e-9:
            since = None
        elif since is None:
            since = at
    return since


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
