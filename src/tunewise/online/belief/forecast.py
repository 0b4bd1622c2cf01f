"""What a training's own earlier forecasts say about its present one.

A forecast of the seconds that are left is tested as they go by: where one said 30 s, and after 60 s
the end is still believed to be 20 s away, it was too short by a factor of 80 / 30. How large such
factors are is how sure the present forecast can be. Those of long ago knew less and count less.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunewise.online.belief.extrapolation import WIDTH
from tunewise.online.belief.summary import EXPECTED_WEIGHT
from tunewise.surrogate import Normal


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
    used = [each for each in earlier if each.left > 0 and 0 < each.at < now]
    if not used or not np.isfinite(middle):
        return belief
    at = np.array([each.at for each in used])
    log_left = np.log([each.left for each in used])
    tested = np.minimum((now - at) / np.exp(log_left), 1.0) * at / now
    total = float(tested.sum()) + EXPECTED_WEIGHT
    off = np.log(now - at + np.exp(np.clip(middle, -20, 40))) - log_left
    variance = (EXPECTED_WEIGHT * std**2 + float(tested @ off**2)) / total
    # Any course may still turn, although all earlier forecasts agreed.
    return Normal(middle, float(np.hypot(WIDTH, np.sqrt(variance))))
