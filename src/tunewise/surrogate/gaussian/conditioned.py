"""The Gaussian process given its hyper-parameters: everything here is linear algebra."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.algebra import lapack
from tunewise.surrogate.gaussian.kernel import Kernel
from tunewise.surrogate.normal import ROWS, Array
from tunewise.surrogate.surrogate import Points, Targets


@dataclass(frozen=True, eq=False)
class Conditioned:
    """What standardised observations say once the hyper-parameters are fixed.

    Attributes:
        root: (n, n) lower Cholesky factor of the observations' covariance, noise included.
        weights: (n,) the inverse of that covariance times the observations.
        known: the noise variance that a further observation brings besides the learned one.
    """

    kernel: Kernel
    theta: Array
    data: Targets
    root: Array
    weights: Array
    known: float

    @classmethod
    def given(
        cls, kernel: Kernel, theta: Array, data: Targets, known: float = 0.0
    ) -> "Conditioned":
        """Condition on the data.

        Args:
            kernel: The covariance before any data.
            theta: Its hyper-parameters and, last, the log variance of the noise.
            data: What was observed.
            known: The noise variance a further observation brings besides the learned one.
        """
        matrix = kernel.between(theta[:-1], data.at, data.at)
        variance = data.variance + np.exp(theta[-1])
        # The noise has a floor, so this only fails by rounding: then a little more noise helps.
        for extra in (0.0, 1e-8, 1e-6, 1e-4, 1e-2):
            noisy = matrix.copy()
            noisy.flat[:: len(noisy) + 1] += variance + extra
            root, failed = lapack().dpotrf(noisy.T, lower=1, clean=1, overwrite_a=1)
            if not failed:
                break
        assert not failed, "a covariance matrix must be positive"
        weights = lapack().dpotrs(root, data.y, lower=1)[0]
        return cls(kernel, theta, data, root, weights, known)

    @property
    def _kernels(self) -> Array:
        return self.theta[:-1]

    @property
    def noise(self) -> float:
        """Variance of a further observation around the function."""
        return float(np.exp(self.theta[-1])) + self.known

    def _explained(self, at: Points) -> tuple[Array, Array]:
        """Means (m,) and the part of the prior the data explain, as a root (n, m)."""
        cross = self.kernel.between(self._kernels, self.data.at, at)
        mean = self.weights @ cross
        return mean, lapack().dtrtrs(self.root, cross, lower=1)[0]

    def _variance(self, at: Points, explained: Array) -> Array:
        prior = self.kernel.diagonal(self._kernels, at)
        left = prior - np.einsum("nm,nm->m", explained, explained)
        return np.asarray(np.maximum(left, 1e-12 * prior), float)

    def predict(self, at: Points) -> tuple[Array, Array]:
        """Means and variances of the function, each (m,)."""
        mean, explained = self._explained(at)
        return mean, self._variance(at, explained)

    def predict_grid(self, x: Array, fractions: Array) -> tuple[Array, Array]:
        """Means and variances of configs `x` (m, d) at each fraction, each (m, F)."""
        means, variances = np.empty((2, len(x), len(fractions)))
        for start in range(0, len(x), ROWS):
            block = slice(start, start + ROWS)
            crosses = self.kernel.over_fractions(self._kernels, self.data.at, x[block], fractions)
            for column, (cross, fraction) in enumerate(zip(crosses, fractions, strict=True)):
                at = Points(x[block], np.full(len(x[block]), fraction))
                means[block, column] = self.weights @ cross
                explained = lapack().dtrtrs(self.root, cross, lower=1)[0]
                variances[block, column] = self._variance(at, explained)
        return means, variances

    def joint(self, a: Points, b: Points) -> tuple[Array, Array, Array, Array, Array]:
        """Means and variances at `a` (n,) and `b` (m,), and covariances between them (n, m)."""
        mean_a, explained_a = self._explained(a)
        mean_b, explained_b = self._explained(b)
        covariance = self.kernel.between(self._kernels, a, b)
        covariance -= explained_a.T @ explained_b
        return (
            mean_a,
            self._variance(a, explained_a),
            mean_b,
            self._variance(b, explained_b),
            covariance,
        )

    def sample(self, at: Points, n: int, rng: np.random.Generator) -> Array:
        """Draw functions from the prior and move each to the data by Matheron's rule, (n, m)."""
        seen = self.data.at
        both = Points(np.concatenate([seen.x, at.x]), np.concatenate([seen.s, at.s]))
        draws = self.kernel.draw(self._kernels, both, n, rng)
        before, after = draws[:, : len(seen.x)], draws[:, len(seen.x) :]
        std = np.sqrt(self.data.variance + np.exp(self.theta[-1]))
        surprise = self.data.y - before - std * rng.standard_normal(before.shape)
        move = lapack().dpotrs(self.root, surprise.T, lower=1)[0]
        return np.asarray(after + move.T @ self.kernel.between(self._kernels, seen, at), float)
