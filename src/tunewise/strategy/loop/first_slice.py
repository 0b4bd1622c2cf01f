"""Where a config that nobody has tried begins: on a slice that costs little of what was asked for.

What a trial on a slice teaches by itself is often worth nothing: no single answer of it changes
what is recommended, and the acquisition jumps to the full data, where one answer does. Of unrelated
configs none predicts what another will cost there. A slice first is a part of the price, and tells
whether the rest is worth paying.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.belief.posterior import Posterior
from tunewise.strategy.loop.options import check

PART = 0.3
"""Of what the chosen trial is expected to spend. Chosen on tables of related configs, where fresh
seeds did not confirm it and real trainings ended worse: it holds for unrelated ones alone, of which
it had seen none (NOTEBOOK.md)."""


@dataclass(frozen=True)
class FirstSlice:
    """The largest slice of an untried config that costs at most a part of the trial chosen.

    Only where configs are unrelated.

    Attributes:
        part: Of what the chosen trial is expected to spend.
    """

    part: float = PART

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        check(first_slice=self.part)

    def __call__(self, posterior: Posterior, chosen: int) -> int:
        """The trial to run instead, or the chosen one."""
        row, place = divmod(chosen, len(posterior.grid.fractions))
        related = posterior.related
        if place == 0 or related or posterior.effort is None or _tried(posterior, chosen):
            return chosen
        spending = posterior.spending()[row]
        smaller = np.flatnonzero(spending[:place] <= self.part * spending[place])
        if posterior.history.unstopped:  # only the smallest slice keeps a surprise cheap
            smaller = np.zeros(1, np.intp)
        possible = np.intersect1d(chosen - place + smaller, posterior.open)
        return int(possible[-1]) if len(possible) else chosen


def _tried(posterior: Posterior, trial: int) -> bool:
    key = posterior.problem.space.key
    begun = [t.config for t in posterior.history] + [config for config, _ in posterior.waiting]
    return key(posterior.grid.trial(trial)[0]) in map(key, begun)
