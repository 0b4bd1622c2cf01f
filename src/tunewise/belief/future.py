"""What the full data will look like once a trial was measured, for all trials at once.

A future joins what observing each of c trials would do to the objective and to every limit at t
targets, the configs that could be recommended. Acquisitions that look one step ahead (entropy
search, knowledge gradient) are short sums over it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.grid import Grid, Index
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.posterior import Posterior
from tunewise.belief.worth import above_floor
from tunewise.history import BOOKED
from tunewise.surrogate import Array, Fantasy, Normal
from tunewise.surrogate.normal import SAMPLES, roots


@dataclass(frozen=True, eq=False)
class MetricFuture:
    """One metric at the targets: what would be measured there, now and after each trial.

    What the surrogate calls noise is taken to belong to the config: a target that was measured, or
    is the trial itself, is known exactly, and all others may still deviate by that much.

    Attributes:
        fantasy: What observing each trial does to the metric at the targets.
        noise: Standard deviation of a measurement around the metric.
        known: (t,) what was measured at targets, NaN where nothing was.
        same: Which trials are which targets, as two equally long lists of numbers.
    """

    fantasy: Fantasy
    noise: float = 0.0
    known: Array | None = None
    same: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None

    def now(self) -> Normal:
        """What would be measured at each target, (t,)."""
        std = np.sqrt(np.maximum(self.fantasy.target_var, 0.0))
        mean, std = self.fantasy.target_mean.copy(), np.hypot(std, self.noise)
        self._settle(mean, std)
        return Normal(mean, std)

    def after(self, node: float) -> Normal:
        """The same once each trial came out `node` deviations above expectation, (c, t)."""
        seen = self.fantasy.mean + node * self.fantasy.std
        believed = self.fantasy.after(seen)
        mean = np.array(believed.mean, float)
        std = np.hypot(believed.std, self.noise)
        if self.same is not None:
            rows, columns = self.same
            mean[rows, columns], std[rows, columns] = seen[rows], 0.0
        self._settle(mean, std)
        return Normal(mean, std)

    def _settle(self, mean: Array, std: Array) -> None:
        if self.known is not None:
            told = ~np.isnan(self.known)
            mean[..., told], std[..., told] = self.known[told], 0.0


@dataclass(frozen=True, eq=False)
class LimitFuture:
    """A constraint at the targets: the metric stays at or below `bound` (t,), or above it.

    It is `spent` where the metric is cost or time, which go up and down together.
    """

    metric: MetricFuture
    bound: Array
    below: bool
    spent: bool = True

    def probability(self, believed: Normal) -> Array:
        """The probability that the limit holds for beliefs (..., t)."""
        if self.below:
            return believed.probability_below(self.bound)
        return believed.probability_above(self.bound)

    def now(self) -> Array:
        """The probability that it holds at each target, (t,)."""
        return self.probability(self.metric.now())

    def after(self, node: float) -> Array:
        """The same once each trial came out `node` deviations above expectation, (c, t)."""
        return self.probability(self.metric.after(node))


@dataclass(frozen=True, eq=False)
class Future:
    """What each of c trials would do to the beliefs about t targets.

    Attributes:
        objective: What each trial would do to the objective at the targets.
        limits: The same for each constraint; they are independent.
        utility: From beliefs about the objective to what they are worth: more is better.
        sign: 1 where more of the objective is better, else -1.
        draw: Joint samples of the objective at the trials, with noise, and at the targets.
        spent: Whether the objective is cost or time.
        floor: What an answer that breaks a limit is worth: only what is more counts.
    """

    objective: MetricFuture
    limits: Sequence[LimitFuture]
    utility: Callable[[Normal], Array]
    sign: float = 1.0
    draw: Callable[[np.random.Generator], tuple[Array, Array]] | None = None
    spent: bool = False
    floor: float = 0.0

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self.objective.fantasy.mean)

    def value_after(self, node: float) -> Array:
        """What each target is worth, limits aside, once trials came out at the node, (c, t)."""
        return self.utility(self.objective.after(node))

    def gained_after(self, node: float) -> Array:
        """How much more than the floor each target is worth then, limits aside, (c, t)."""
        return above_floor(self.value_after(node), self.floor)

    def feasible_after(self, nodes: Sequence[float]) -> Array:
        """The probability that all limits hold once theirs came out at these nodes, (c, t)."""
        probability = np.ones_like(self.objective.fantasy.gain)
        for limit, node in zip(self.limits, nodes, strict=True):
            probability *= limit.after(node)
        return probability

    def samples(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Samples of the objective at the trials (s, c), as measured, and at the targets (s, t)."""
        assert self.draw is not None, "made by a posterior"
        return self.draw(rng)


