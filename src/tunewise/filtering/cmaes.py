"""CMA-ES (Hansen and Ostermeier, 2001): a normal distribution that moves to where values rise."""

import numpy as np

from tunewise.filtering.filter import Cheap, Index, Score, how_many
from tunewise.filtering.snapping import Snapping
from tunewise.surrogate.normal import Array

_SIGMA = 0.3
"""Deviation to begin with: a third of the cube's side covers most of it from the middle."""


def by_cmaes(
    points: Array, score: Score, cheap: Cheap, share: float, rng: np.random.Generator
) -> Index:
    """The candidates nearest to those that CMA-ES samples, restarted when it has converged."""
    budget = how_many(share, len(points))
    if budget == len(points):
        return np.arange(budget)
    # The package wants two dimensions or more.
    wide = points if points.shape[1] > 1 else np.column_stack([points, np.full(len(points), 0.5)])
    snapping, middle = Snapping(wide, budget), np.full(wide.shape[1], 0.5)
    while snapping.left:
        _climb(snapping, score, middle, int(rng.integers(2**31)))
        middle = rng.random(len(middle))
    return snapping.taken(rng)


def _climb(snapping: Snapping, score: Score, mean: Array, seed: int) -> None:
    """One run, until it has converged, finds nothing new, or the budget is spent."""
    from cmaes import CMA

    bounds = np.array([[0.0, 1.0]] * len(mean))
    search = CMA(mean=mean, sigma=_SIGMA, bounds=bounds, seed=seed)
    snapping.misses = 0
    while snapping.left and snapping.misses < search.population_size and not search.should_stop():
        size = min(search.population_size, snapping.left)
        places = [search.ask() for _ in range(size)]
        values = score(np.array([snapping.take(place) for place in places]))
        if size == search.population_size:
            search.tell([(place, -float(v)) for place, v in zip(places, values, strict=True)])
