"""A belief about a number, or about many numbers at once."""

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunewise.errors import TunewiseError
from tunewise.format import number

Array: TypeAlias = NDArray[np.float64]


TINY = 1e-12
"""Nothing, where nothing must not be 0: a variance, a share, a worth, a cost."""

SURELY = 2.05
"""Standard deviations that a belief is hardly ever wrong by: once in fifty. With once in a hundred
.07 ± .07 is lost on continuous problems."""

ROWS = 4096
"""Rows that are computed at once: few enough to stay in the cache."""

ELEMENTS = 1_000_000
"""Numbers of one table that is computed at once, for the same reason."""

SAMPLES = 64
"""Samples that a probability is estimated from: its standard error is then at most 1/16. Time grows
in proportion; not tuned for quality. Of hyper-parameters of machines each has an eighth as many:
512 in all tell a probability of being the optimum of 1 in 100 apart from none."""

ROUNDS = 3
"""In which estimates that depend on each other settle: a fourth hardly changes them, but for bounds
of unrelated configs: with four a search among slow learners took a quarter longer."""

TIE = 1e-6
"""Numbers that agree to this relative difference are equal: far above the noise of rounding."""

FAR = 1e3
"""Deviations beyond which differences of tails lose their digits, and expansions are as exact."""


def from_log(logarithm: ArrayLike) -> Array:
    """The number of a logarithm, which stays one that can be squared however large it is."""
    return np.asarray(np.exp(np.minimum(logarithm, 60.0)), float)


@dataclass(frozen=True, eq=False, repr=False)
class Normal:
    """One normal distribution (floats), or one for each element (arrays of equal shape).

    A `std` of zero is a certainty: its `cdf` is a step.
    """

    mean: float | Array
    std: float | Array

    def __post_init__(self) -> None:
        """Refuse a standard deviation that is negative or not a number."""
        if not np.all(np.asarray(self.std) >= 0):
            raise TunewiseError(f"a standard deviation must be 0 or more, not {self.std!r}")

    def __repr__(self) -> str:
        """Short, for people."""
        if np.ndim(self.mean) or np.ndim(self.std):
            return f"Normal(mean={self.mean!r}, std={self.std!r})"
        return f"Normal({number(float(self.mean))} ± {number(float(self.std), 2)})"

    def cdf(self, x: ArrayLike) -> Array:
        """The probability of a value at or below `x`."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore", invalid="ignore"):
            z = (np.asarray(x, float) - self.mean) / np.asarray(self.std, float)
        # 0 / 0: a certain value exactly at x is at or below it.
        return np.asarray(ndtr(np.where(np.isnan(z), np.inf, z)), float)

    def probability_below(self, x: ArrayLike) -> Array:
        """The probability of keeping the limit `<= x`."""
        return self.cdf(x)

    def probability_above(self, x: ArrayLike) -> Array:
        """The probability of keeping the limit `>= x`."""
        return Normal(-self.mean, self.std).cdf(-np.asarray(x, float))

    def quantile(self, p: ArrayLike) -> Array:
        """The value that is not exceeded with probability `p` in (0, 1)."""
        from scipy.special import ndtri

        return np.asarray(self.mean + self.std * ndtri(np.asarray(p, float)), float)

    def mean_above(self, x: ArrayLike) -> Array:
        """What a value is expected to be that is known to be above `x`."""
        from scipy.special import log_ndtr

        std = np.maximum(np.asarray(self.std, float), 1e-9)
        z = (np.asarray(x, float) - self.mean) / std
        # In logarithms: far above the mean density and tail vanish, their ratio does not.
        near = np.minimum(z, FAR)
        hazard = np.exp(-0.5 * near**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-near))
        # Farther still the logarithms are too large to be subtracted; the ratio is all but z.
        hazard = np.where(z > FAR, z, hazard)
        return np.asarray(np.maximum(self.mean + std * hazard, x), float)

    def above(self, x: ArrayLike) -> "Normal":
        """Mean and standard deviation of a value that is known to be above `x`."""
        std = np.maximum(np.asarray(self.std, float), 1e-9)
        mean = self.mean_above(x)
        hazard = (mean - self.mean) / std
        z = (np.asarray(x, float) - self.mean) / std
        # Far above the mean the tail is exponential, and its spread the inverse of the hazard.
        tail = np.maximum(hazard, 1.0) ** -2.0
        left = np.where(z > FAR, tail, np.maximum(1 - hazard * (hazard - z), tail / 4))
        return Normal(mean, std * np.sqrt(left))

    def __getitem__(self, index: Any) -> "Normal":
        """The distributions of some elements, as numpy indexes arrays."""
        mean, std = np.broadcast_arrays(np.asarray(self.mean, float), np.asarray(self.std, float))
        return Normal(mean[index], std[index])

    def __eq__(self, other: object) -> bool:
        """Equal means and standard deviations, element by element."""
        if not isinstance(other, Normal):
            return NotImplemented
        return np.array_equal(self.mean, other.mean) and np.array_equal(self.std, other.std)

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash


@cache
def roots(count: int) -> tuple[Array, Array]:
    """Nodes and weights of Gauss-Hermite quadrature for a standard normal outcome."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()
