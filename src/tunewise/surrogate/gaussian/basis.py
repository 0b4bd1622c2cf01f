"""How a metric may change with the fraction of the data, as data.

A basis is a small set of functions of the fraction. The kernel (`finite_rank`) gives each config
its own random combination of them, the trend a common one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.errors import StrategyError, nearest
from tunewise.surrogate.normal import Array


@dataclass(frozen=True)
class Basis:
    """A constant and further functions of the fraction, each from (n,) to (n,)."""

    name: str
    functions: tuple[Callable[[Array], Array], ...] = ()

    @property
    def size(self) -> int:
        """How many functions there are, the constant included."""
        return 1 + len(self.functions)

    def __call__(self, s: Array) -> Array:
        """The values at fractions `s` (n,): (n, size), the constant first."""
        return np.stack([np.ones_like(s), *(function(s) for function in self.functions)], axis=1)


_BEND, _CURVATURE = 2 / 15, 0.2
"""How far a curve bends from a line, against a slope per decade of 1: near the full data, where a
search is steered, and over every decade, where beliefs are to be stated. With the second one for
both a search under a narrow limit had found nothing after 8 units, instead of 0.02 to 0.2 of the
regret."""


def _curve(s: Array) -> Array:
    """How far a curve is from the line between a hundredth of the data and all of it."""
    decades = np.log10(s)
    return np.asarray(_CURVATURE * decades * (decades + 2), float)


# A function that is zero at fraction 1 leaves the constant to be the metric on the full data.
# "accuracy" and "cost" are those of FABOLAS; "log" is a power law where the metric is modelled on
# a log or logit scale, "bent" one that may bend a little, as times do that begin with a set-up,
# and "curved" one that may bend everywhere, as accuracies do that saturate.
BASES = {
    basis.name: basis
    for basis in (
        Basis("none"),
        Basis("accuracy", (lambda s: (1 - s) ** 2,)),
        Basis("cost", (lambda s: s,)),
        Basis("log", (lambda s: -np.log10(s),)),
        Basis("bent", (lambda s: -np.log10(s), lambda s: _BEND * (1 - s) ** 2)),
        Basis("curved", (lambda s: -np.log10(s), _curve)),
    )
}


def basis_named(basis: "str | Basis") -> Basis:
    """The basis of this name, or the basis itself."""
    if isinstance(basis, Basis):
        return basis
    if basis not in BASES:
        raise StrategyError(f"unknown basis {basis!r}{nearest(basis, BASES)}")
    return BASES[basis]
