"""A small network in numpy: as hard to follow as a larger one, and quick to compute."""

from dataclasses import dataclass

import numpy as np

from tunewise.paramserver.data import Batch
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Network:
    """One hidden layer of tanh under a logistic loss; labels are -1 and 1.

    Attributes:
        features: Inputs.
        hidden: Units of the hidden layer.
        per_row: Multiplications of a row's gradient: those of the network that this one stands for.
    """

    features: int
    hidden: int
    per_row: float

    @property
    def size(self) -> int:
        """How many parameters."""
        return self.hidden * (self.features + 2) + 1

    def initial(self, seed: int) -> Array:
        """Where the training begins."""
        rng = np.random.default_rng(seed)
        values = rng.standard_normal(self.size)
        values[: self.hidden * self.features] *= 1 / np.sqrt(self.features)
        values[self.hidden * self.features :] *= 0.5 / np.sqrt(self.hidden)
        return values

    def work(self, batch: Batch) -> float:
        """Multiplications of one gradient."""
        return self.per_row * batch.rows

    def gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """Loss over a batch, and its gradient."""
        first, bias, second, shift = self._parts(values)
        hidden = np.tanh(batch.x @ first.T + bias)
        margin = batch.y * (hidden @ second + shift)
        slope = -batch.y / (1 + np.exp(np.clip(margin, -50, 50))) / batch.rows
        back = np.outer(slope, second) * (1 - hidden**2)
        gradient = np.concatenate(
            [(back.T @ batch.x).ravel(), back.sum(0), hidden.T @ slope, [slope.sum()]]
        )
        return float(np.logaddexp(0, -margin).mean()), gradient

    def loss(self, values: Array, batch: Batch) -> float:
        """Loss over rows."""
        first, bias, second, shift = self._parts(values)
        score = np.tanh(batch.x @ first.T + bias) @ second + shift
        return float(np.logaddexp(0, -batch.y * score).mean())

    def _parts(self, values: Array) -> tuple[Array, Array, Array, float]:
        cut = self.hidden * self.features
        first = values[:cut].reshape(self.hidden, self.features)
        bias, second = values[cut : cut + self.hidden], values[cut + self.hidden : -1]
        return first, bias, second, float(values[-1])
