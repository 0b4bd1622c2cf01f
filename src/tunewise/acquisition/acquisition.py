"""What every acquisition is given, and what it promises."""

from typing import Any, Protocol, TypeVar

import numpy as np

from tunewise.belief.grid import Index
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.surrogate import Array, Normal

FEW_PARAMETERS = 5
"""With more parameters the overhead counts less, and only so many change at once around a good
config: what is good in most of them keeps that (Regis and Shoemaker, 2013)."""

Belief = TypeVar("Belief", contravariant=True)


class Acquisition(Protocol[Belief]):
    """Says what each trial is worth: a function of the posterior alone, and of chance.

    Attributes:
        logarithms: Whether what it says are logarithms: then differences count, not ratios.
    """

    @property
    def logarithms(self) -> bool:
        """Whether what it says are logarithms."""

    def __call__(self, posterior: Belief, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each of the trials (c,) of the posterior's grid, more being better."""


def at(predicted: Any, trials: Index) -> Any:
    """Some trials of what is predicted for a whole grid, (n, F) to (c,)."""
    if isinstance(predicted, Normal):
        return Normal(at(predicted.mean, trials), at(predicted.std, trials))
    return np.asarray(predicted).ravel()[trials]


def with_overhead(posterior: Posterior, trials: Index, overhead: float) -> Array:
    """What each trial is expected to spend, and a share of all that was spent so far, (c,).

    With many parameters the share is less, in proportion: as many more trials are needed to learn
    about all of them, and they have to be small ones.
    """
    spending = at(posterior.spending(Doubt.MEASUREMENT), trials)
    share = overhead * min(1.0, FEW_PARAMETERS / len(posterior.problem.space.parameters))
    return np.asarray(spending + share * posterior.spent, float)
