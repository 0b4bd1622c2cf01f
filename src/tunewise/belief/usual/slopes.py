"""What more data usually does to a metric, before a problem says what it does here."""

from dataclasses import dataclass

import numpy as np

from tunewise.problem import Problem
from tunewise.surrogate.normal import Array

PER_DECADE = {"share": 1.2, "effort": 1.8}
"""What ten times the data is assumed to add: to the logit of a share, to the log of cost and time.

About what the three measured networks do; a training in proportion to its data would rise by
log(10) = 2.3, less what its set-up takes. On LCDB's learners the logit of accuracy rises by 0.24
and the log of time by 2.46 per decade: slopes are where beliefs begin, surrogates learn the rest.
"""

STEEPEST = 3.0
"""The power of the data with which time grows at most: solvers of kernel machines, the steepest in
common use, are between 2 and 3."""

_OTHERS = float(np.log(10))
"""How much slower than all that were seen another config may be, in logarithms: ten times.
Generous, as it only bounds what is said about configs, not what is decided."""


@dataclass(frozen=True, eq=False)
class Ceiling:
    """The most that cost or time may plausibly be, from what was seen of it.

    Attributes:
        logs: (m,) logarithms of what was seen.
        fractions: (m,) on which fractions.
    """

    logs: Array
    fractions: Array

    def at(self, fraction: float) -> float:
        """The logarithm of the most at a fraction."""
        more = np.maximum(np.log(fraction / self.fractions), 0.0)
        return float(np.max(self.logs + STEEPEST * more)) + _OTHERS


def usual_per_decade(problem: Problem, name: str) -> float:
    """More data makes trials longer and dearer, and shares better, whichever way that is."""
    if name in ("cost", "time"):
        return PER_DECADE["effort"]
    if name not in problem.metrics or problem.metrics[name].kind != "share":
        return 0.0
    limits = (c for c in problem.constraints if c.metric == name)
    wanted_low = (name == problem.objective and not problem.maximize) or any(
        c.sign == "<=" for c in limits
    )
    return -PER_DECADE["share"] if wanted_low else PER_DECADE["share"]
