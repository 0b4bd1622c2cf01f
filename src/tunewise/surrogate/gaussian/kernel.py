"""Covariance functions of (config, fraction), and how they are put together.

A kernel has a vector of hyper-parameters `theta`, each with a normal prior on the scale it is
written in (mostly logarithms). Gradients are exact and passed backwards: a kernel bound to
points returns its matrix and a function that turns the derivative of any number with respect to
the matrix into the derivative with respect to `theta`. Sums and products only pass it on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points

Pullback: TypeAlias = Callable[[Array], Array]
Bound: TypeAlias = Callable[[Array], tuple[Array, Pullback]]


@dataclass(frozen=True, eq=False)
class Hyperprior:
    """Independent normal beliefs about hyper-parameters, cut at hard bounds; each (p,)."""

    mean: Array
    std: Array
    low: Array
    high: Array

    @classmethod
    def same(cls, size: int, mean: float, std: float, low: float, high: float) -> "Hyperprior":
        """The same belief about `size` hyper-parameters."""
        return cls(*(np.full(size, float(value)) for value in (mean, std, low, high)))

    @classmethod
    def join(cls, *parts: "Hyperprior") -> "Hyperprior":
        """The beliefs of several kernels, one after the other."""
        columns = zip(*((p.mean, p.std, p.low, p.high) for p in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def __len__(self) -> int:
        """How many hyper-parameters there are."""
        return len(self.mean)


NOISE = Hyperprior.same(1, -4.0, 1.0, np.log(1e-6), 0.0)
"""Log variance of the noise of standardised targets, which stands after a kernel's own
hyper-parameters. The floor keeps the covariance of repeated configs safely positive."""


class Kernel(ABC):
    """A covariance function of (config, fraction)."""

    @abstractmethod
    def prior(self, dims: int) -> Hyperprior:
        """Beliefs about the hyper-parameters for configs of `dims` dimensions."""

    @abstractmethod
    def bind(self, points: Points) -> Bound:
        """Prepare the matrix of these points (n, n) for many values of `theta`."""

    @abstractmethod
    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Covariances of each of `a` (n) with each of `b` (m): (n, m)."""

    def over_fractions(self, theta: Array, a: Points, x: Array, fractions: Array) -> list[Array]:
        """Covariances of `a` (n) with configs `x` (m, d), at each fraction: F times (n, m)."""
        return [
            self.between(theta, a, Points(x, np.full(len(x), fraction))) for fraction in fractions
        ]

    @abstractmethod
    def diagonal(self, theta: Array, points: Points) -> Array:
        """Variances at the points, (n,)."""

    @abstractmethod
    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Draw `n` functions from the prior at m points: (n, m)."""


@cache
def _size(kernel: Kernel, dims: int) -> int:
    """How many hyper-parameters a kernel has; kept because every covariance asks for it."""
    return len(kernel.prior(dims))


@dataclass(frozen=True)
class Pair(Kernel):
    """Two kernels put together, whose hyper-parameters stand one after the other."""

    left: Kernel
    right: Kernel

    def prior(self, dims: int) -> Hyperprior:
        """Beliefs of the left, then of the right."""
        return Hyperprior.join(self.left.prior(dims), self.right.prior(dims))

    def _split(self, theta: Array, dims: int) -> tuple[Array, Array]:
        size = _size(self.left, dims)
        return theta[:size], theta[size:]

    def bind(self, points: Points) -> Bound:
        """Both matrices put together; each side gets its part of the derivative."""
        left, right = self.left.bind(points), self.right.bind(points)
        size = _size(self.left, points.x.shape[1])

        def evaluate(theta: Array) -> tuple[Array, Pullback]:
            (a, pull_a), (b, pull_b) = left(theta[:size]), right(theta[size:])
            whole, parts = self._joined(a, b)

            def pullback(upstream: Array) -> Array:
                to_a, to_b = parts(upstream)
                return np.concatenate([pull_a(to_a), pull_b(to_b)])

            return whole, pullback

        return evaluate

    @abstractmethod
    def _joined(self, a: Array, b: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
        """The matrix of both, and what its derivative says of each."""


@dataclass(frozen=True)
class Sum(Pair):
    """Two independent effects that add up."""

    def _joined(self, a: Array, b: Array) -> tuple[Array, Callable[[Array], tuple[Array, Array]]]:
        return a + b, lambda upstream: (upstream, upstream)

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Covariances add."""
        one, two = self._split(theta, a.x.shape[1])
        total = self.left.between(one, a, b)
        total += self.right.between(two, a, b)
        return total

    def over_fractions(self, theta: Array, a: Points, x: Array, fractions: Array) -> list[Array]:
        """Covariances add, at each fraction."""
        one, two = self._split(theta, a.x.shape[1])
        left = self.left.over_fractions(one, a, x, fractions)
        right = self.right.over_fractions(two, a, x, fractions)
        return [p + q for p, q in zip(left, right, strict=True)]

    def diagonal(self, theta: Array, points: Points) -> Array:
        """Variances add."""
        one, two = self._split(theta, points.x.shape[1])
        return self.left.diagonal(one, points) + self.right.diagonal(two, points)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Independent draws add."""
        one, two = self._split(theta, points.x.shape[1])
        return self.left.draw(one, points, n, rng) + self.right.draw(two, points, n, rng)
