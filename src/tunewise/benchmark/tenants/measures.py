"""What a race between rules shows: losses over time, and when they are small for good."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from tunewise.benchmark.tenants.race import Run
from tunewise.surrogate import Array

LEVELS = (0.05, 0.02, 0.01)
WORST_LEVEL = 0.05
RELATIVE_LEVEL = 0.95
_RESAMPLES = 400

Effort: TypeAlias = Literal["time", "runs"]
Kind: TypeAlias = Literal["loss", "worst", "relative"]


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function: `value[i]` holds from `at[i]` on; the first `at` is 0."""

    at: Array
    value: Array

    def reached(self, level: float, *, above: bool = False) -> float | None:
        """From where on the value stays at or below the level (or above it); None: never."""
        good = self.value >= level - 1e-12 if above else self.value <= level + 1e-12
        bad = np.flatnonzero(~good)
        last = int(bad[-1]) + 1 if len(bad) else 0
        return float(self.at[last]) if last < len(self.at) else None

    def on(self, grid: Array) -> Array:
        """The values at these places, which are 0 or more."""
        return np.asarray(self.value[np.searchsorted(self.at, grid, side="right") - 1], float)


@dataclass(frozen=True)
class TenantScore:
    """How a rule did; shares are of the test users' total run time, or of their models.

    Attributes:
        to_loss: When the mean of the average loss stays at or below a level.
        interval: 95 % of it, by the bootstrap over repeats.
        runs_to_loss: The same, counted in models.
        worst_to_loss: The mean over repeats of when every user's loss is at or below 0.05.
        to_relative: When the mean relative accuracy stays at or above 0.95.
        decisions: Picks in a repeat.
        seconds_per_decision: Computing time of a pick, the telling included.
        repeats: How many there were.
        regret: The means of the cumulative regrets R_T ("last") and R'_T ("best") of section 5.1,
            "until" the share of the run time that all of the race has lasted for.
    """

    to_loss: dict[str, float | None]
    interval: dict[str, tuple[float | None, float | None]]
    runs_to_loss: dict[str, float | None]
    worst_to_loss: dict[str, float]
    to_relative: dict[str, float | None]
    decisions: float
    seconds_per_decision: float
    repeats: int
    regret: dict[str, float] = field(default_factory=dict)


def score(runs: Sequence[Run], until: float | None = None) -> TenantScore:
    """The measures of one rule; its regrets until a share of the run time, or all have lasted."""
    loss = mean([steps(run, "time", "loss") for run in runs])
    by_runs = mean([steps(run, "runs", "loss") for run in runs])
    relative = mean([steps(run, "time", "relative") for run in runs])
    worst = [steps(run, "time", "worst").reached(WORST_LEVEL) for run in runs]
    decisions = sum(run.decisions for run in runs)
    shared = _lasted(runs) if until is None else until
    last, best = np.mean([regrets(run.top, run.plays, shared) for run in runs], axis=0)
    return TenantScore(
        to_loss={f"{level:g}": loss.reached(level) for level in LEVELS},
        interval={f"{level:g}": ends for level, ends in _intervals(runs).items()},
        runs_to_loss={f"{level:g}": by_runs.reached(level) for level in LEVELS},
        worst_to_loss={
            f"{WORST_LEVEL:g}": float(np.mean([1.0 if w is None else w for w in worst]))
        },
        to_relative={f"{RELATIVE_LEVEL:g}": relative.reached(RELATIVE_LEVEL, above=True)},
        decisions=decisions / len(runs),
        seconds_per_decision=sum(run.seconds for run in runs) / max(decisions, 1),
        repeats=len(runs),
        regret={"until": shared, "last": float(last), "best": float(best)},
    )


def scores(races: Mapping[str, Sequence[Run]]) -> dict[str, TenantScore]:
    """The measures of all rules; regrets until the share that all of them have lasted for."""
    until = min((_lasted(runs) for runs in races.values()), default=0.0)
    return {rule: score(runs, until) for rule, runs in races.items()}


