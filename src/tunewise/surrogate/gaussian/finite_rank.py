"""Kernels over the fraction: a few functions with random weights."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.gaussian.basis import Basis
from tunewise.surrogate.gaussian.kernel import Bound, Hyperprior, Kernel, Pair, Pullback
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points


@cache
def _triangle(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the lower triangle is, by rows; kept because every likelihood asks for it."""
    return np.tril_indices(size)


@dataclass(frozen=True)
class FiniteRank(Kernel):
    """`k(s, s') = phi(s)^T S phi(s')` with `S = L L^T` learned, as in FABOLAS.

    `theta` lists the lower triangle of L by rows, the diagonal as logarithms: L[0, 0] is the
    amplitude of the metric on the full data when all other functions are zero there.
    """

    basis: Basis

    def prior(self, dims: int) -> Hyperprior:
        """Weights of the order of the spread of the standardised targets."""
        rows, columns = _triangle(self.basis.size)
        on = rows == columns
        return Hyperprior(
            mean=np.where(on, np.where(rows == 0, 0.0, -0.5), 0.0),
            std=np.ones(len(rows)),
            low=np.where(on, np.log(1e-3), -10.0),
            high=np.where(on, np.log(10.0), 10.0),
        )

    def root(self, theta: Array) -> Array:
        """The triangular L of these hyper-parameters."""
        size = self.basis.size
        root = np.zeros((size, size))
        root[_triangle(size)] = theta
        root.flat[:: size + 1] = np.exp(root.diagonal())
        return root

    def factors(self, theta: Array, points: Points) -> Array:
        """(n, rank) loadings whose inner products are the covariances."""
        return np.asarray(self.basis(points.s) @ self.root(theta), float)

    def bind(self, points: Points) -> Bound:
        """Keep the values of the basis."""
        phi = self.basis(points.s)
        triangle = _triangle(self.basis.size)
        on = triangle[0] == triangle[1]

        def evaluate(theta: Array) -> tuple[Array, Pullback]:
            root = self.root(theta)
            loadings = phi @ root

            def pullback(upstream: Array) -> Array:
                slope = phi.T @ (upstream @ loadings + upstream.T @ loadings)
                return np.asarray(slope[triangle] * np.where(on, root[triangle], 1.0), float)

            return loadings @ loadings.T, pullback

        return evaluate

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Inner products of the loadings."""
        return np.asarray(self.factors(theta, a) @ self.factors(theta, b).T, float)

    def diagonal(self, theta: Array, points: Points) -> Array:
        """Squared lengths of the loadings."""
        return np.asarray((self.factors(theta, points) ** 2).sum(1), float)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Random weights times the loadings."""
        weights = rng.standard_normal((n, self.basis.size))
        return np.asarray(weights @ self.factors(theta, points).T, float)


@dataclass(frozen=True)
class Trend(Kernel):
    """A prior mean of unknown weights: the basis functions with a fixed, vague variance.

    As a term of the kernel it needs no separate treatment: updates stay exact.
    """

    basis: Basis
    std: float = 3.0

    def prior(self, dims: int) -> Hyperprior:
        """Nothing to learn."""
        return Hyperprior.same(0, 0.0, 1.0, 0.0, 0.0)

    def bind(self, points: Points) -> Bound:
        """A constant matrix."""
        matrix = self.between(np.empty(0), points, points)
        return lambda theta: (matrix, lambda upstream: np.empty(0))

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Inner products of the basis, scaled."""
        return np.asarray(self.std**2 * self.basis(a.s) @ self.basis(b.s).T, float)

    def diagonal(self, theta: Array, points: Points) -> Array:
        """Squared lengths of the basis, scaled."""
        return np.asarray(self.std**2 * (self.basis(points.s) ** 2).sum(1), float)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Random weights times the basis."""
        weights = self.std * rng.standard_normal((n, self.basis.size))
        return np.asarray(weights @ self.basis(points.s).T, float)


@dataclass(frozen=True)
class Product(Pair):
    """A kernel whose strength and shape change with the fraction, as in FABOLAS.

    The left one is over the config, the right one over the fraction.
    """

    right: FiniteRank

    def _joined(self, a: Array, b: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
        return a * b, lambda upstream: (upstream * b, upstream * a)

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Covariances multiply."""
        one, two = self._split(theta, a.x.shape[1])
        total = self.left.between(one, a, b)
        total *= self.right.between(two, a, b)
        return total

    def over_fractions(self, theta: Array, a: Points, x: Array, fractions: Array) -> list[Array]:
        """The config's part is the same at every fraction, and computed once."""
        one, two = self._split(theta, a.x.shape[1])
        config = self.left.between(one, a, Points(x, np.ones(len(x))))
        at = Points(np.zeros((len(fractions), 1)), fractions)
        return [config * column[:, None] for column in self.right.between(two, a, at).T]

    def diagonal(self, theta: Array, points: Points) -> Array:
        """Variances multiply."""
        one, two = self._split(theta, points.x.shape[1])
        return self.left.diagonal(one, points) * self.right.diagonal(two, points)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """One independent function of the config for each loading of the fraction."""
        one, two = self._split(theta, points.x.shape[1])
        loadings = self.right.factors(two, points)
        count = loadings.shape[1]
        draws = self.left.draw(one, points, n * count, rng).reshape(count, n, -1)
        return np.asarray(np.einsum("mk,knm->nm", loadings, draws), float)