def combinations(count: int, limits: int) -> Iterator[tuple[float, tuple[float, ...]]]:
    """Weights and nodes of the outcomes of several limits, which are independent."""
    nodes, weights = roots(count)
    for index in np.ndindex(*(count,) * limits):
        yield float(np.prod(weights[list(index)])), tuple(float(nodes[i]) for i in index)


def futures(posterior: Posterior, trials: Index, targets: Index) -> Future:
    """What each of the trials (c,) would do to the beliefs about the targets (t,)."""
    problem, chosen = posterior.problem, posterior.grid.candidates.at(targets)
    same = _same(posterior.grid, trials, targets)
    each = {name: _future(posterior, name, trials, targets, same) for name in problem.needed}
    limits = []
    for constraint in problem.constraints:
        believed = posterior.believed(constraint.metric)
        bound = believed.bound(constraint) - believed.offset(chosen, 1.0)
        below, spent = constraint.sign == "<=", constraint.metric in BOOKED
        limits.append(LimitFuture(each[constraint.metric], bound, below, spent))
    if posterior.learned.success is not None:
        taught = _future(posterior, "success", trials, targets, same)
        half = np.full(len(targets), 0.5)
        limits.append(LimitFuture(taught, half, below=False))
    offset = posterior.objective.offset(chosen, 1.0)
    return Future(
        each[problem.objective],
        limits,
        lambda latent: posterior.worth_of(Normal(latent.mean + offset, latent.std)),
        posterior.sign,
        lambda rng: _samples(posterior.objective, posterior.grid, trials, targets, rng),
        problem.objective in BOOKED,
        posterior.floor,
    )


def _future(
    posterior: Posterior, name: str, trials: Index, targets: Index, same: tuple[Index, Index]
) -> MetricFuture:
    """A metric at the targets, as its surrogate knows it: without offsets."""
    metric, grid = posterior.believed(name), posterior.grid
    fantasy = metric.surrogate.fantasize(grid.points(trials), grid.at_full(targets))
    if not metric.exact:
        return MetricFuture(fantasy, metric.surrogate.noise_)
    offset = metric.offset(grid.candidates.at(targets), 1.0)
    return MetricFuture(
        fantasy,
        metric.surrogate.noise_,
        posterior.known(name)[targets] - offset,
        same,
    )


def _same(grid: Grid, trials: Index, targets: Index) -> tuple[Index, Index]:
    """Which trials are targets themselves: those of their configs on the full data."""
    place = np.full(len(grid.candidates), -1)
    place[targets] = np.arange(len(targets))
    column = np.where(grid.fraction(trials) == 1.0, place[grid.config(trials)], -1)
    rows = np.flatnonzero(column >= 0)
    return rows, column[rows]


def _samples(
    objective: MetricBelief, grid: Grid, trials: Index, targets: Index, rng: np.random.Generator
) -> tuple[Array, Array]:
    """The same functions at the trials (s, c), with measurement noise, and targets (s, t)."""
    (x, s), (tx, ts) = grid.points(trials), grid.at_full(targets)
    surrogate = objective.surrogate
    drawn = surrogate.sample(np.concatenate([x, tx]), np.concatenate([s, ts]), SAMPLES, rng)
    noise = surrogate.noise_ * rng.standard_normal((SAMPLES, len(trials)))
    offset = objective.offset(grid.candidates.at(targets), 1.0)
    return drawn[:, : len(trials)] + noise, drawn[:, len(trials) :] + offset
