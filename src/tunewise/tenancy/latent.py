"""The scales on which accuracy is believed to be normal: as it is, or its logit."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tunewise.acquisition.improvement import expected_improvement
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import roots
from tunewise.surrogate.scale import expit, logit
from tunewise.surrogate.slope import LEAST


class Default(NamedTuple):
    """What is believed before any log: of a new user's mean, level, and each model's own part."""

    mean: float
    level: float
    own: float


class Latent(ABC):
    """A scale of accuracy, and what a model's accuracy is expected to gain on it."""

    default: Default

    @abstractmethod
    def of(self, accuracy: ArrayLike) -> Array:
        """From accuracy to this scale."""

    @abstractmethod
    def accuracy(self, value: ArrayLike) -> Array:
        """From this scale to accuracy."""

    @abstractmethod
    def gain(self, belief: Normal, best: float | Array) -> Array:
        """How far accuracy is expected to rise above `best`, for each model (n,)."""


class Plain(Latent):
    """Accuracy itself, as in ease.ml."""

    default = Default(0.75, 0.03, 0.01)

    def of(self, accuracy: ArrayLike) -> Array:
        """The accuracies themselves."""
        return np.asarray(accuracy, float)

    def accuracy(self, value: ArrayLike) -> Array:
        """The values themselves."""
        return np.asarray(value, float)

    def gain(self, belief: Normal, best: float | Array) -> Array:
        """Expected improvement; what would lie above 1 does not count."""
        gain = expected_improvement(belief, best) - expected_improvement(belief, 1.0)
        return np.asarray(np.maximum(gain, 0.0), float)


class Logit(Latent):
    """The logit of accuracy: near 1, where accuracy saturates, small differences count."""

    default = Default(1.1, 1.0, 0.5)

    def of(self, accuracy: ArrayLike) -> Array:
        """Accuracies below 0.05 are taken as that, and those at 1 as just inside."""
        return logit(np.maximum(np.asarray(accuracy, float), LEAST))

    def accuracy(self, value: ArrayLike) -> Array:
        """The logistic function."""
        return expit(value)

    def gain(self, belief: Normal, best: float | Array) -> Array:
        """By Gauss-Hermite quadrature with 21 nodes."""
        mean, std = np.asarray(belief.mean, float), np.asarray(belief.std, float)
        # Enough for the kink at the best so far: this number decides, and is no mere outcome.
        nodes, weights = roots(21)
        outcomes = self.accuracy(mean[..., None] + std[..., None] * nodes)
        return np.asarray(np.maximum(outcomes - np.asarray(best)[..., None], 0.0) @ weights, float)


PLAIN = Plain()
LOGIT = Logit()
