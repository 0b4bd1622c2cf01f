"""Constrained expected accuracy (TrimTuner, section III-B).

A rough but cheap stand-in for what a trial teaches about the best feasible config: how good it is
itself.
"""

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.choice import highest_few
from tunewise.filtering.filter import Cheap, Index, Score, how_many
from tunewise.surrogate.normal import Array, Normal


def cea(value: Normal | ArrayLike, feasible: ArrayLike) -> Array:
    """Predicted accuracy times the probability that all constraints hold (equation 6), (n,).

    Any other value that should be large will do. A product with a probability makes sense for
    values from 0 up only, so where some are negative the lowest counts as 0.
    """
    predicted = np.asarray(value.mean if isinstance(value, Normal) else value, float)
    lowest = min(float(predicted.min(initial=0.0)), 0.0)
    return np.asarray((predicted - lowest) * np.asarray(feasible, float), float)


def highest_cea(
    points: Array, score: Score, cheap: Cheap, share: float, rng: np.random.Generator
) -> Index:
    """The share of the candidates whose cheap value is highest; chance decides between equals."""
    count = how_many(share, len(points))
    if count == len(points):
        return np.arange(count)
    return highest_few(cheap(), count, rng.random(len(points)))
