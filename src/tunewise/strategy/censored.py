"""What trials teach that a limit stopped: they would have taken more than they had.

A lower bound is no measurement, but it is known to lie below one. The belief without the stopped
trials says how far above the bound the full value is to be expected (the mean of a normal
distribution cut off at the bound); that is learned as if it had been measured.
"""

from typing import TYPE_CHECKING

import numpy as np

from tunewise.history import Observations
from tunewise.surrogate import Normal
from tunewise.surrogate.normal import Array

if TYPE_CHECKING:
    from tunewise.strategy.belief import MetricBelief
    from tunewise.strategy.candidates import Candidates


def mean_above(believed: Normal, bound: Array) -> Array:
    """The expectation of a normal variable that is known to be above a bound, (n,)."""
    from scipy.special import log_ndtr

    mean, std = np.asarray(believed.mean, float), np.maximum(np.asarray(believed.std, float), 1e-9)
    z = (bound - mean) / std
    # In logarithms: far above the mean both the density and the tail vanish, their ratio does not.
    hazard = np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-z))
    return np.asarray(np.maximum(mean + std * hazard, bound), float)


def with_bounds(
    belief: "MetricBelief", stopped: "Candidates", seen: Observations, bounds: Observations
) -> Observations:
    """What was seen of a metric, and what is to be expected beyond the bounds of stopped trials."""
    bound = belief.scale.forward(bounds.values)
    values = belief.scale.backward(mean_above(belief.predict(stopped, bounds.fractions), bound))
    return Observations(
        [*seen.configs, *bounds.configs],
        np.concatenate([seen.fractions, bounds.fractions]),
        np.concatenate([seen.values, np.maximum(values, bounds.values)]),
        np.concatenate([seen.deviations, bounds.deviations]),
    )
