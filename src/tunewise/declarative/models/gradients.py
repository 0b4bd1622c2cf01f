"""Histograms of oriented gradients with ridge: the first model for images."""

from math import ceil

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models.graph import Graph, answers
from tunewise.declarative.models.linear import ridge_learned
from tunewise.declarative.models.matrix import Rows
from tunewise.declarative.models.model import Array, Data, Fitted, Model, Size

DIRECTIONS = 12
"""Of gradients."""

CELLS = (10, 5)
"""On the longer side of an image: cells have a 10th of it, and larger ones a 5th. Chosen on
images of Fashion-MNIST that no measurement of ours is made on, the 10,000th to the 20,000th."""


class Gradients(Model):
    """A histogram of gradients in each cell, normalised over neighbours; then ridge."""

    name, year, citations = "hog", 2005, 45000
    templates = ("images",)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """One closed form on features that the graph itself has made."""
        part = data.slice(fraction, seed)
        encoder = encoders.learned(part, power=self.power)
        feeds = encoders.encode(encoder, part.inputs)
        shape = feeds["x"].shape[1:]
        first = Graph(x=shape)
        features = first.bytes(write(first, "x", shape), None)
        rows = Rows(
            answers(features, feeds), part.targets(), part.width(), part.classes is not None, seed
        )
        learned = ridge_learned(rows)
        graph = Graph(x=shape)
        onnx = graph.bytes(learned.write(graph, write(graph, "x", shape)), part.width())
        return Fitted(onnx, encoder, None, lambda f: learned.predict(answers(features, f)))

    def seconds(self, size: Size) -> float:
        """Features, and the products of their columns."""
        columns = DIRECTIONS * sum(cells**2 for cells in CELLS)
        small = min(columns, size.examples)
        return 0.05 + 6e-8 * size.examples * size.inputs + 8e-11 * size.examples * small * columns


def write(graph: Graph, source: str, shape: tuple[int, ...]) -> str:
    """Features of images (n, channels, height, width), as one row each."""
    channels, height, width = shape
    angles = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    kernel = _directed(angles)
    weights = np.tile(kernel[:, None], (1, channels, 1, 1)) / channels
    strength = graph.add(
        "Relu", graph.add("Conv", source, graph.constant(weights), pads=[1, 1, 1, 1])
    )
    rows = [_histograms(graph, strength, ceil(max(height, width) / cells)) for cells in CELLS]
    return graph.add("Concat", *rows, axis=1)


def _histograms(graph: Graph, strength: str, side: int) -> str:
    """Strengths by direction in each cell, relative to the cells around it."""
    pooled = graph.add(
        "AveragePool", strength, kernel_shape=[side, side], strides=[side, side], ceil_mode=1
    )
    square = graph.add("ReduceSumSquare", pooled, axes=[1], keepdims=1)
    near = graph.add("AveragePool", square, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    length = graph.add("Sqrt", graph.add("Add", near, graph.constant(1e-4)))
    return graph.add("Flatten", graph.add("Sqrt", graph.add("Div", pooled, length)))


def _directed(angles: Array) -> Array:
    """3 by 3 kernels (k, 3, 3) that answer to a gradient in each direction."""
    across = np.array([[0, 0, 0], [-1, 0, 1], [0, 0, 0]]) / 2.0
    return np.asarray(
        np.cos(angles)[:, None, None] * across + np.sin(angles)[:, None, None] * across.T
    )
