"""What the thesis' estimators would have said of the time left, at a moment of a training."""

from collections.abc import Sequence

import numpy as np

from tunewise.online.belief.progress import KINDS, LARGEST, Progress
from tunewise.online.segment import Segment

__all__ = ["KINDS", "error"]


def error(
    segments: Sequence[Segment], kind: str, share: float, target: float, least: float
) -> float:
    """Relative error of the seconds left at a share of the way, by equation 3.3 or 3.4.

    Args:
        segments: Of a training that is done.
        kind: One of KINDS.
        share: Of its seconds.
        target: The loss that ended it.
        least: The least possible loss, which the thesis takes to be known.
    """
    seen = [each for each in segments if each.iterations]
    total = sum(each.reconfiguration + float(each.seconds.sum()) for each in seen)
    now, first = 0.0, seen[0].losses[0] - least
    for each in seen:
        ends = now + each.reconfiguration + np.cumsum(each.seconds)
        count = int(np.searchsorted(ends, share * total, "right"))
        now = float(ends[-1])
        if count < len(ends):
            break
    # At least two losses make a fit: a setting that has just begun is waited for.
    count = min(max(count, 2), len(ends))
    losses = each.losses[:count] - least
    left = Progress(kind).left(losses, each.first, target - least, LARGEST * max(first, 1e-9))
    said = float(left.mean) * float(each.seconds[:count].mean())
    true = max(total - float(ends[count - 1]), 1e-9)
    return abs(said / true - 1) if np.isfinite(said) else np.inf
