"""What ten times the data adds to a metric, whatever the config: a shrunken regression.

Trees cannot go beyond the fractions they have seen. A line common to all configs can, and says how
unsure it is: the further from the data, the more.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.normal import ROUNDS, Array

LEAST = 0.05
"""The least share that counts. Of the targets' spread: what stays uncertain where a line, or all
trees, fit by chance; what a config has of its own, and how its curve leaves a parabola; what may
still be improved. Of a share itself: an accuracy, and what an answer loses that breaks a limit. Of
a surprise on a slice what the full data shows, and of a price what a like config's bill leaves."""


@dataclass(frozen=True, eq=False)
class Slope:
    """A normal belief about the slope per decade of the fraction.

    Attributes:
        mean: What is expected.
        variance: How unsure that is.
        noise: Variance of observations around what is expected of them.
    """

    mean: float
    variance: float
    noise: float

    @classmethod
    def learned(cls, away: Array, above: Array, prior: float, spread: float) -> "Slope":
        """From n targets, each compared with others of the same level; n may be 0.

        Args:
            away: (n,) how many decades larger its fraction is than theirs.
            above: (n,) how much larger it is itself, in standard units.
            prior: Standard deviation of the slope before anything was seen; 0 for none.
            spread: The deviation that targets are expected to have, as one more observation.
        """
        if prior == 0:
            return cls(0.0, 0.0, 1.0)
        length, product, mean = float(away @ away), float(away @ above), 0.0
        for _ in range(ROUNDS):
            left = above - mean * away
            noise = (float(left @ left) + spread**2) / max(len(above) + (spread > 0), 1)
            noise = max(noise, LEAST**2)
            mean = product / (length + noise / prior**2)
        return cls(mean, noise / (length + noise / prior**2), noise)

    def gain(self, away: Array) -> Array:
        """How far the mean moves for each unit of surprise so many decades away, (n,)."""
        return self.variance * away / (self.noise + self.variance * away**2)

    def variance_after(self, away: Array) -> Array:
        """The variance once one observation so many decades away was made, (n,)."""
        return self.variance * self.noise / (self.noise + self.variance * away**2)

    def given(self, away: Array, surprise: Array) -> "Slope":
        """The belief after all of these: decades away (n,), target minus its level (n,)."""
        precision = 1 / self.variance + float(away @ away) / self.noise if self.variance else np.inf
        pull = float(away @ (surprise - self.mean * away)) / self.noise
        return Slope(self.mean + pull / precision, 1 / precision, self.noise)
