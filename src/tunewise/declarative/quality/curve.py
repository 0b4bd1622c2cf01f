"""What more examples would bring, by the learning curve of a model that was tried on a slice."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

STEEPEST = 1.0
"""Of the power with which errors fall: no model learns faster than its examples grow."""


ROOT = 0.5
"""Of the power with which errors fall at best once many examples were seen."""


def at_best(quality: float, grown: float) -> float:
    """The quality with so many times the examples, where each helps as much as it can."""
    return float(1 - (1 - quality) / grown**ROOT)


def shrinkage(
    cards: Sequence[Mapping[str, Any]], best: Mapping[str, Any], more: int
) -> float | None:
    """The share of the best model's error that is left with so many more examples.

    The error is taken to fall as a power of the number of examples: by what slices gave, and
    `halved`, its quality after half of the examples. None where neither is known.
    """
    sizes = {
        int(card["examples"]): 1 - float(card["quality"])
        for card in cards
        if card["model"] == best["model"] and card["version"] == best["version"]
    }
    if best.get("halved") is not None:
        sizes[int(best["examples"]) // 2] = 1 - float(best["halved"])
    few, many = min(sizes, default=0), max(sizes, default=0)
    if few == many or min(sizes[few], sizes[many]) <= 0:
        return None
    power = math.log(sizes[few] / sizes[many]) / math.log(many / few)
    power = min(max(power, 0.0), STEEPEST)
    return float((many / (many + more)) ** power)
