"""A finite Gaussian belief that learns one measurement at a time, in little memory.

`FiniteGaussian` holds a covariance of its own. Where thousands of users share one prior, each needs
only what sets it apart: a row for each measurement. The prior's covariance is never copied.
"""

import numpy as np

from tunewise.surrogate.finite_gaussian import FiniteGaussian, blocks
from tunewise.surrogate.normal import Array, Normal


class GrowingGaussian:
    """A belief about n things: a shared prior, and m whitened rows for m measurements.

    With the rows R (m, n), the covariance is `prior.covariance - R.T @ R`. A measurement costs
    O(m n) time and n numbers of memory.

    Attributes:
        mean: (n,).
        count: How many measurements there were.
        surprise: Their squared residuals in standard deviations, summed up.
    """

    def __init__(self, prior: FiniteGaussian) -> None:
        """Nothing is measured yet."""
        self._prior = prior
        self.mean = prior.mean.copy()
        self._variance = prior.variance
        self._rows: Array = np.empty((0, len(prior)))
        self.count = 0
        self.surprise = 0.0

    def __len__(self) -> int:
        """How many things there are."""
        return len(self._prior)

    @property
    def variance(self) -> Array:
        """(n,), never below 0."""
        return np.asarray(np.maximum(self._variance, 0.0), float)

    @property
    def marginals(self) -> Normal:
        """The belief about each thing by itself, (n,)."""
        return Normal(self.mean, np.sqrt(self.variance))

    def covariance(self) -> Array:
        """The whole covariance (n, n); large, so it is made only when it is asked for."""
        rows = self._rows[: self.count]
        return np.asarray(self._prior.covariance - rows.T @ rows, float)

    def blocks(self, groups: int) -> Array:
        """The parts of the covariance that `finite_gaussian.blocks` takes, (n / groups, g, g)."""
        rows = self._rows[: self.count].reshape(self.count, groups, -1)
        shared = blocks(self._prior.covariance, groups)
        return np.asarray(shared - np.einsum("mgk,mhk->kgh", rows, rows), float)

    def add(self, at: int, value: float, noise: float = 0.0) -> None:
        """Learn the value of one thing, measured with a noise of this variance."""
        rows = self._rows[: self.count]
        row = self._prior.covariance[at] - rows[:, at] @ rows
        observed = row[at] + noise
        if observed <= 0:
            return
        row /= np.sqrt(observed)
        step = (value - self.mean[at]) / np.sqrt(observed)
        self._keep(row)
        self.mean += row * step
        # A fresh array: copies of this belief share the old one.
        self._variance = self._variance - row * row
        self.surprise += float(step * step)

    def copy(self) -> "GrowingGaussian":
        """A belief of its own that starts from what this one knows."""
        twin = GrowingGaussian.__new__(GrowingGaussian)
        twin._prior, twin._variance = self._prior, self._variance
        twin.mean, twin.count, twin.surprise = self.mean.copy(), self.count, self.surprise
        twin._rows = self._rows[: self.count].copy()
        return twin

    def _keep(self, row: Array) -> None:
        if self.count == len(self._rows):
            room = np.empty((max(4, 2 * self.count), len(self)))
            room[: self.count] = self._rows[: self.count]
            self._rows = room
        self._rows[self.count] = row
        self.count += 1
