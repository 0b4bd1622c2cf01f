"""What every filter is given, and what it promises."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import StrategyError
from tunewise.surrogate.normal import Array

Index: TypeAlias = NDArray[np.intp]
Score: TypeAlias = Callable[[Index], Array]
Cheap: TypeAlias = Callable[[], Array]


class Filter(Protocol):
    """Chooses the candidates whose acquisition is worth computing."""

    def __call__(
        self, points: Array, score: Score, cheap: Cheap, share: float, rng: np.random.Generator
    ) -> Index:
        """The numbers of the chosen candidates, each once, ascending.

        Args:
            points: (n, d) the candidates in the unit cube, the fraction among the columns.
            score: The acquisition of some candidates, from their numbers (k,) to (k,): expensive.
            cheap: Makes a cheap stand-in for all n candidates, more being better, (n,).
            share: How many to choose, as a share of all in (0, 1]: at least one is chosen.
            rng: Source of all chance.
        """


def how_many(share: float, candidates: int) -> int:
    """The number of candidates that a share lets through, at least 1 (if there is any)."""
    if not 0 < share <= 1:
        raise StrategyError(f"share must be above 0 and at most 1, not {share!r}")
    return min(candidates, max(1, round(share * candidates)))
