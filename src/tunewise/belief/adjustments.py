"""What is known of a metric beside its surrogate: taken out before it learns, and put back.

Each adjustment is fitted to what those before it have left.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.candidates import Candidates
from tunewise.surrogate.normal import Array

if TYPE_CHECKING:
    from tunewise.belief.prior_mean import PriorMean


class Adjustment(Protocol):
    """What is expected of a metric on its modelled scale, apart from all else."""

    def fit(self, seen: Candidates, s: Array, y: Array) -> "Adjustment":
        """The same as measurements y (n,) on fractions s (n,) say."""

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What it adds at each candidate, (n,)."""


@dataclass(frozen=True)
class Price:
    """A known price: only the time is unknown then."""

    def fit(self, seen: Candidates, s: Array, y: Array) -> "Price":
        """Nothing is learned of it."""
        return self

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """The logarithm of the price."""
        return candidates.log_price


@dataclass(frozen=True)
class Growth:
    """What more data usually does to the metric.

    Attributes:
        per_decade: What ten times the data adds.
    """

    per_decade: float

    def fit(self, seen: Candidates, s: Array, y: Array) -> "Growth":
        """The surrogate learns how it differs here."""
        return self

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """Nothing on the full data."""
        grown = self.per_decade * np.log10(np.asarray(s, float))
        return np.broadcast_to(grown, len(candidates))


@dataclass(frozen=True, eq=False)
class OtherStudies:
    """What other studies say, each as far as it is believed.

    Attributes:
        prior: What they say.
        spread: How much the metric usually differs on its modelled scale; 0 for unknown.
        weights: How much each of them is believed, (k,).
    """

    prior: "PriorMean"
    spread: float
    weights: Array = field(default_factory=lambda: np.empty(0))

    def fit(self, seen: Candidates, s: Array, y: Array) -> "OtherStudies":
        """Believed as far as they predict what was measured."""
        weights = self.prior.weights(seen.x, s, y, self.spread)
        return OtherStudies(self.prior, self.spread, weights)

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """Their predictions, weighed."""
        return np.asarray(self.prior.each(candidates.x, s) @ self.weights, float)
