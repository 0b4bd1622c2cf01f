"""What a training's own earlier forecasts say about its present one.

A forecast of the seconds that are left is tested as they go by: where one said 30 s, and after 60 s
the end is still believed to be 20 s away, it was too short by a factor of 80 / 30. The usual factor
is taken off the present forecast, and how much it scatters is how sure the present one can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunewise.surrogate import Array, Normal

_UNTESTED = 2.0
"""Forecasts without an error that are taken to have been tested before the first: what the belief
itself says of its deviation counts as much."""

_RECENT = 7
"""Forecasts, the newest, whose ends are put together: each alone follows the noise of a loss."""

_OLDEST = 0.1
"""Forecasts from before this share of the time so far are of another training, as it were."""

_SOON = 0.1
"""A forecast whose end has passed says that at least this share of it is left."""

_TIMES = 3
"""The present forecast decides how wrong the past ones were, and the other way round."""


@dataclass(frozen=True)
class Forecast:
    """Seconds believed to be left at some moment, as they came from the belief.

    Attributes:
        at: Seconds since the training began.
        left: The middle of the belief.
    """

    at: float
    left: float


def calibrated(belief: Normal, now: float, earlier: Sequence[Forecast]) -> Normal:
    """The logarithm of the seconds left, in the light of earlier forecasts.

    Args:
        belief: The same, as the belief alone has it.
        now: Seconds since the training began.
        earlier: What was said before, in order.
    """
    middle, std = float(belief.mean), float(belief.std)
    used = [each for each in earlier if each.left > 0 and _OLDEST * now <= each.at < now]
    if not used or not np.isfinite(middle):
        return belief
    at = np.array([each.at for each in used])
    log_left = np.log([each.left for each in used])
    tested = np.minimum((now - at) / np.exp(log_left), 1.0)
    total = float(tested.sum()) + _UNTESTED
    left, bias, off = np.exp(np.clip(middle, -20, 40)), 0.0, np.zeros(len(used))
    for _ in range(_TIMES):
        off = np.log(now - at + left) - log_left
        bias = float(tested @ off) / total
        left = _together(np.append(at, now), np.append(log_left, middle) + bias, now)
    variance = (_UNTESTED * std**2 + float(tested @ (off - bias) ** 2)) / total
    return Normal(float(np.log(left)), float(np.sqrt(variance)))


def _together(at: Array, log_left: Array, now: float) -> float:
    """Seconds left by the newest forecasts, as they say in the middle."""
    said = np.exp(np.clip(log_left[-_RECENT:], -20, 40))
    return float(np.median(np.maximum(said - (now - at[-_RECENT:]), _SOON * said)))
