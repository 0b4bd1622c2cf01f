"""A cliff in the objective: where a part of the space returns a penalty instead of a measurement.

To a smooth belief a cliff is all that there is: next to a loss of 1e6 the others are the same.
"""

import numpy as np

from tunewise.surrogate.normal import Array

_CLIFF = 100.0
"""So many times further from the best than all that is better begins a penalty. Set by thought: ten
times further is met in usual searches, and penalties are larger by orders of magnitude."""


def without_cliff(losses: Array) -> Array:
    """Losses, (n,), with those beyond a cliff pulled in; the same where there is none.

    Half of them or more, and at least three, must lie on this side of it: two may be near each
    other by chance. What lies beyond counts as the worst on this side.
    """
    ranked = np.sort(losses)
    away = ranked - ranked[:1]
    first = max(len(ranked) // 2, 3)
    before, after = away[first - 1 : -1], away[first:]
    cliffs = np.flatnonzero((before > 0) & (after > _CLIFF * before))
    return np.minimum(losses, ranked[first - 1 + cliffs[0]]) if len(cliffs) else losses
