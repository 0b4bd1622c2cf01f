"""What the full data will look like once a candidate was measured.

An outlook joins what observing each of c candidates would do to the objective and to every
limit at t targets, the configs that could be recommended. Acquisitions that look one step ahead
(entropy search, knowledge gradient) are short sums over it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.acquisition.choice import even_chances, told_apart
from tunewise.surrogate import Array, Fantasy, Normal


@dataclass(frozen=True, eq=False)
class Aim:
    """One metric at the targets: what would be measured there, now and after each candidate.

    What the surrogate calls noise is taken to belong to the config: a target that was measured, or
    is the candidate itself, is known exactly, and all others may still deviate by that much.

    Attributes:
        fantasy: What observing each candidate does to the metric at the targets.
        noise: Standard deviation of a measurement around the metric.
        known: (t,) what was measured at targets, NaN where nothing was.
        same: Which candidates are which targets, as two equally long lists of numbers.
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
        """The same once each candidate came out `node` deviations above expectation, (c, t)."""
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
class Limit:
    """A constraint at the targets: the metric stays at or below `bound` (t,), or above it."""

    aim: Aim
    bound: Array
    below: bool

    def probability(self, believed: Normal) -> Array:
        """The probability that the limit holds for beliefs (..., t)."""
        if self.below:
            return believed.probability_below(self.bound)
        return believed.probability_above(self.bound)

    def now(self) -> Array:
        """The probability that it holds at each target, (t,)."""
        return self.probability(self.aim.now())

    def after(self, node: float) -> Array:
        """The same once each candidate came out `node` deviations above expectation, (c, t)."""
        return self.probability(self.aim.after(node))


@dataclass(frozen=True, eq=False)
class Outlook:
    """The objective and all limits, now and after each candidate.

    Attributes:
        objective: What each candidate would do to the objective at the targets.
        limits: The same for each constraint; they are independent.
        utility: From beliefs about the objective to what they are worth: more is better.
    """

    objective: Aim
    limits: Sequence[Limit]
    utility: Callable[[Normal], Array]

    def value_now(self) -> Array:
        """What each target is worth, limits aside, (t,)."""
        return self.utility(self.objective.now())

    def value_after(self, node: float) -> Array:
        """The same once each candidate came out `node` deviations above expectation, (c, t)."""
        return self.utility(self.objective.after(node))

    def feasible_now(self) -> Array:
        """The probability that all limits hold at each target, (t,)."""
        probability = np.ones(len(self.objective.fantasy.target_mean))
        for limit in self.limits:
            probability = probability * limit.now()
        return probability

    def feasible_after(self, nodes: Sequence[float]) -> Array:
        """The same once each candidate's limits came out at these nodes, one a limit: (c, t)."""
        probability = np.ones_like(self.objective.fantasy.gain)
        for limit, node in zip(self.limits, nodes, strict=True):
            probability *= limit.after(node)
        return probability


def roots(count: int) -> tuple[Array, Array]:
    """Nodes and weights of Gauss-Hermite quadrature for a standard normal outcome."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()


def combinations(count: int, limits: int) -> Iterator[tuple[float, tuple[float, ...]]]:
    """Weights and nodes of the outcomes of several limits, which are independent."""
    nodes, weights = roots(count)
    for index in np.ndindex(*(count,) * limits):
        yield float(np.prod(weights[list(index)])), tuple(float(nodes[i]) for i in index)


def incumbent(value: Array, feasible: Array, least: float) -> Array:
    """The target that would be recommended, for each row of beliefs (..., t): (...,).

    The best among those feasible with probability `least` or more; where there is none, the most
    probably feasible.
    """
    chance = even_chances(value.shape[-1])
    allowed = told_apart(np.where(feasible >= least, value, -np.inf), chance)
    best, safest = allowed.argmax(-1), told_apart(feasible, chance).argmax(-1)
    return np.asarray(np.where(np.isfinite(allowed.max(-1)), best, safest))
