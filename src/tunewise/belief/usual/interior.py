"""Where in a range the best value usually lies: inside.

People choose the bounds of a range wide enough to hold what they look for. A surrogate that knows
nothing of this takes the corners of a space for as good as its middle; of d ranges there are 2^d,
nobody has tried most of them, and where measurements are few or noisy a search visits one after
the other. So the objective is believed to fall towards the bounds, as a bowl does. How deep that
bowl is, what is measured says, and a surrogate learns all that is no bowl.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.candidates import Candidates
from tunewise.history import BOOKED
from tunewise.problem import Problem
from tunewise.space.numeric import Numeric
from tunewise.surrogate.normal import Array

DIP = 2.0
"""How much worse the furthest corner is believed to be than the middle, in units of how much the
metric usually differs. Chosen among 0, 1 and 2 on made-up problems (NOTEBOOK.md)."""

_DOUBT = 0.5
"""Standard deviation of the dip before anything is measured, as a part of it, and of all that is no
bowl, in units of how much the metric usually differs. A guess: no bowl is two deviations away."""


@dataclass(frozen=True, eq=False)
class Interior:
    """What the objective loses away from the middle of its ranges, on its modelled scale.

    Attributes:
        columns: Of the encoded configs that are ranges.
        dip: How far the corners lie below the middle; negative where less is better.
        spread: How much the metric usually differs between configs.
    """

    columns: Array
    dip: float
    spread: float

    @classmethod
    def of(cls, problem: Problem, metric: str, spread: float) -> "Interior | None":
        """Of the objective; None of other metrics, and where nothing is a range.

        Cost and time have no such habit: the least of them is often at an end.

        Args:
            problem: What is wanted.
            metric: Which metric it is about.
            spread: How much it usually differs between configs, on its modelled scale.
        """
        space = problem.space
        ranges = [
            np.arange(space.width)[space.columns[p.name]]
            for p in space.parameters
            if isinstance(p, Numeric) and p.low < p.high
        ]
        if metric != problem.objective or metric in BOOKED or not ranges or not 0 < spread < np.inf:
            return None
        sign = 1.0 if problem.maximize else -1.0
        return cls(np.concatenate(ranges), sign * DIP * spread, spread)

    def fit(self, seen: Candidates, s: Array, y: Array) -> "Interior":
        """The same with a bowl as deep as measurements y (n,) at fractions s (n,) say.

        Fractions differ by more than configs do: each is compared with its own mean.
        """
        away, value = self._away(seen.x), y.copy()
        for fraction in np.unique(s):
            here = s == fraction
            away[here] -= away[here].mean()
            value[here] -= value[here].mean()
        # In units of the spread, whose square may be no number.
        unit, rest, before = self.dip / self.spread, _DOUBT**2, (_DOUBT * DIP) ** 2
        precision = 1 / before + float(away @ away) / rest
        dip = (unit / before - float(away @ (value / self.spread)) / rest) / precision
        return replace(self, dip=float(dip * self.spread))

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What is expected of candidates beside all else, (n,): 0 in the middle."""
        return np.asarray(-self.dip * self._away(candidates.x), float)

    def _away(self, x: Array) -> Array:
        """How far configs are from the middle, (n,): 1 for a corner."""
        return np.asarray(((2 * x[:, self.columns] - 1) ** 2).mean(1), float)
