"""What a trial of each config is worth when the least cost, or time, within limits is wanted.

Everything is a logarithm: times are uncertain by an ensemble, prices by a normal, and a cost is the
sum of both. A config is worth the probability that it is (nearly) the best feasible one of those
untried and better than the incumbent; a little expected improvement tells apart what no sample has
as its optimum.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.surrogate.finite_gaussian import Positions
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.prior_ensemble import EnsembleBelief

_NEARLY = np.log(1.1)
"""A config that costs 10 % more than the best one is as good."""
_IMPROVEMENT = 0.02
_NOISE = 1e-9
_LARGE = 50.0
"""The logarithm of more seconds or USD than anybody has."""

Mask = NDArray[np.bool_]


class Wanted(NamedTuple):
    """The least cost or time, and the logarithms of the limits on both (infinite without one)."""

    cheapest: bool
    time: float
    cost: float

    @classmethod
    def of(cls, problem: Problem) -> "Wanted | None":
        """None where something else is wanted, too."""
        known = problem.objective in ("cost", "time") and not problem.maximize
        limits = {"time": math.inf, "cost": math.inf}
        for constraint in problem.constraints:
            if constraint.metric not in limits or constraint.sign != "<=":
                return None
            limits[constraint.metric] = min(limits[constraint.metric], math.log(constraint.bound))
        if not known or problem.deploy != "full":
            return None
        return cls(problem.objective == "cost", limits["time"], limits["cost"])

    def incumbent(self, problem: Problem, history: History) -> float:
        """Logarithm of the best objective that was measured, infinite while there is none."""
        at_full = History(t for t in history.complete if t.fraction == 1.0)
        best = at_full.best(problem)
        return math.inf if best is None else math.log(max(best.metrics[problem.objective], 1e-12))

    def hopeless(self, log_price: Array, best: float) -> Array:
        """Log seconds beyond which configs of these prices break a limit or lose to the best."""
        dearest = np.minimum(self.cost, best if self.cheapest else math.inf) - log_price
        slowest = self.time if self.cheapest else min(self.time, best)
        return np.asarray(np.minimum(dearest, slowest), float)


@dataclass(frozen=True, eq=False)
class Prospect:
    """The belief about a pool of n configs.

    Attributes:
        wanted: What is minimised, within which limits.
        times: Of log seconds.
        price: Of log USD per second, (n,).
        best: Logarithm of the incumbent's objective.
        grace: How much longer than hopeless a trial may run; None where no trial is stopped.
        least: Of the USD that the shortest trial of each config is billed, (n,).
    """

    wanted: Wanted
    times: EnsembleBelief
    price: Normal
    best: float
    grace: float | None
    least: Array

    @property
    def _log_price(self) -> Array:
        return np.asarray(self.price.mean, float)

    @property
    def _per_second(self) -> Array:
        """What turns log seconds to the log objective, (n,)."""
        return self._log_price if self.wanted.cheapest else np.zeros(len(self._log_price))

    @property
    def _floor(self) -> Array:
        """What the log objective is at least, (n,)."""
        return self.least if self.wanted.cheapest else np.full(len(self.least), -np.inf)

    def score(self, open_: Mask, rng: np.random.Generator) -> Array:
        """What a trial of each open config is worth per USD, (n,); -inf for all others."""
        at = np.flatnonzero(open_)
        worth = self._promise(open_, rng)[at] + _IMPROVEMENT * self.improvement(at) + 1e-6
        score = np.full(len(open_), -np.inf)
        score[at] = worth / self.spending()[at]
        return score

    def _promise(self, open_: Mask, rng: np.random.Generator) -> Array:
        """P(nearly the best feasible open config, and better than the incumbent), (n,)."""
        time = self.times.samples
        doubt = np.asarray(self.price.std) * rng.standard_normal((1, time.shape[1], 1))
        cost = np.maximum(time + self._log_price + doubt, self.least)
        objective = cost if self.wanted.cheapest else time
        kept = (time <= self.wanted.time) & (cost <= self.wanted.cost) & open_
        objective = np.where(kept, objective, np.inf)
        near = objective <= objective.min(2, keepdims=True) + _NEARLY
        near &= kept & (objective < self.best)
        return np.asarray(np.einsum("h,hsn->n", self.times.weights, near) / time.shape[1], float)

    def improvement(self, at: Positions) -> Array:
        """E[(1 - objective / incumbent)+; limits hold] of configs at positions, (m,)."""
        from scipy.special import ndtr

        mean, std = self.times.mean[:, at], np.sqrt(self.times.variance[:, at])
        price = self._per_second[at]
        best = self.best
        if not math.isfinite(best):
            best = float((price + self.times.weights @ mean).max(initial=-_LARGE))
            best = max(best, float(self._floor[at].max(initial=-_LARGE)))
        a = (self.wanted.hopeless(self._log_price[at], best) - mean) / std
        lost = np.exp(np.minimum(price - best + mean + 0.5 * std**2, _LARGE)) * ndtr(a - std)
        gain = self.times.weights @ np.maximum(ndtr(a) - lost, 0.0)
        most = -np.expm1(np.minimum(self._floor[at] - best, 0.0))
        return np.where(self.least[at] > self.wanted.cost, 0.0, np.minimum(gain, most))

    def spending(self) -> Array:
        """Expected USD of a trial of each config, (n,), up to where it would be stopped."""
        return np.maximum(self._by_the_second(), np.exp(np.minimum(self.least, _LARGE)))

    def _by_the_second(self) -> Array:
        from scipy.special import ndtr

        mean, variance, price = self.times.mean, self.times.variance, self._log_price
        if self.grace is None:
            doubt = variance + np.asarray(self.price.std) ** 2
            whole = np.exp(np.minimum(price + mean + 0.5 * doubt, _LARGE))
            return np.asarray(self.times.weights @ whole, float)
        stop, std = self._stop(self.grace), np.sqrt(variance)
        a = (stop - mean) / std
        ended = np.exp(np.minimum(price + mean + 0.5 * variance, _LARGE)) * ndtr(a - std)
        return np.asarray(self.times.weights @ (ended + np.exp(price + stop) * ndtr(-a)), float)

    def _stop(self, grace: float) -> Array:
        """Log seconds after which a trial of each config would be stopped, (n,)."""
        stop = math.log(grace) + self.wanted.hopeless(self._log_price, self.best)
        return np.asarray(np.minimum(stop, _LARGE - self._log_price), float)

    def payable(self, usd: float) -> Mask:
        """Whether so many USD pay for the shortest trial of each config, (n,)."""
        return np.asarray(self.least <= math.log(max(usd, 1e-300)) + _NOISE, bool)

    def within(self, usd: float) -> Array:
        """The probability that a trial of each config costs no more than so many USD, (n,).

        It does for sure where even a trial that is stopped costs less, and never where the shortest
        one is billed more.
        """
        if usd <= 0:
            return np.zeros(len(self._log_price))
        std = np.sqrt(self.times.variance + np.asarray(self.price.std) ** 2)
        ended = Normal(self.times.mean + self._log_price, std).probability_below(math.log(usd))
        probability = np.where(self.payable(usd), self.times.weights @ ended, 0.0)
        if self.grace is None:
            return probability
        stopped = Normal(self._log_price + self._stop(self.grace), self.price.std)
        in_time = np.where(self.payable(usd), stopped.probability_below(math.log(usd)), 0.0)
        return np.asarray(np.maximum(probability, in_time), float)
