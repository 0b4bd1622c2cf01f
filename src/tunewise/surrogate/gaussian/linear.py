"""A straight trend over configs: what one step of a parameter does, wherever the others stand."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.kernel import Bound, Hyperprior, Kernel
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points


@dataclass(frozen=True)
class Linear(Kernel):
    """A plane of unknown slopes over the unit cube, zero at its middle.

    Logarithms of times and sizes are close to one, so that a few configs say much of all others.

    Attributes:
        std: Prior standard deviation of a slope, in standardised targets.
    """

    std: float = 1.0

    def prior(self, dims: int) -> Hyperprior:
        """Nothing to learn."""
        return Hyperprior.same(0, 0.0, 1.0, 0.0, 0.0)

    def bind(self, points: Points) -> Bound:
        """A constant matrix."""
        matrix = self.between(np.empty(0), points, points)
        return lambda theta: (matrix, lambda upstream: np.empty(0))

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Inner products of the configs around the middle, scaled."""
        return np.asarray(self._loadings(a) @ self._loadings(b).T, float)

    def diagonal(self, theta: Array, points: Points) -> Array:
        """Squared distances from the middle, scaled."""
        return np.asarray((self._loadings(points) ** 2).sum(1), float)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Random slopes."""
        slopes = rng.standard_normal((n, points.x.shape[1]))
        return np.asarray(slopes @ self._loadings(points).T, float)

    def _loadings(self, points: Points) -> Array:
        return self.std * (points.x - 0.5)
