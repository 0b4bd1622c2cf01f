"""Where in a range the best value usually lies: inside.

People choose the bounds of a range wide enough to hold what they look for. A surrogate that knows
nothing of this takes the corners of a space for as good as its middle; of d ranges there are 2^d,
nobody has tried most of them, and where measurements are few or noisy a search visits one after
the other. So the objective is believed to fall towards the bounds, by as much as a bowl does. That
is a mean, not a law: what is measured there corrects it.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.history import BOOKED
from tunewise.problem import Problem
from tunewise.space.numeric import Numeric
from tunewise.surrogate.normal import Array

DIP = 2.0
"""How much worse the furthest corner is believed to be than the middle, in units of how much the
metric usually differs. Chosen among 0, 1 and 2 on made-up problems (docs/notebook.md)."""


@dataclass(frozen=True, eq=False)
class Interior:
    """What the objective loses away from the middle of its ranges, on its modelled scale.

    Attributes:
        columns: Of the encoded configs that are ranges.
        dip: How far the corners lie below the middle; negative where less is better.
    """

    columns: Array
    dip: float

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
        if metric != problem.objective or metric in BOOKED or not ranges or spread <= 0:
            return None
        sign = 1.0 if problem.maximize else -1.0
        return cls(np.concatenate(ranges), sign * DIP * spread)

    def __call__(self, x: Array) -> Array:
        """What is expected of encoded configs (n, d) beside all else, (n,): 0 in the middle."""
        return np.asarray(-self.dip * ((2 * x[:, self.columns] - 1) ** 2).mean(1), float)
