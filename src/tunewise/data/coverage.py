"""How many iterations a training needs to have seen most of its data: balls into bins."""

import math
from numbers import Integral, Real

from tunewise.errors import DataError


def covering_iterations(items: int, batch: int, share: float = 0.9, workers: int = 1) -> int:
    """Iterations after which a share of the items is expected to have been in a batch.

    In each iteration every worker draws a batch of `b` items at random, with replacement, out of
    `S`. This is throwing balls into bins: an item is a bin, and a draw is a ball.

    - One draw misses a given item with probability `(S - 1) / S`.
    - `I` iterations of one worker draw `I * b` times, and all of them miss it with probability
      `((S - 1) / S) ** (I * b)`.
    - So the expected number of items that were drawn at least once is
      `S * (1 - ((S - 1) / S) ** (I * b))`; that the draws of different items depend on each other
      does not matter to an expected value.
    - This is to be at least `share * S`, that is `((S - 1) / S) ** (I * b) <= 1 - share`. Both
      logarithms are negative, so that dividing by one turns the sign:
      `I >= log(1 - share) / (b * log((S - 1) / S))`.

    For a large `S` that is `-log(1 - share)` passes over the data: 2.3 for a share of 0.9. The
    number of iterations therefore grows in proportion to the data, which makes a training on a
    tenth of the data cost a tenth. With several workers `I * b` draws become `I * b * workers`.

    Args:
        items: How many items there are to draw from.
        batch: How many items a worker draws in an iteration.
        share: Of the items, above 0 and below 1.
        workers: How many workers draw a batch each.

    The measured trainings of TrimTuner and its thesis (appendix A) stop by this rule, with a share
    of 0.9.
    """
    for name, value in (("items", items), ("batch", batch), ("workers", workers)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise DataError(f"{name} is {value!r}; expected a whole number, 1 or above")
    if not isinstance(share, Real) or not 0 < share < 1:
        raise DataError(f"share is {share!r}; expected a number above 0 and below 1")
    if items == 1:
        return 1
    needed = math.log1p(-share) / (batch * workers * math.log1p(-1 / items))
    return max(1, math.ceil(needed))


def coverage(items: int, draws: int) -> float:
    """The share of the items that is expected to have been drawn by so many draws."""
    whole = isinstance(items, Integral) and isinstance(draws, Integral)
    if not whole or items < 1 or draws < 0:
        raise DataError(
            f"{draws!r} draws of {items!r} items; expected none or more, of one or more"
        )
    if items == 1:
        return float(draws > 0)
    return -math.expm1(draws * math.log1p(-1 / items))
