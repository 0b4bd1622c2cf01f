"""Candidates by chance: the filter that every other one must beat."""

import numpy as np

from tunewise.filtering.filter import Cheap, Index, Score, how_many
from tunewise.surrogate.normal import Array


def at_random(
    points: Array, score: Score, cheap: Cheap, share: float, rng: np.random.Generator
) -> Index:
    """A share of the candidates, all equally likely."""
    return np.sort(rng.permutation(len(points))[: how_many(share, len(points))])
