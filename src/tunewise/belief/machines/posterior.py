"""The posterior over a pool of clusters when the least cost, or time, within limits is wanted.

Everything is a logarithm: times are uncertain by an ensemble, prices by a normal, and a cost is the
sum of both.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.grid import Grid, Index
from tunewise.belief.machines.ensemble import EnsembleBelief
from tunewise.belief.machines.evidence import Times, priced, prices
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.wanted import Wanted
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate.normal import TIE, Array, Normal, from_log

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MachinePosterior:
    """The belief about a pool of n configs on the full data, given a history.

    Attributes:
        problem: What is wanted.
        history: What was measured.
        pool: The configs, with what is believed before anything is measured.
        wanted: What is minimised, within which limits.
        open: (m,) positions of the configs that may be run.
        grace: How much longer than one that has lost a trial may run; None: all run on.
        waiting: Trials that are assumed to have come out as expected.
    """

    problem: Problem
    history: History
    pool: MachinePool
    wanted: Wanted
    open: Index
    grace: float | None
    waiting: tuple[tuple[Config, float], ...] = ()

    def assuming(self, waiting: Iterable[tuple[Config, float]]) -> "MachinePosterior":
        """The posterior once these trials had come out as expected."""
        trials = tuple(waiting)
        taken = np.array([self.pool.at(c) for c, s in trials if s == 1.0], np.intp)
        return replace(self, waiting=trials, open=np.setdiff1d(self.open, taken))

    @property
    def grid(self) -> Grid:
        """The pool on the full data."""
        return self.pool.grid

    @cached_property
    def awaited(self) -> list[int]:
        """Positions of what is assumed to have come out as expected."""
        return [self.pool.at(config) for config, s in self.waiting if s == 1.0]

    @cached_property
    def price(self) -> Normal:
        """Log USD per second, (n,)."""
        return prices(self.problem, self.history, self.pool.place, self.pool.prices)

    @cached_property
    def seen(self) -> Times:
        """Log seconds that were measured, or passed until a trial was stopped."""
        return Times.of(self.problem, self.history, self.pool.place, self.price, self.wanted.time)

    @cached_property
    def times(self) -> EnsembleBelief:
        """Log seconds."""
        return self.seen.believed(self.pool.ensemble, self.awaited)

    @property
    def stopped_early(self) -> Index:
        """Positions of configs that were stopped, and may have won after all, as is known by now.

        A stop rests on what a second is believed to cost. Its own bill tells what it does cost.
        """
        if self.grace is None:
            return np.empty(0, np.intp)
        seen, stop = self.seen, self._stop(self.grace)
        # Only for longer by as much again: less tells little, and is paid for from the beginning.
        early = seen.stopped & (seen.log_time + math.log(self.grace) < stop[seen.at])
        return seen.at[early]

    @cached_property
    def best(self) -> float:
        """Logarithm of the incumbent's objective, infinite while there is none."""
        return self.wanted.incumbent(self.problem, self.history)

    @property
    def least(self) -> Array:
        """Logarithm of the USD that the shortest trial of each config is billed, (n,)."""
        least: Array = self.pool.prices.least
        return least

    @property
    def log_price(self) -> Array:
        """The expected log USD per second, (n,)."""
        return np.asarray(self.price.mean, float)

    @property
    def per_second(self) -> Array:
        """What turns log seconds to the log objective, (n,)."""
        return self.log_price if self.wanted.cheapest else np.zeros(len(self.log_price))

    @property
    def floor(self) -> Array:
        """What the log objective is at least, (n,)."""
        return self.least if self.wanted.cheapest else np.full(len(self.least), -np.inf)

    def samples(self, rng: np.random.Generator) -> tuple[Array, Mask]:
        """Joint samples of the log objective (h, s, n), and whether each keeps the limits."""
        time = self.times.samples
        doubt = np.asarray(self.price.std) * rng.standard_normal((1, time.shape[1], 1))
        cost = np.maximum(time + self.log_price + doubt, self.least)
        kept = (time <= self.wanted.time) & (cost <= self.wanted.cost)
        return (cost if self.wanted.cheapest else time), kept

    @property
    def feasible(self) -> Array:
        """The probability that a new training of each config keeps all limits, (n,)."""
        return self.times.below(self.wanted.lost_after(self.log_price, math.inf))

    @cached_property
    def spending(self) -> Array:
        """Expected USD of a trial of each config, (n,), up to where it would be stopped."""
        return np.maximum(self._by_the_second(), from_log(self.least))

    def _by_the_second(self) -> Array:
        from scipy.special import ndtr

        mean, variance, price = self.times.mean, self.times.variance, self.log_price
        if self.grace is None:
            doubt = variance + np.asarray(self.price.std) ** 2
            whole = from_log(price + mean + 0.5 * doubt)
            return np.asarray(self.times.weights @ whole, float)
        stop, std = self._stop(self.grace), np.sqrt(variance)
        a = (stop - mean) / std
        ended = from_log(price + mean + 0.5 * variance) * ndtr(a - std)
        return np.asarray(self.times.weights @ (ended + np.exp(price + stop) * ndtr(-a)), float)

    def _stop(self, grace: float) -> Array:
        """Log seconds after which a trial of each config would be stopped, (n,)."""
        stop = self.wanted.stopped_after(self.price, self.best, grace)
        return np.asarray(np.minimum(stop, 60.0 - self.log_price), float)

    def payable(self, usd: float) -> Mask:
        """Whether so many USD pay for the shortest trial of each config, (n,)."""
        return np.asarray(self.least <= math.log(max(usd, 1e-300)) + TIE, bool)

    def within(self, usd: float) -> Array:
        """The probability that a trial of each config costs no more than so many USD, (n,).

        It does for sure where even a trial that is stopped costs less, and never where the shortest
        one is billed more.
        """
        if usd <= 0:
            return np.zeros(len(self.log_price))
        std = np.sqrt(self.times.variance + np.asarray(self.price.std) ** 2)
        ended = Normal(self.times.mean + self.log_price, std).probability_below(math.log(usd))
        probability = np.where(self.payable(usd), self.times.weights @ ended, 0.0)
        if self.grace is None:
            return probability
        stopped = Normal(self.log_price + self._stop(self.grace), self.price.std)
        in_time = np.where(self.payable(usd), stopped.probability_below(math.log(usd)), 0.0)
        return np.asarray(np.maximum(probability, in_time), float)

    @property
    def told(self) -> bool:
        """Whether something was measured, and costs are told at all."""
        return any(t.metrics for t in self.history) and priced(self.problem, self.history)

    def expected_usd(self, trial: int) -> float | None:
        """What a trial is expected to cost, None where costs are not told."""
        return float(self.spending[trial]) if priced(self.problem, self.history) else None
