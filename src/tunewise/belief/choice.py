"""The choice between scores: where they are equal the seed decides, not their last digit.

Another processor computes the same scores with other last digits, and a list has an order that
means nothing. So each candidate is given a chance in [0, 1), drawn from the seed, and its score
grows by a tiny share of it. That is an order of all candidates, so it serves for the best one and
for the best few alike; scores that differ by more than that share are left in their order.
"""

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.normal import TIE, Array


def chances(count: int, *seed: int) -> Array:
    """The chance of each candidate, (n,): always the same for the same numbers."""
    return np.random.default_rng(seed).random(count)


def even_chances(count: int) -> Array:
    """The same chances for all, (n,), for choices inside of a score, where no seed is known."""
    return chances(count, 0)


def told_apart(scores: Array, chance: Array, *, logarithms: bool = False) -> Array:
    """The scores (..., n), with equal ones told apart by the chance (n,) of each candidate.

    Args:
        scores: What each candidate is worth, more being better; minus infinity for never.
        chance: From `chances`.
        logarithms: Whether the scores are logarithms of what is compared.
    """
    scores = np.asarray(scores, float)
    return scores + TIE * chance if logarithms else scores * (1 + TIE * chance)


def highest(scores: Array, chance: Array, *, logarithms: bool = False) -> int:
    """The number of the highest score (n,); the chances decide between equal ones."""
    return top(told_apart(scores, chance, logarithms=logarithms), chance)


def top(apart: Array, chance: Array) -> int:
    """The number of the highest of scores (n,) that were told apart already.

    Zeros and infinities stay what they are when told apart, and so may still be equal.
    """
    return int(np.where(apart == apart.max(), chance, -1.0).argmax())


def highest_few(
    scores: Array, count: int, chance: Array, *, logarithms: bool = False
) -> NDArray[np.intp]:
    """The numbers of the `count` highest scores, ascending; the chances decide between equals."""
    apart = told_apart(scores, chance, logarithms=logarithms)
    order = np.lexsort([chance, apart])
    return np.sort(order[len(order) - count :])
