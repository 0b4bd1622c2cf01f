"""What trials teach that were stopped: their metric lies above what they had spent by then.

A lower bound is no measurement, but it says as much as some measurement with some doubt would.
Which one, follows from what is believed without it: the belief, cut off at the bound, has a mean
and a deviation of its own, and the measurement is the one that leads there (expectation
propagation).
Several rounds let the bounds teach about each other: where many configs are pruned, configs
differ more than those that ended say.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.machines.prices import UNKNOWN
from tunewise.belief.metric_belief import MetricBelief
from tunewise.history import Observations
from tunewise.problem import Problem
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import TINY


@dataclass(frozen=True, eq=False)
class Sites:
    """The measurements that stand for bounds: values (m,) and variances (m,), infinite for none."""

    mean: Array
    variance: Array


def with_bounds(
    problem: Problem,
    learned: Callable[[Observations], MetricBelief],
    seen: Observations,
    bounds: Observations,
    rounds: int,
) -> MetricBelief:
    """The belief of what was seen of a metric and of what stopped trials had spent of it.

    Args:
        problem: What is wanted.
        learned: Makes a belief of observations.
        seen: What was measured.
        bounds: What stopped trials had spent.
        rounds: How often the bounds teach about each other.
    """
    belief, stopped = learned(seen), Candidates.of(problem, bounds.configs)
    sites = Sites(np.zeros(len(bounds)), np.full(len(bounds), np.inf))
    for _ in range(rounds):
        sites = _moved(belief, stopped, bounds, sites)
        belief = learned(_joined(belief, seen, bounds, sites))
    return belief


def _moved(belief: MetricBelief, stopped: Candidates, bounds: Observations, sites: Sites) -> Sites:
    """The measurements that lead from the belief without each bound to the one cut off at it."""
    now = belief.predict(stopped, bounds.fractions)
    mean, variance = np.asarray(now.mean, float), np.asarray(now.std, float) ** 2
    precision = np.maximum(1 / np.maximum(variance, TINY) - 1 / sites.variance, TINY)
    moment = mean / np.maximum(variance, TINY) - _over(sites.mean, sites.variance)
    without = Normal(moment / precision, precision**-0.5)
    cut = without.above(belief.scale.forward(bounds.values))
    gained = np.maximum(np.asarray(cut.std, float) ** -2.0 - precision, 1e-12)
    at = (np.asarray(cut.mean) * np.asarray(cut.std) ** -2.0 - moment) / gained
    return Sites(np.asarray(at, float), 1 / gained)


def _over(mean: Array, variance: Array) -> Array:
    return np.where(np.isfinite(variance), mean / np.where(np.isfinite(variance), variance, 1), 0)


def _joined(
    belief: MetricBelief, seen: Observations, bounds: Observations, sites: Sites
) -> Observations:
    kept = np.flatnonzero(sites.variance < UNKNOWN**2)  # what is vaguer says nothing
    values = belief.scale.backward(sites.mean[kept])
    # The surrogate adds the noise of a measurement, which a bound has not.
    noise = belief.surrogate.noise_
    doubt = np.sqrt(np.maximum(sites.variance[kept] - noise**2, TINY))
    return Observations(
        [*seen.configs, *(bounds.configs[i] for i in kept)],
        np.concatenate([seen.fractions, bounds.fractions[kept]]),
        np.concatenate([seen.values, values]),
        np.concatenate([seen.deviations, doubt / belief.scale.slope(values)]),
    )
