"""The probability of being the cheapest cluster, per USD: what the model of machines maximises."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunewise.acquisition.improvement import log_normal_improvement
from tunewise.belief.grid import Index
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.machines.wanted import NEARLY
from tunewise.surrogate.normal import TINY, Array, Normal


@dataclass(frozen=True)
class OptimalityPerUsd:
    """P(nearly the best feasible open config, and the incumbent is not) per USD.

    What no sample has as its optimum is told apart by its expected improvement, and then by what it
    costs.
    """

    logarithms: ClassVar[bool] = False

    def __call__(
        self, posterior: MachinePosterior, trials: Index, rng: np.random.Generator
    ) -> Array:
        """The worth of each trial, (c,)."""
        worth = promise(posterior, trials, rng) + TINY * (improvement(posterior, trials) + TINY)
        return np.asarray(worth / posterior.spending[trials], float)


def promise(posterior: MachinePosterior, trials: Index, rng: np.random.Generator) -> Array:
    """P(nearly the best feasible one of the trials, and the incumbent is not), (c,).

    Where the incumbent is nearly the best already there is nothing to find. So no money goes into
    ever smaller gains next to it.
    """
    objective, kept = posterior.samples(rng)
    objective, kept = objective[:, :, trials], kept[:, :, trials]
    objective = np.where(kept, objective, np.inf)
    nearly = objective.min(2, keepdims=True) + NEARLY
    near = kept & (objective <= nearly) & (nearly < posterior.best)
    weights = posterior.times.weights
    return np.asarray(np.einsum("h,hsn->n", weights, near) / near.shape[1], float)


def improvement(posterior: MachinePosterior, trials: Index) -> Array:
    """E[(1 - objective / incumbent)+; limits hold] of each trial, (c,)."""
    times, price = posterior.times, posterior.per_second[trials]
    mean, std = times.mean[:, trials], np.sqrt(times.variance[:, trials])
    best, floor = posterior.best, posterior.floor[trials]
    if not math.isfinite(best):
        best = float((price + times.weights @ mean).max(initial=-math.inf))
        best = max(best, float(floor.max(initial=-math.inf)))
    most = posterior.wanted.lost_after(posterior.log_price[trials], best)
    each = log_normal_improvement(Normal(price + mean, std), best, price + most)
    gain = times.weights @ each
    room = -np.expm1(np.minimum(floor - best, 0.0))
    unpaid = posterior.least[trials] > posterior.wanted.cost
    return np.where(unpaid, 0.0, np.minimum(gain, room))