def regrets(top: Array, plays: Array, until: float = np.inf) -> tuple[float, float]:
    """The cumulative regrets R_T and R'_T of section 5.1.

    In each round every user lacks what the last model of theirs lacks (R_T), or the best one so far
    (R'_T, as ease.ml answers with it); a user without a model lacks all. A round weighs its cost.

    Args:
        top: (n,) the best that each user can have.
        plays: (T, 4) the rounds: when each ended, its cost, its user, and what it measured.
        until: Rounds that ended later do not count.
    """
    last, best, total = np.zeros(len(top)), np.zeros(len(top)), np.zeros(2)
    for at, cost, user, accuracy in plays:
        if at > until + 1e-12:
            break
        place = int(user)
        # A slice may beat every model at the full data; nobody lacks less than nothing.
        last[place] = min(accuracy, top[place])
        best[place] = max(best[place], last[place])
        total += cost * np.array([(top - last).sum(), (top - best).sum()])
    return float(total[0]), float(total[1])


def _lasted(runs: Sequence[Run]) -> float:
    """The share of the run time that every repeat has lasted for."""
    return min((float(run.plays[-1, 0]) if len(run.plays) else 0.0 for run in runs), default=0.0)


def steps(run: Run, effort: Effort, kind: Kind) -> Steps:
    """One repeat: the average or worst loss, or the average relative accuracy, over users.

    A user without a model has the accuracy 0.
    """
    best = np.zeros((len(run.user) + 1, len(run.top)))
    for step, (user, accuracy) in enumerate(zip(run.user.astype(int), run.best, strict=True)):
        best[step + 1] = best[step]
        # A slice may beat every model at the full data; a loss is never below 0.
        best[step + 1, user] = min(accuracy, run.top[user])
    at = np.concatenate([[0.0], run.time if effort == "time" else run.runs])
    if kind == "relative":
        # Whoever can reach nothing has reached all of it.
        share = np.divide(best, run.top, out=np.ones_like(best), where=run.top > 0)
        return Steps(at, share.mean(axis=1))
    losses = run.top - best
    return Steps(at, losses.max(axis=1) if kind == "worst" else losses.mean(axis=1))


def mean(curves: Sequence[Steps]) -> Steps:
    """The mean of step functions, exact at every step of each."""
    at = np.concatenate([curve.at for curve in curves])
    jump = np.concatenate([np.diff(curve.value, prepend=0.0) for curve in curves]) / len(curves)
    order = np.argsort(at, kind="stable")
    at, value = at[order], np.cumsum(jump[order])
    last = np.append(np.diff(at) > 0, True)
    return Steps(at[last], value[last])


def highest(curves: Sequence[Steps], grid: Array) -> Array:
    """The highest of the curves at each place of the grid: the worst case over repeats."""
    return np.asarray(np.max([curve.on(grid) for curve in curves], axis=0), float)


def _intervals(runs: Sequence[Run]) -> dict[float, tuple[float | None, float | None]]:
    """95 % intervals of when a level is reached, resampling whole repeats."""
    curves = [steps(run, "time", "loss") for run in runs]
    at = np.concatenate([curve.at for curve in curves])
    jump = np.concatenate([np.diff(curve.value, prepend=0.0) for curve in curves])
    owner = np.repeat(np.arange(len(curves)), [len(curve.at) for curve in curves])
    order = np.argsort(at, kind="stable")
    rng, count = np.random.default_rng(0), len(runs)
    times: dict[float, list[float]] = {level: [] for level in LEVELS}
    for _ in range(_RESAMPLES):
        weight = np.bincount(rng.integers(count, size=count), minlength=count) / count
        value = np.cumsum(jump[order] * weight[owner[order]])
        for level in LEVELS:
            bad = np.flatnonzero(value > level + 1e-12)
            after = int(bad[-1]) + 1 if len(bad) else 0
            times[level].append(float(at[order][after]) if after < len(at) else np.inf)
    return {level: _ends(listed) for level, listed in times.items()}


def _ends(listed: list[float]) -> tuple[float | None, float | None]:
    ranked = sorted(listed)
    low, high = ranked[int(0.025 * len(ranked))], ranked[int(0.975 * len(ranked))]
    return None if np.isinf(low) else low, None if np.isinf(high) else high
