"""What models of matrices share: raw inputs become rows of numbers, a learner does the rest."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.model import TENSORS, Array, Data, Feeds, Fitted, Model


@dataclass(frozen=True)
class Learned:
    """A learner's result: its own answers, and how it is written into a graph.

    Attributes:
        predict: Probabilities or values (n, k) for rows (n, d).
        write: Adds the nodes to a graph, from the name of the rows to that of the answers.
    """

    predict: Callable[[Array], Array]
    write: Callable[[Graph, str], str]


@dataclass(frozen=True)
class Rows:
    """What a learner sees.

    Attributes:
        x: float32 (n, d).
        y: int64 classes (n,), or float32 numbers (n, m).
        width: Classes, or m.
        classes: Whether y are classes.
        seed: Of all that is drawn.
    """

    x: Array
    y: Array
    width: int
    classes: bool
    seed: int

    def onehot(self) -> Array:
        """Numbers as they are, classes as -1 and 1, (n, width)."""
        if not self.classes:
            return np.asarray(self.y, np.float64)
        return np.where(self.y[:, None] == np.arange(self.width), 1.0, -1.0)

    def split(self, share: float = 0.2) -> tuple["Rows", "Rows"]:
        """Two parts drawn by the seed: to learn from, and to choose with."""
        places = np.random.default_rng(self.seed).permutation(len(self.y))
        cut = max(1, round(len(places) * share))
        return self.at(places[cut:]), self.at(places[:cut])

    def at(self, places: Array) -> "Rows":
        """The rows at these places."""
        return Rows(self.x[places], self.y[places], self.width, self.classes, self.seed)


class MatrixModel(Model):
    """A learner on rows of numbers; `learn` is all that differs."""

    @abstractmethod
    def learn(self, rows: Rows) -> Learned:
        """Learn from rows."""

    def encoder(self, part: Data) -> dict[str, Any]:
        """How inputs become rows, or tensors whose numbers are."""
        return encoders.learned(part, power=self.power)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Encode, learn, write; see the contract."""
        part = data.slice(fraction, seed)
        encoder = self.encoder(part)
        encoded = encoders.encode(encoder, part.inputs)["x"]
        shape = encoded.shape[1:]
        rows = Rows(_flat(encoded), part.targets(), part.width(), part.classes is not None, seed)
        learned = self.learn(rows)
        graph = Graph(x=shape)
        source = graph.add("Flatten", "x") if len(shape) > 1 else "x"
        found, answer = learned.write(graph, source), (part.width(),)
        if part.kind == TENSORS:
            answer = part.outputs.shape[1:]
            found = graph.add("Reshape", found, graph.whole(0, *answer))

        def native(feeds: Feeds) -> Array:
            return learned.predict(_flat(feeds["x"])).reshape(-1, *answer)

        return Fitted(graph.bytes(found, *answer), encoder, None, native)


def _flat(x: Array) -> Array:
    return x.reshape(len(x), prod(x.shape[1:]))


def log_loss(scores: Array, labels: Array, factor: float = 1.0) -> float:
    """The average negative log probability of the right class, by softmax of the scores."""
    scaled = scores * factor
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    chosen = scaled[np.arange(len(labels)), labels]
    return float(np.mean(np.log(np.exp(scaled).sum(axis=1)) - chosen))


def temperature(scores: Array, labels: Array) -> float:
    """The factor that makes scores of unseen examples the best log probabilities."""
    tried = np.geomspace(0.1, 100, 31)
    losses = [log_loss(scores, labels, factor) for factor in tried]
    return float(tried[int(np.argmin(losses))])


def softmax(scores: Array) -> Array:
    """Scores as probabilities, row by row."""
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), np.float32)
