"""When to stop being greedy: the freezing stage of section 5.4, made observable.

The paper asks that "the overall regret does not drop". Nobody sees regret, but ease.ml's regret is
a constant minus the users' best accuracies, so it drops exactly when some user's best rises. That
is the proxy: `best_rose`.
"""

import numpy as np
from numpy.typing import NDArray

from tunewise.tenancy.checks import whole


class Freeze:
    """Counts steps in which the candidates stayed the same and nobody's best rose."""

    def __init__(self, steps: int) -> None:
        """Frozen after so many steps."""
        self._steps = whole(steps, f"steps is {steps!r}")
        self._same = 0
        self._candidates = b""

    @property
    def frozen(self) -> bool:
        """Whether the greedy phase is over for now."""
        return self._same >= self._steps

    def step(self, candidates: NDArray[np.bool_], best_rose: bool) -> None:
        """A model ended: who are the candidates now, and has anyone's best risen?"""
        now = np.packbits(candidates).tobytes()
        unchanged = now == self._candidates and not best_rose
        # While frozen, users take turns: only a rise shows that greed may pay again.
        self._same = self._same + 1 if unchanged or (self.frozen and not best_rose) else 0
        self._candidates = now
