"""How far measurements lie from the metric itself: a variance, and how it grows on slices."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.kernel import Hyperprior
from tunewise.surrogate.normal import Array

# Log variance of the noise of standardised targets. The floor keeps the covariance of repeated
# configs safely positive.
LEVEL = Hyperprior.same(1, -4.0, 1.0, np.log(1e-6), 0.0)

GROWTH = Hyperprior.same(1, 0.0, 0.5, -2.0, 2.3)
"""What a tenth of the data adds to the log variance. Errors of counting would add 2.3, the bound;
on the modelled scales most of that is gone: learners and made-up problems had -0.1 to 0.5
(NOTEBOOK.md). So nothing is expected, and either end needs measurements that say so."""


@dataclass(frozen=True, eq=False)
class Noise:
    """The variance of a measurement on a fraction of the data.

    Attributes:
        level: Belief about the log variance on the full data.
        growth: Belief about what a tenth of the data adds to it; None where all fractions are 1.
    """

    level: Hyperprior = LEVEL
    growth: Hyperprior | None = None

    @property
    def prior(self) -> Hyperprior:
        """Beliefs about its hyper-parameters, which stand after those of a kernel."""
        return self.level if self.growth is None else Hyperprior.join(self.level, self.growth)

    def __len__(self) -> int:
        """How many hyper-parameters it has."""
        return 1 if self.growth is None else 2

    def kernel(self, theta: Array) -> Array:
        """The hyper-parameters that are the kernel's."""
        return theta[: len(theta) - len(self)]

    def variance(self, theta: Array, s: Array) -> Array:
        """Of a measurement at each fraction, (n,); `theta` holds the kernel's, then its own."""
        own = theta[len(theta) - len(self) :]
        grown = np.zeros_like(s) if self.growth is None else -own[1] * np.log10(s)
        # Hardly any data may add a lot: never more than all that targets differ by.
        return np.asarray(np.exp(np.minimum(own[0] + grown, 0.0)), float)

    def gradient(self, theta: Array, s: Array, by_variance: Array) -> Array:
        """By its hyper-parameters, of what changes with the variances by so much (n,)."""
        slope = by_variance * self.variance(theta, s)
        if self.growth is None:
            return np.array([slope.sum()])
        own = theta[len(theta) - len(self) :]
        free = own[0] - own[1] * np.log10(s) < 0
        slope = slope * free
        return np.array([slope.sum(), -(slope * np.log10(s)).sum()])
