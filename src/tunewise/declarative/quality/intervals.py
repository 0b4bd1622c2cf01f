"""How sure a quality is: Wilson's interval for accuracies, the bootstrap elsewhere."""

import math

import numpy as np

from tunewise.declarative.quality.losses import Losses

COVERAGE = 0.9
"""Of the intervals that people are told."""

_Z = 1.6448536269514722
"""Standard deviations on either side that hold 90 %."""

_DRAWS = 1000
"""Of the bootstrap: its ends are then known to a tenth of their distance."""

_AT_ONCE = 50
"""Draws that are held in memory together; a divisor of all."""


def interval(losses: Losses, value: float | None = None) -> tuple[float, float]:
    """The 90 % interval around the quality, or around a corrected value of it."""
    middle = losses.value if value is None else value
    if not len(losses):
        return 0.0, 1.0
    if losses.accuracy:
        return wilson(middle, len(losses))
    low, high = _bootstrap(losses)
    shift = middle - losses.value
    return max(low + shift, 0.0), min(high + shift, 1.0)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's interval for a share of so many (Wilson 1927)."""
    squared = _Z**2
    centre = (share + squared / (2 * count)) / (1 + squared / count)
    spread = math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    half = _Z * spread / (1 + squared / count)
    # It holds the share, whatever the last digit says.
    return max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)


def _bootstrap(losses: Losses) -> tuple[float, float]:
    """Rare large errors may be in no example: the lower end is at most Wilson's without errors."""
    rng, count = np.random.default_rng(0), len(losses)
    both = np.stack([losses.loss, losses.base], axis=1)
    values = np.empty(_DRAWS)
    for first in range(0, _DRAWS, _AT_ONCE):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=_AT_ONCE)
        loss, base = (drawn @ both).T
        values[first : first + _AT_ONCE] = np.clip(1 - loss / np.maximum(base, 1e-12), 0, 1)
    tail = 50 * (1 - COVERAGE)
    low, high = np.percentile(values, [tail, 100 - tail])
    # Few examples are drawn too much alike: the usual correction of the bootstrap's variance.
    wider = math.sqrt(count / max(count - 1, 1))
    low = losses.value - (losses.value - float(low)) * wider
    return (
        min(low, losses.value * count / (count + _Z**2)),
        losses.value + (float(high) - losses.value) * wider,
    )
