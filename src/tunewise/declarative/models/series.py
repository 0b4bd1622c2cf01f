"""Series: random convolutions with ridge (MiniRocket), and a forest on descriptions."""

from itertools import combinations
from typing import Any

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.encoders import series
from tunewise.declarative.models.forests import forest_learned
from tunewise.declarative.models.graph import Graph, answers
from tunewise.declarative.models.linear import ridge_learned
from tunewise.declarative.models.matrix import Learned, MatrixModel, Rows
from tunewise.declarative.models.model import Array, Data, Fitted, Model, Size

KERNELS = 84
"""All kernels of nine numbers of which three are 2 and the others -1."""

DILATIONS = 6
"""At most: steps between a kernel's numbers, from 1 to what just fits into a series."""

THRESHOLDS = 8
"""Of each kernel at each dilation: quantiles of what it gives on examples."""

LOT = 256
"""Series that are convolved at once."""


class MiniRocket(Model):
    """The shares of steps at which fixed kernels exceed thresholds; then ridge."""

    name, year, citations = "minirocket", 2021, 700
    templates = ("series",)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Thresholds from examples, then one closed form on what the graph itself computes."""
        part = data.slice(fraction, seed)
        encoder = series.learned(part.inputs)
        feeds = encoders.encode(encoder, part.inputs)
        shape = feeds["x"].shape[1:]
        kernels = _kernels(feeds["x"], np.random.default_rng(seed))
        first = Graph(x=shape)
        features = first.bytes(_write(first, kernels, shape), None)
        classes = part.classes is not None
        x = answers(features, feeds, LOT)
        learned = ridge_learned(Rows(x, part.targets(), part.width(), classes, seed))
        graph = Graph(x=shape)
        onnx = graph.bytes(learned.write(graph, _write(graph, kernels, shape)), part.width())
        return Fitted(onnx, encoder, None, lambda f: learned.predict(answers(features, f, LOT)))

    def seconds(self, size: Size) -> float:
        """Convolutions, and products of the columns."""
        columns = KERNELS * DILATIONS * THRESHOLDS
        small = min(columns, size.examples)
        steps = size.examples * min(size.length, series.LONGEST)
        return 0.3 + 4e-9 * steps * columns + 1e-10 * size.examples * small * columns


def _kernels(x: Array, rng: np.random.Generator) -> list[tuple[int, Array, Array]]:
    """For each dilation: it, the weights (84, numbers, 9) and the thresholds (84, k, 1)."""
    length, channels = x.shape[1:]
    most = max(1, (length - 1) // 8)
    spread = np.geomspace(1, most, min(DILATIONS, most))
    found = []
    for dilation in np.unique(spread.astype(int)):
        weights = np.full((KERNELS, channels, 9), -1.0)
        for kernel, twos in enumerate(combinations(range(9), 3)):
            weights[kernel][:, list(twos)] = 2.0
            if channels > 2:  # some channels each; the last says only that there is a step
                weights[kernel][rng.random(channels) < 0.5] = 0.0
        weights[:, -1] = 0.0
        one = Graph(x=x.shape[1:])
        drawn = np.sort(rng.choice(len(x), min(len(x), 20), replace=False))
        convolved = _convolved(one, "x", int(dilation), weights)
        given = answers(one.bytes(convolved, KERNELS, length), {"x": x[drawn]})
        quantiles = (np.arange(THRESHOLDS) + rng.random(THRESHOLDS)) / THRESHOLDS
        flat = given.transpose(1, 0, 2).reshape(KERNELS, -1)
        thresholds = np.quantile(flat, quantiles, axis=1).T[:, :, None]
        found.append((int(dilation), weights, thresholds))
    return found


def _convolved(graph: Graph, source: str, dilation: int, weights: Array) -> str:
    """(n, 84, steps)."""
    turned = graph.add("Transpose", source, perm=[0, 2, 1])
    around = [4 * dilation] * 2
    return graph.add("Conv", turned, graph.constant(weights), dilations=[dilation], pads=around)


def _write(graph: Graph, kernels: list[tuple[int, Array, Array]], shape: tuple[int, ...]) -> str:
    """The share of steps above each threshold, one row a series."""
    parts = []
    for dilation, weights, thresholds in kernels:
        convolved = _convolved(graph, "x", dilation, weights)
        for number in range(THRESHOLDS):  # one by one: all at once take eight times the memory
            above = graph.add("Greater", convolved, graph.constant(thresholds[:, number]))
            flags = graph.add("Cast", above, to=1)
            parts.append(graph.add("ReduceMean", flags, axes=[2], keepdims=0))
    return graph.add("Concat", *parts, axis=1)


class SeriesForest(MatrixModel):
    """Extra trees on level, spread, rhythm and trend of each series."""

    name, year, citations = "series_features", 2013, 1500
    templates = ("series",)

    def encoder(self, part: Data) -> dict[str, Any]:
        """Numbers that describe a series."""
        return {**series.learned(part.inputs), "kind": "series_features"}

    def learn(self, rows: Rows) -> Learned:
        """Grow the trees."""
        return forest_learned("ExtraTrees", rows)

    def seconds(self, size: Size) -> float:
        """Mostly the descriptions."""
        return 0.4 + 1e-3 * size.examples
