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

_TURNS = 0.5
"""The deviation that is left when all earlier forecasts agreed: any course may still turn."""

_RECENT = 7
"""Forecasts, the newest, whose ends are put together: each alone follows the noise of a loss."""

_OLDEST = 0.1
"""Forecasts from before this share of the time so far are of another training, as it were."""

_SOON = 0.1
"""A forecast whose end has passed says that at least this share of it is left."""

_MOST = 0.5
"""The logarithm of the largest factor that is taken off: a wrong present forecast would otherwise
make the past ones look wrong, and these the present one."""


_FEWEST = 30
"""Losses, at least, that a course is extrapolated from."""

_WIDTH = 0.15
"""A level is that of the losses in this last share of the time until then,"""

_TOUCHED = 0.1
"""and as low as this share of them: the target need only be touched."""

_POWERS = np.concatenate([np.arange(-2.0, 0.0, 0.05), np.arange(0.05, 3.0, 0.05)])
"""Powers of time by which a loss may approach what it approaches: below 0 it still speeds up."""

_FARTHEST = 5.0
"""What is left is at most so many times the time so far: no course tells more."""

_EXTRAPOLATED = 0.5
"""The deviation of the logarithm of what an extrapolation says is left, before it was tested."""


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
    every, said = np.append(at, now), np.append(log_left, middle)
    off = np.log(now - at + _together(every, said, now)) - log_left
    bias = float(np.clip(tested @ off / total, -_MOST, _MOST))
    left = _together(every, said + bias, now)
    variance = (_UNTESTED * std**2 + float(tested @ (off - bias) ** 2)) / total
    return Normal(float(np.log(left)), float(np.hypot(_TURNS, np.sqrt(variance))))


def _together(at: Array, log_left: Array, now: float) -> float:
    """Seconds left by the newest forecasts, as they say in the middle."""
    said = np.exp(np.clip(log_left[-_RECENT:], -20, 40))
    return float(np.median(np.maximum(said - (now - at[-_RECENT:]), _SOON * said)))


def extrapolated(at: Array, loss: Array, target: float) -> Normal | None:
    """The logarithm of the seconds until a loss falls to its target, by its course so far.

    The loss falls as f + a t^-p, through its levels at a third, two thirds and all of the time; how
    settings differ is of no concern, since by then the better ones have run for most of it. None
    where there is too little to go by.

    Args:
        at: Seconds since the training began, (n,).
        loss: The losses then, (n,).
        target: That ends it.
    """
    if len(at) < _FEWEST or at[-1] <= 0:
        return None
    time = at / at[-1]
    early, late, now = (_level(time, loss, share) for share in (1 / 3, 2 / 3, 1.0))
    need, fallen = now - target, late - now
    if need <= 0:
        return Normal(float(np.log(_WIDTH * at[-1] / 4)), _EXTRAPOLATED)
    if fallen <= 0:
        return Normal(float(np.log(at[-1])), 2 * _EXTRAPOLATED)
    ratio = max(early - late, 0.0) / fallen
    one, two = (1 / 3) ** -_POWERS, (2 / 3) ** -_POWERS
    best = int(np.argmin(np.abs((one - two) / (two - 1) - ratio)))
    power, scale = _POWERS[best], fallen / (two[best] - 1)
    rest = 1 - need / scale
    times = rest ** (-1 / power) if rest > 0 else np.inf
    times *= 1 - _WIDTH / 2  # levels lie before the times they are named by
    return Normal(float(np.log(at[-1] * np.clip(times - 1, 0.01, _FARTHEST))), _EXTRAPOLATED)


def _level(time: Array, loss: Array, share: float) -> float:
    """The level of the losses before a share of the time."""
    near = (time > share * (1 - _WIDTH)) & (time <= share)
    some = loss[near] if near.any() else loss[[np.argmin(np.abs(time - share))]]
    return float(np.quantile(some, _TOUCHED))
