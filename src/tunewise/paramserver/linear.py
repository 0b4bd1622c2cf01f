"""Linear models: l2-regularised logistic regression and the linear support-vector machine."""

from dataclasses import dataclass

import numpy as np

from tunewise.paramserver.data import Batch
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Logistic:
    """Mean of log(1 + exp(-y w·x)) plus l2/2 ||w||^2; labels are -1 and 1.

    Attributes:
        size: Parameters: one a feature.
        l2: Strength of the regularisation.
    """

    size: int
    l2: float = 1e-4

    @property
    def inputs(self) -> int:
        """Features of a row."""
        return self.size

    def initial(self, seed: int) -> Array:
        """Where the training begins."""
        return np.zeros(self.size)

    def work(self, batch: Batch) -> float:
        """Multiplications of one gradient."""
        return 4.0 * batch.entries

    def gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """Loss over a batch, and its gradient by the touched parameters."""
        loss, slope = self.slopes(batch.x @ values, batch)
        penalty, regular = self.penalty(values, batch)
        gradient = batch.x.T @ slope / batch.rows + regular
        return loss + penalty, np.asarray(gradient, float)

    def slopes(self, products: Array, batch: Batch) -> tuple[float, Array]:
        """Mean loss of rows by their products with the values, and its slope by each."""
        loss, slope = self._loss(batch.y * products)
        return float(loss.mean()), slope * batch.y

    def penalty(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """What regularisation adds to the loss over a batch, and to the gradient."""
        regular = self.l2 * batch.weight * values
        return 0.5 * float(regular @ values), np.asarray(regular, float)

    def loss(self, values: Array, batch: Batch) -> float:
        """Loss over rows of all parameters' values."""
        touched = values if batch.keys is None else values[batch.keys]
        loss, _ = self._loss(batch.y * (batch.x @ touched))
        return float(loss.mean() + 0.5 * self.l2 * (values @ values))

    def _loss(self, margin: Array) -> tuple[Array, Array]:
        """Loss and its slope by the margin."""
        grown = np.exp(-np.abs(margin))
        loss = np.log1p(grown) + np.maximum(-margin, 0)
        probability = np.where(margin >= 0, 1 / (1 + grown), grown / (1 + grown))
        return loss, probability - 1


@dataclass(frozen=True)
class Svm(Logistic):
    """Mean of the hinge max(0, 1 - y w·x) plus l2/2 ||w||^2; labels are -1 and 1."""

    def _loss(self, margin: Array) -> tuple[Array, Array]:
        return np.maximum(1 - margin, 0), np.where(margin < 1, -1.0, 0.0)
