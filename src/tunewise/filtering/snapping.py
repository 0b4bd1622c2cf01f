"""Lets optimisers of continuous functions search among candidates."""

import numpy as np

from tunewise.filtering.filter import Index
from tunewise.surrogate.normal import Array

_FIRST_LOOK = 8
"""How many neighbours are looked at before more are."""
_MANY = 20_000
"""Candidates from which on one that is up to `_SLACK` times farther away serves as well."""
_SLACK = 1.5
"""Looking for the very nearest takes several times as long there. Not tuned for quality."""


class Snapping:
    """Hands out the candidates nearest to where an optimiser looks, each once.

    Args:
        points: (n, d) the candidates.
        budget: How many may be handed out.

    Attributes:
        left: How many may still be handed out.
        misses: How many places in a row had lost their own candidate to an earlier one.
    """

    def __init__(self, points: Array, budget: int) -> None:
        """Sort the candidates by place."""
        from scipy.spatial import KDTree

        # Grids have many equal coordinates, at which balancing the tree would take long.
        self._tree = KDTree(points, balanced_tree=False, compact_nodes=False)
        self._slack = 0.0 if len(points) < _MANY else _SLACK - 1
        self._free = np.ones(len(points), bool)
        self.left = budget
        self.misses = 0

    def take(self, place: Array) -> int:
        """The number of the candidate nearest to a place (d,) among those not yet taken."""
        look = _FIRST_LOOK
        while True:
            ranks = np.arange(1, min(look, len(self._free)) + 1)
            _, near = self._tree.query(place, k=ranks, eps=self._slack)
            free = near[self._free[near]]
            if len(free):
                break
            look *= 4
        self.misses = 0 if free[0] == near[0] else self.misses + 1
        self.left -= 1
        self._free[free[0]] = False
        return int(free[0])

    def taken(self, rng: np.random.Generator) -> Index:
        """All candidates handed out, filled up at random to the budget, ascending."""
        rest = rng.permutation(np.flatnonzero(self._free))[: self.left]
        return np.sort(np.append(np.flatnonzero(~self._free), rest))
