"""What settings do to a logarithm: nearly a sum over their parameters, and what bends around it.

A Gaussian process whose scales are stated, not learned: a training that is tuned while it runs has
tried a handful of settings, which say little about scales, and thinking must cost next to nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunewise.surrogate import Array, Normal

_BEND = 0.25
"""The deviation of what bends around the sum over parameters, over the whole of a range, in units
of the spread; and that of what each setting has for itself, so that neighbours never overrule what
was measured of it."""

_CURVE = 0.4
"""The deviation of what each parameter alone does beside a straight line, in the same units,"""

_TURN = 0.5
"""and the distance over which that turns: the middle of a range may be best, or a step in it."""


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of settings, given what was measured of some.

    Attributes:
        x: Encoded settings, (n, d).
        y: What was measured, (n,).
        covariance: Of its noise, (n, n).
        spread: The deviation of what a parameter does from its one end to the other, and of the
            level of all settings.
        known: What else is known of each setting that has a slope of its own, (n, k).
        slopes: Mean and deviation of each of these slopes, (k, 2).
    """

    x: Array
    y: Array
    covariance: Array
    spread: float
    known: Array
    slopes: Array

    @classmethod
    def plain(cls, x: Array, y: Array, covariance: Array, spread: float) -> "Effects":
        """Where nothing else is known of settings."""
        return cls(x, y, covariance, spread, np.empty((len(x), 0)), np.empty((0, 2)))

    @cached_property
    def _root(self) -> Array:
        own = self._between(self.x, self.known, self.x, self.known)
        return np.asarray(np.linalg.cholesky(own + self.covariance), float)

    @cached_property
    def _middle(self) -> float:
        return float(np.mean(self.y - self._stated(self.known)))

    @cached_property
    def _weights(self) -> Array:
        off = self.y - self._stated(self.known) - self._middle
        return np.asarray(np.linalg.solve(self._root.T, np.linalg.solve(self._root, off)), float)

    @property
    def evidence(self) -> float:
        """The logarithm of the density of what was measured, but for a constant a measurement."""
        off = self.y - self._stated(self.known) - self._middle
        return float(-0.5 * off @ self._weights - np.log(np.diagonal(self._root)).sum())

    def predict(self, x: Array, known: Array | None = None) -> Normal:
        """The logarithm of settings, (m,)."""
        told = np.empty((len(x), 0)) if known is None else known
        across = self._between(x, told, self.x, self.known)
        mean = self._stated(told) + self._middle + across @ self._weights
        half = np.linalg.solve(self._root, across.T)
        variance = self._variance(x, told) - (half**2).sum(0)
        return Normal(np.asarray(mean, float), np.sqrt(np.maximum(variance, 1e-9)))

    def ahead(self, x: Array, known: Array, of: Array, of_known: Array) -> Normal:
        """By how much the logarithms of settings are above that of one other, (m,).

        What is not known of the level of all settings is common to them, and of no concern.

        Args:
            x: Encoded settings, (m, d).
            known: What else is known of them, (m, k).
            of: The other one, (1, d).
            of_known: The same of it, (1, k).
        """
        mean = self.predict(x, known).mean - self.predict(of, of_known).mean
        own, other = self._variance_left(x, known), self._variance_left(of, of_known)
        variance = own + other - 2 * self.common(x, known, of, of_known)
        return Normal(np.asarray(mean, float), np.sqrt(np.maximum(variance, 1e-9)))

    def common(self, x: Array, known: Array, of: Array, of_known: Array) -> Array:
        """What the logarithms of settings have in common with that of one other: covariances, (m,).

        Args:
            x: Encoded settings, (m, d).
            known: What else is known of them, (m, k).
            of: The other one, (1, d).
            of_known: The same of it, (1, k).
        """
        half = np.linalg.solve(self._root, self._between(self.x, self.known, x, known))
        other = np.linalg.solve(self._root, self._between(self.x, self.known, of, of_known))
        return np.asarray((self._between(x, known, of, of_known) - half.T @ other)[:, 0], float)

    def _variance_left(self, x: Array, known: Array) -> Array:
        return np.asarray(self.predict(x, known).std, float) ** 2

    def _stated(self, known: Array) -> Array:
        return np.asarray(known @ self.slopes[:, 0], float)

    def _loadings(self, x: Array, known: Array) -> Array:
        """What multiplies independent normal slopes, (n, d + k)."""
        other = (known - self.known.mean(0)) * self.slopes[:, 1]
        return np.concatenate([self.spread * (x - 0.5), other], axis=1)

    def _variance(self, x: Array, known: Array) -> Array:
        plane = (self._loadings(x, known) ** 2).sum(1)
        curved = x.shape[1] * (_CURVE * self.spread) ** 2
        return np.asarray(self.spread**2 + plane + curved + 2 * (_BEND * self.spread) ** 2, float)

    def _between(self, a: Array, a_known: Array, b: Array, b_known: Array) -> Array:
        """Covariance, (n, m)."""
        plane = self._loadings(a, a_known) @ self._loadings(b, b_known).T
        square = (a**2).sum(1)[:, None] + (b**2).sum(1)[None, :] - 2 * a @ b.T
        apart = np.abs(a[:, None, :] - b[None, :, :]) / _TURN
        alike = _near(np.sqrt(np.maximum(square, 0.0))) + (apart == 0).all(2)
        bend = (_BEND * self.spread) ** 2 * alike
        curve = (_CURVE * self.spread) ** 2 * _near(apart).sum(2)
        return np.asarray(self.spread**2 + plane + curve + bend, float)


def _near(distance: Array) -> Array:
    """How much settings at a distance have in common: Matern's kernel of smoothness 5/2."""
    away = np.sqrt(5) * distance
    return np.asarray((1 + away + away**2 / 3) * np.exp(-away), float)
