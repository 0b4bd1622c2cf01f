"""Sequences by the nearest known input."""

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.encoders import series
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.model import SEQUENCES, Array, Data, Feeds, Fitted, Model, Size

MOST = 2000
"""Examples that are kept."""


class Nearest(Model):
    """The output of the example whose input is nearest, step by step from the first."""

    name, year, citations = "nearest", 1967, 18000
    templates, outputs = ("translation",), (SEQUENCES,)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Keep the examples."""
        part = data.slice(fraction, seed)
        if len(part) > MOST:
            drawn = np.random.default_rng(seed).permutation(len(part))
            part = part.at(np.sort(drawn[:MOST]))
        decoder, known = series.outputs(part.outputs)
        encoder = {**series.learned(part.inputs, end=False), "decoder": decoder}
        x = encoders.encode(encoder, part.inputs)["x"]
        rows = x.reshape(len(x), -1)
        squares = (rows**2).sum(axis=1)
        graph = Graph(x=x.shape[1:])
        far = graph.affine(graph.add("Flatten", "x"), -2.0 * rows.T, squares)
        place = graph.add("ArgMin", far, axis=1, keepdims=0)
        onnx = graph.bytes(
            graph.add("Gather", graph.constant(known), place, axis=0), *known.shape[1:]
        )

        def native(feeds: Feeds) -> Array:
            asked = feeds["x"].reshape(len(feeds["x"]), -1)
            return np.asarray(known[np.argmin(squares - 2.0 * asked @ rows.T, axis=1)])

        return Fitted(onnx, encoder, None, native)

    def seconds(self, size: Size) -> float:
        """What encoding takes: nothing else is learned."""
        return 0.05 + 1e-6 * size.examples * size.inputs
