"""Where a config that is hardly known begins: on a slice that costs little of what was asked for.

What a trial on a slice teaches by itself is often worth nothing: no single answer of it changes
what is recommended, and the acquisition jumps to the full data, where one answer does. But beliefs
about what is far from all that was tried are at their worst there, also about what that will cost.
A slice first is a part of the price, and tells whether the rest is worth paying.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.belief.posterior import Posterior
from tunewise.strategy.loop.options import check_number

PART = 0.3
"""Of what the chosen trial is expected to spend. Of 0, 0.1 and 0.3 the best over measured and
made-up tables, and hardly worse than 0.1 on any of them (docs/notebook.md)."""

_VAGUE = 0.2
"""Standard deviation of what a slice would measure, as a share of how much configs differ: below it
in every metric the slice tells nothing new, as beside configs that were tried. Not tuned."""


@dataclass(frozen=True)
class FirstSlice:
    """The largest slice of an untried config that costs at most a part of the trial chosen.

    Only where it is not known already what that slice would measure.

    Attributes:
        part: Of what the chosen trial is expected to spend.
    """

    part: float = PART

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        check_number("first_slice", self.part)

    def __call__(self, posterior: Posterior, chosen: int) -> int:
        """The trial to run instead, or the chosen one."""
        row, place = divmod(chosen, len(posterior.grid.fractions))
        if place == 0 or posterior.effort is None or _tried(posterior, chosen):
            return chosen
        spending = posterior.spending()[row]
        cheap = spending[:place] <= self.part * spending[place]
        smaller = chosen - place + np.flatnonzero(cheap & _vague(posterior, row)[:place])
        possible = np.intersect1d(smaller, posterior.open)
        return int(possible[-1]) if len(possible) else chosen


def _vague(posterior: Posterior, row: int) -> np.ndarray:
    """Which trials of a config would measure what nobody knows yet, (F,)."""
    doubts = [
        np.asarray(posterior.predict(name).std)[row] / belief.surrogate.scale_
        for name, belief in posterior.learned.metrics.items()
    ]
    return np.asarray(np.max(doubts, axis=0) >= _VAGUE)


def _tried(posterior: Posterior, trial: int) -> bool:
    key = posterior.problem.space.key
    begun = [t.config for t in posterior.history] + [config for config, _ in posterior.waiting]
    return key(posterior.grid.trial(trial)[0]) in map(key, begun)
