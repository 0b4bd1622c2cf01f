"""Linear models: ridge, with its strength chosen by leave-one-out, and logistic regression."""

from dataclasses import dataclass
from math import prod

import numpy as np

from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.matrix import (
    Learned,
    MatrixModel,
    Rows,
    log_loss,
    softmax,
    temperature,
)
from tunewise.declarative.models.model import CLASSES, NUMBERS, TENSORS, Array, Size
from tunewise.declarative.models.threads import quiet
from tunewise.declarative.schema import Program
from tunewise.errors import optional

STRENGTHS = np.geomspace(1e-2, 1e5, 15)
"""Of the ridge, times the average variance of a column."""

JUDGED = 10_000
"""Rows that the leave-one-out errors are computed on, so that memory stays small."""

MOST_WEIGHTS = 4_000_000
"""Of a linear model: 16 MB."""

INVERSE_STRENGTHS = (0.003, 0.03, 0.3, 3.0)
"""Of logistic regression: scikit-learn's C."""


@dataclass(frozen=True)
class Ridge:
    """Weights (d, k) and biases (k,), and the scores that rows get from all others."""

    weights: Array
    bias: Array
    held_out: Array
    judged: Array


def ridge(x: Array, y: Array, seed: int = 0) -> Ridge:
    """Least squares with the strength that has the least leave-one-out error."""
    x_mean, y_mean = x.mean(axis=0, dtype=np.float64), y.mean(axis=0)
    centred, target = x - x_mean.astype(x.dtype), y - y_mean
    variances, axes = _axes(centred)
    moments = axes.T @ (centred.T @ target)
    judged = np.arange(len(x))
    if len(x) > JUDGED:
        judged = np.random.default_rng(seed).choice(len(x), JUDGED, replace=False)
    turned, wanted = centred[judged] @ axes, target[judged]
    squares, unit = turned**2, float(np.mean(variances)) / len(x) + 1e-12
    best: tuple[float, float, Array] | None = None
    for strength in STRENGTHS * unit:
        shrunk = 1.0 / (variances + strength)
        leverage = np.minimum(squares @ shrunk + 1.0 / len(x), 1 - 1e-6)
        errors = (wanted - turned @ (shrunk[:, None] * moments)) / (1 - leverage)[:, None]
        loss = float(np.mean(errors**2))
        if best is None or loss < best[0]:
            best = loss, strength, errors
    assert best is not None
    weights = axes @ (moments / (variances + best[1])[:, None])
    held_out = y[judged] - best[2]
    return Ridge(weights, y_mean - x_mean @ weights, held_out, judged)


def _axes(centred: Array) -> tuple[Array, Array]:
    """Squared singular values (r,) and right singular vectors (d, r) of a matrix (n, d)."""
    rows, columns = centred.shape
    if columns <= rows:
        values, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        return np.maximum(values, 0.0), axes
    values, left = np.linalg.eigh((centred @ centred.T).astype(np.float64))
    values = np.maximum(values, 0.0)
    kept = values > 1e-9 * values[-1]
    return values[kept], (centred.T @ left[:, kept]) / np.sqrt(values[kept])


def affine(weights: Array, bias: Array, classes: bool) -> Learned:
    """A linear model as it is stored; scores of classes become probabilities."""
    weights, bias = np.asarray(weights, np.float32), np.asarray(bias, np.float32)

    def predict(x: Array) -> Array:
        scores = x @ weights + bias
        return softmax(scores) if classes else np.asarray(scores)

    def write(graph: Graph, source: str) -> str:
        scores = graph.affine(source, weights, bias)
        return graph.softmax(scores) if classes else scores

    return Learned(predict, write)


def ridge_learned(rows: Rows) -> Learned:
    """A ridge; for classes one output each, with probabilities that held-out rows ask for."""
    found = ridge(rows.x, rows.onehot(), rows.seed)
    factor = temperature(found.held_out, rows.y[found.judged]) if rows.classes else 1.0
    return affine(found.weights * factor, found.bias * factor, rows.classes)


class RidgeModel(MatrixModel):
    """Ridge regression; for classes on -1 and 1."""

    name, year, citations = "ridge", 1970, 13000
    templates = ("tables", "images", "recovery")
    outputs = (CLASSES, NUMBERS, TENSORS)
    normalised = False

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Where all pixels with all pixels are not too many."""
        sizes = (prod(side.fields[0].shape) for side in (program.input, program.output))
        return prod(sizes) <= MOST_WEIGHTS

    def learn(self, rows: Rows) -> Learned:
        """One closed form."""
        return ridge_learned(rows)

    def seconds(self, size: Size) -> float:
        """Products of the columns with each other, and one decomposition."""
        small = min(size.inputs, size.examples)
        return 0.02 + 2e-10 * size.inputs * size.examples * small + 2e-9 * small**3


class Logistic(MatrixModel):
    """Logistic regression; its strength is chosen on a held-out fifth."""

    name, year, citations = "logistic", 1958, 9000
    templates = ("tables",)
    outputs = (CLASSES,)

    def learn(self, rows: Rows) -> Learned:
        """Choose the strength, then learn from all rows."""
        return logistic_learned(rows)

    def seconds(self, size: Size) -> float:
        """Some hundred passes over the data."""
        return 0.1 + 6e-7 * size.examples * size.inputs * (1 + size.outputs / 4)


def logistic_learned(rows: Rows, strengths: tuple[float, ...] = INVERSE_STRENGTHS) -> Learned:
    """Logistic regression with the strength that a held-out fifth likes best."""
    learning, judging = rows.split()
    losses = []
    for inverse in strengths:
        weights, bias = _logistic(learning, inverse)
        losses.append(log_loss(judging.x @ weights + bias, judging.y))
    return affine(*_logistic(rows, strengths[int(np.argmin(losses))]), classes=True)


def _logistic(rows: Rows, inverse: float) -> tuple[Array, Array]:
    """Weights (d, k) and biases (k,); classes without examples get none."""
    linear_model = optional("sklearn.linear_model", extra="tasks")
    weights = np.zeros((rows.x.shape[1], rows.width))
    bias = np.full(rows.width, -30.0)
    seen = np.unique(rows.y)
    if len(seen) == 1:
        bias[seen] = 0.0
        return weights, bias
    found = linear_model.LogisticRegression(C=inverse, max_iter=300, tol=1e-3)
    with quiet():
        found.fit(rows.x, rows.y)
    if len(seen) == 2:  # one row of weights for the second class
        weights[:, seen[1]], bias[seen] = found.coef_[0], (0.0, found.intercept_[0])
    else:
        weights[:, seen], bias[seen] = found.coef_.T, found.intercept_
    return weights, bias
