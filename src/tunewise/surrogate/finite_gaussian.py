"""A normal belief about finitely many things at once, and what measurements make of it.

Where there is a list of things (configs of a pool, models of a service) the whole belief is a mean
and a covariance, and learning is linear algebra. Everything takes leading axes: with means
(..., n) one call conditions many beliefs at once, such as one for each user or each draw of
hyper-parameters.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunewise.surrogate.normal import Array, Normal

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Update:
    """What m measurements do to a belief about n things, whatever they turn out to be.

    Attributes:
        across: (..., m, n) covariances of each measured thing with all things.
        gain: (..., m, n) how far each mean moves per unit of each residual.
    """

    across: Array
    gain: Array

    @classmethod
    def of(cls, own: Array, across: Array) -> "Update":
        """From the covariance of the measurements (..., m, m), their noise included."""
        return cls(across, np.asarray(np.linalg.solve(own, across), float))

    def shift(self, residual: Array) -> Array:
        """How far the means move for residuals (..., m), measured minus expected: (..., n)."""
        return np.asarray((residual[..., None, :] @ self.gain)[..., 0, :], float)

    def explained(self) -> Array:
        """How much of each variance the measurements take away, (..., n)."""
        return np.asarray(np.einsum("...mn,...mn->...n", self.across, self.gain), float)

    def moved(self, samples: Array, surprise: Array) -> Array:
        """Samples (..., s, n), given measured minus sampled values (..., s, m): Matheron's rule."""
        return np.asarray(samples + surprise @ self.gain, float)


@dataclass(frozen=True, eq=False)
class FiniteGaussian:
    """A joint normal belief about n things, or a stack of such beliefs.

    Attributes:
        mean: (..., n).
        covariance: (..., n, n).
    """

    mean: Array
    covariance: Array

    def __len__(self) -> int:
        """How many things there are."""
        return int(self.mean.shape[-1])

    @property
    def variance(self) -> Array:
        """(..., n), never below 0."""
        diagonal = np.diagonal(self.covariance, axis1=-2, axis2=-1)
        return np.asarray(np.maximum(diagonal, 0.0), float)

    @property
    def marginals(self) -> Normal:
        """The belief about each thing by itself, (..., n)."""
        return Normal(self.mean, np.sqrt(self.variance))

    def update(self, at: Positions, noise: ArrayLike = 0.0) -> Update:
        """What measuring the things at positions (m,) does.

        Args:
            at: Which things; one may come more than once.
            noise: Variance of each measurement, (m,) or one for all: above 0 where a thing comes
                twice, or is certain already.
        """
        across = self.covariance[..., at, :]
        own = across[..., :, at] + np.eye(len(at)) * np.asarray(noise, float)
        return Update.of(own, across)

    def given(self, at: Positions, values: Array, noise: ArrayLike = 0.0) -> "FiniteGaussian":
        """The belief once the things at positions (m,) were measured so, (..., m)."""
        if not len(at):
            return self
        update = self.update(at, noise)
        mean = self.mean + update.shift(values - self.mean[..., at])
        covariance = self.covariance - np.swapaxes(update.across, -1, -2) @ update.gain
        return FiniteGaussian(mean, covariance)


def blocks(covariance: Array, groups: int) -> Array:
    """Of n = groups x k things, group by group: the covariances of each k-th of them, (k, g, g)."""
    size = len(covariance) // groups
    parts = covariance.reshape(groups, size, groups, size)
    return np.asarray(np.einsum("gkhk->kgh", parts), float)


def log_density(covariance: Array, residual: Array) -> Array:
    """Log density of residuals (..., m) under normals of mean 0 and covariance (..., m, m)."""
    root = np.linalg.cholesky(covariance)
    column = np.broadcast_to(residual[..., None], (*root.shape[:-1], 1))
    half = np.linalg.solve(root, column)[..., 0]
    scale = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(-1)
    constant = 0.5 * residual.shape[-1] * np.log(2 * np.pi)
    return np.asarray(-0.5 * (half**2).sum(-1) - scale - constant, float)
