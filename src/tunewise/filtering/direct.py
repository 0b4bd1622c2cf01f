"""DIRECT (Jones and others, 1993): divide the cube where its parts may hold the best value."""

import numpy as np

from tunewise.filtering.filter import Cheap, Index, Score, how_many
from tunewise.filtering.snapping import Snapping
from tunewise.surrogate.normal import Array


def by_direct(
    points: Array, score: Score, cheap: Cheap, share: float, rng: np.random.Generator
) -> Index:
    """The candidates nearest to where DIRECT evaluates the acquisition."""
    from scipy.optimize import direct

    budget = how_many(share, len(points))
    if budget == len(points):
        return np.arange(budget)
    snapping, worst = Snapping(points, budget), 0.0

    def loss(place: Array) -> float:
        nonlocal worst
        if not snapping.left:
            return worst
        value = -float(score(np.array([snapping.take(place)]))[0])
        # Infinities have no slope to divide by: they are as bad as what was seen.
        value = value if np.isfinite(value) else worst
        worst = max(worst, value)
        return value

    bounds = [(0.0, 1.0)] * points.shape[1]
    direct(
        loss, bounds, maxfun=budget, maxiter=budget, vol_tol=0.0, len_tol=0.0, locally_biased=False
    )
    return snapping.taken(rng)
