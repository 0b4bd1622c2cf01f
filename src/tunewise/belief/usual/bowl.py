"""Where the best value of a parameter is believed to lie, before anything is measured.

People choose the bounds of a range wide enough to hold what they look for. A surrogate that knows
nothing of this takes the corners of a space for as good as its middle; of d ranges there are 2^d,
nobody has tried most of them, and where measurements are few or noisy a search visits one after
the other. So the objective is believed to fall towards the bounds, as a bowl does; and away from
what somebody who knows expects to be best. How deep such a bowl is, what is measured says, and a
surrogate learns all that is no bowl.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.candidates import Candidates
from tunewise.belief.usual.slopes import DOUBT
from tunewise.history import BOOKED
from tunewise.problem import Problem
from tunewise.space.numeric import Numeric
from tunewise.space.parameter import CONFIDENCE
from tunewise.surrogate.normal import Array

DIP = 2.0
"""How much worse the furthest config is believed to be than the best, in units of how much the
metric usually differs. Chosen among 0, 1 and 2 on made-up problems (NOTEBOOK.md)."""

_FORGOTTEN = 5
"""Configs that are tried until what somebody expects counts half, and what is usual the other half:
a wrong expectation costs about as many trials, and a right one is known by measurements then."""

Away = Callable[[Array, float], Array]
"""How far encoded configs (n, d) are from the best, (n,), while somebody is believed so much."""


@dataclass(frozen=True, eq=False)
class Bowl:
    """What the objective loses away from where its best is believed to be, on its modelled scale.

    Attributes:
        away: How far configs are from there: 1 for the furthest.
        dip: How much the furthest loses; negative where less is better.
        spread: How much the metric usually differs between configs.
        kept: How much is still believed of what somebody expects.
    """

    away: Away
    dip: float
    spread: float
    kept: float = 1.0

    @classmethod
    def inside(cls, problem: Problem, metric: str, spread: float) -> "Bowl | None":
        """Around the middle of all ranges; None without any.

        Cost and time have no such habit: the least of them is often at an end.

        Args:
            problem: What is wanted.
            metric: Which metric it is about: only the objective has a bowl.
            spread: How much it usually differs between configs, on its modelled scale.
        """
        space = problem.space
        ranges = [p for p in space.parameters if isinstance(p, Numeric) and p.low < p.high]
        if metric in BOOKED or not ranges:
            return None
        columns = [np.arange(space.width)[space.columns[p.name]].item() for p in ranges]
        expected = np.array([p.prior is not None for p in ranges])

        def away(x: Array, kept: float) -> Array:
            squares = (2 * x[:, columns] - 1) ** 2 * np.where(expected, 1 - kept, 1.0)
            return np.asarray(squares.mean(1), float)

        return cls._of(problem, metric, spread, away)

    @classmethod
    def expected(cls, problem: Problem, metric: str, spread: float) -> "Bowl | None":
        """Around the values that somebody expects to be best; None where nobody does.

        The arguments are those of `inside`.
        """
        space = problem.space
        known = [
            (space.columns[p.name], p.encode([p.prior])[0], CONFIDENCE[p.confidence])
            for p in space.parameters
            if p.prior is not None
        ]

        def away(x: Array, kept: float) -> Array:
            squares = [((x[:, at] - best) ** 2).sum(1) / width**2 for at, best, width in known]
            return np.asarray(kept * (1 - np.exp(-0.5 * np.array(squares))).mean(0), float)

        return cls._of(problem, metric, spread, away) if known else None

    @classmethod
    def _of(cls, problem: Problem, metric: str, spread: float, away: Away) -> "Bowl | None":
        if metric != problem.objective or not 0 < spread < np.inf:
            return None
        return cls(away, (1.0 if problem.maximize else -1.0) * DIP * spread, spread)

    def fit(self, seen: Candidates, s: Array, y: Array) -> "Bowl":
        """The same with a bowl as deep as measurements y (n,) at fractions s (n,) say.

        Fractions differ by more than configs do: each is compared with its own mean.
        """
        kept = 1 / (1 + len(np.unique(seen.x, axis=0)) / _FORGOTTEN)
        away, value = self.away(seen.x, kept), y.copy()
        for fraction in np.unique(s):
            here = s == fraction
            away[here] -= away[here].mean()
            value[here] -= value[here].mean()
        # In units of the spread, whose square may be no number.
        unit, rest, before = self.dip / self.spread, DOUBT**2, (DOUBT * DIP) ** 2
        precision = 1 / before + float(away @ away) / rest
        dip = (unit / before - float(away @ (value / self.spread)) / rest) / precision
        return replace(self, dip=float(dip * self.spread), kept=kept)

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What is expected of candidates beside all else, (n,): 0 at the best."""
        return np.asarray(-self.dip * self.away(candidates.x, self.kept), float)
