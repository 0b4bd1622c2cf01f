"""Support vectors with a Gaussian kernel."""

from itertools import combinations
from typing import Any

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
from tunewise.declarative.models.model import Array, Size
from tunewise.declarative.models.threads import quiet
from tunewise.errors import optional

PENALTIES = (1.0, 10.0)
"""Of errors (scikit-learn's C); the better on a held-out fifth is taken."""

MOST_ROWS = 5_000
"""Rows that are learned from: time grows with their square, an answer's with the vectors."""


class Vectors(MatrixModel):
    """A support vector machine."""

    name, year, citations = "support_vectors", 1995, 60000
    templates = ("tables", "images")
    normalised = False

    def learn(self, rows: Rows) -> Learned:
        """See `vectors_learned`."""
        return vectors_learned(rows)

    def seconds(self, size: Size) -> float:
        """Quadratic in the rows."""
        rows = min(size.examples, MOST_ROWS)
        return 0.05 + 4e-10 * rows**2 * (size.inputs + 60) * len(PENALTIES)


def vectors_learned(rows: Rows) -> Learned:
    """Support vectors, with the penalty that a held-out fifth likes best."""
    if len(rows.x) > MOST_ROWS:
        drawn = np.random.default_rng(rows.seed).permutation(len(rows.x))
        rows = rows.at(np.sort(drawn[:MOST_ROWS]))
    learning, judging = rows.split()
    tried = [_Machine(learning, penalty) for penalty in PENALTIES]
    if not rows.classes:
        errors = [np.mean((each.scores(judging.x) - judging.y) ** 2) for each in tried]
        return _Machine(rows, PENALTIES[int(np.argmin(errors))]).learned(1.0)
    factors = [temperature(each.scores(judging.x), judging.y) for each in tried]
    losses = [
        log_loss(each.scores(judging.x), judging.y, factor)
        for each, factor in zip(tried, factors, strict=True)
    ]
    best = int(np.argmin(losses))
    return _Machine(rows, PENALTIES[best]).learned(factors[best])


class _Machine:
    """Decisions `k(x, vectors) @ weights + bias`, and how they become scores of the classes.

    For classes there is a decision a pair of them, and a class's score is the sum of what its
    pairs say, each between -1 and 1 where they are sure.
    """

    def __init__(self, rows: Rows, penalty: float) -> None:
        svm = optional("sklearn.svm", extra="tasks")
        self.classes, self.width = rows.classes, rows.width
        self.gamma = 1.0 / (rows.x.shape[1] * max(float(rows.x.var()), 1e-9))
        self.pairs = np.zeros((1, rows.width))
        with quiet():
            if rows.classes:
                self._classes(svm, rows, penalty)
            else:
                self._numbers(svm, rows, penalty)

    def _numbers(self, svm: Any, rows: Rows, penalty: float) -> None:
        mean, scale = rows.y.mean(axis=0), rows.y.std(axis=0) + 1e-9
        made = [
            svm.SVR(C=penalty, gamma=self.gamma).fit(rows.x, column)
            for column in ((rows.y - mean) / scale).T
        ]
        used = np.unique(np.concatenate([each.support_ for each in made]))
        self.vectors = rows.x[used]
        self.weights = np.zeros((len(used), rows.width))
        for k, each in enumerate(made):
            self.weights[np.searchsorted(used, each.support_), k] = each.dual_coef_[0] * scale[k]
        self.bias = np.array([each.intercept_[0] for each in made]) * scale + mean

    def _classes(self, svm: Any, rows: Rows, penalty: float) -> None:
        seen = np.unique(rows.y)
        if len(seen) == 1:
            self.vectors, self.weights, self.bias = rows.x[:1], np.zeros((1, 1)), np.ones(1)
            self.pairs[0, seen] = 1.0
            return
        made = svm.SVC(C=penalty, gamma=self.gamma).fit(rows.x, rows.y)
        self.vectors, self.bias = made.support_vectors_, np.array(made.intercept_)
        if len(seen) == 2:  # scikit-learn turns the sign of a single pair
            self.bias = -self.bias
        ends = np.concatenate([[0], np.cumsum(made.n_support_)])
        couples = list(combinations(range(len(seen)), 2))
        self.weights = np.zeros((len(self.vectors), len(couples)))
        self.pairs = np.zeros((len(couples), rows.width))
        sign = -1.0 if len(seen) == 2 else 1.0
        for number, (one, two) in enumerate(couples):
            first, second = slice(ends[one], ends[one + 1]), slice(ends[two], ends[two + 1])
            self.weights[first, number] = sign * made.dual_coef_[two - 1, first]
            self.weights[second, number] = sign * made.dual_coef_[one, second]
            self.pairs[number, seen[one]], self.pairs[number, seen[two]] = 1.0, -1.0

    def scores(self, x: Array) -> Array:
        """(n, width)."""
        squares = (x**2).sum(axis=1)[:, None] + (self.vectors**2).sum(axis=1)
        near = np.exp(-self.gamma * np.maximum(squares - 2 * x @ self.vectors.T, 0.0))
        found = near @ self.weights + self.bias
        return np.tanh(found) @ self.pairs if self.classes else np.asarray(found)

    def learned(self, factor: float) -> Learned:
        """As it is stored, with the scores times a factor."""
        return Learned(
            lambda x: (
                softmax(self.scores(x) * factor)
                if self.classes
                else self.scores(x).astype(np.float32)
            ),
            lambda graph, source: self._write(graph, source, factor),
        )

    def _write(self, graph: Graph, source: str, factor: float) -> str:
        own = graph.add("ReduceSumSquare", source, axes=[1], keepdims=1)
        inner = graph.affine(source, -2.0 * self.vectors.T, (self.vectors**2).sum(axis=1))
        far = graph.add("Relu", graph.add("Add", inner, own))
        near = graph.add("Exp", graph.add("Mul", far, graph.constant(-self.gamma)))
        found = graph.affine(near, self.weights, self.bias)
        if not self.classes:
            return found
        scores = graph.add("MatMul", graph.add("Tanh", found), graph.constant(self.pairs * factor))
        return graph.softmax(scores)
