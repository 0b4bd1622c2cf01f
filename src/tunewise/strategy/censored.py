"""What trials teach that a limit stopped: they would have taken more than they had.

A lower bound is no measurement, but it is known to lie below one. The belief without the stopped
trials says how far above the bound the full value is to be expected (the mean of a normal
distribution cut off at the bound); that is learned as if it had been measured.
"""

from typing import TYPE_CHECKING

import numpy as np

from tunewise.history import Observations

if TYPE_CHECKING:
    from tunewise.strategy.belief import MetricBelief
    from tunewise.strategy.candidates import Candidates


def with_bounds(
    belief: "MetricBelief", stopped: "Candidates", seen: Observations, bounds: Observations
) -> Observations:
    """What was seen of a metric, and what is to be expected beyond the bounds of stopped trials."""
    bound = belief.scale.forward(bounds.values)
    values = belief.scale.backward(belief.predict(stopped, bounds.fractions).mean_above(bound))
    return Observations(
        [*seen.configs, *bounds.configs],
        np.concatenate([seen.fractions, bounds.fractions]),
        np.concatenate([seen.values, np.maximum(values, bounds.values)]),
        np.concatenate([seen.deviations, bounds.deviations]),
    )
