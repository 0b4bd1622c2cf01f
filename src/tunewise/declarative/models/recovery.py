"""Tensors from tensors without a network: the floors, and ridge on patches."""

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.linear import ridge
from tunewise.declarative.models.model import TENSORS, Array, Data, Feeds, Fitted, Model, Size
from tunewise.declarative.schema import Program

SIDE = 5
"""Pixels on a side of a patch."""

MOST_PATCHES = 60_000
"""That the ridge learns from."""


class Identity(Model):
    """The input as it is: a floor for others."""

    name, year, citations = "identity", 1900, 0
    templates, outputs = ("recovery",), (TENSORS,)
    normalised = False

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Where output and input have the same shape."""
        return program.input.fields[0].shape == program.output.fields[0].shape

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Nothing is learned but the scale of the inputs, which is undone."""
        encoder = encoders.learned(data.slice(fraction, seed))
        scale = encoder["scale"] * encoder["range"]
        offset = encoder["mean"] * encoder["range"] + encoder["low"]
        shape = data.outputs.shape[1:]
        graph = Graph(x=(shape[2], *shape[:2]))
        plain = graph.add("Transpose", graph.scaled("x", scale, offset), perm=[0, 2, 3, 1])
        onnx = graph.bytes(plain, *shape)

        def native(feeds: Feeds) -> Array:
            return np.moveaxis(feeds["x"] * np.float32(scale) + np.float32(offset), 1, -1)

        return Fitted(onnx, encoder, None, native)

    def seconds(self, size: Size) -> float:
        """Reading the inputs once."""
        return 0.01 + 1e-9 * size.examples * size.inputs


class MeanOutput(Model):
    """The mean of all outputs: a floor for others."""

    name, year, citations = "mean", 1900, 0
    templates, outputs = ("recovery",), (TENSORS,)
    normalised = False

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Whatever the input is."""
        part = data.slice(fraction, seed)
        mean = part.outputs.mean(axis=0).astype(np.float32)
        encoder = encoders.learned(part)
        height, width, channels = part.inputs.shape[1:]
        graph = Graph(x=(channels, height, width))
        nothing = graph.scaled(graph.add("ReduceMean", "x", axes=[1, 2, 3], keepdims=1), 0.0)
        onnx = graph.bytes(graph.add("Add", nothing, graph.constant(mean[None])), *mean.shape)
        return Fitted(
            onnx, encoder, None, lambda feeds: np.broadcast_to(mean, (len(feeds["x"]), *mean.shape))
        )

    def seconds(self, size: Size) -> float:
        """Reading the outputs once."""
        return 0.01 + 1e-9 * size.examples * (size.inputs + size.outputs)


class PatchRidge(Model):
    """Each pixel by ridge from the patch around it: one convolution."""

    name, year, citations = "patch_ridge", 1970, 13000
    templates, outputs = ("recovery",), (TENSORS,)

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Where output and input have the same height and width."""
        return program.input.fields[0].shape[:2] == program.output.fields[0].shape[:2]

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Draw patches, solve, and write the weights as a kernel."""
        part = data.slice(fraction, seed)
        encoder = encoders.learned(part, power=self.power)
        x = encoders.encode(encoder, part.inputs)["x"]
        patches, wanted = _drawn(x, part.outputs, np.random.default_rng(seed))
        found = ridge(patches, wanted, seed)
        kernel = found.weights.T.reshape(-1, x.shape[1], SIDE, SIDE).astype(np.float32)
        bias = found.bias.astype(np.float32)
        graph = Graph(x=x.shape[1:])
        convolved = graph.add(
            "Conv", "x", graph.constant(kernel), graph.constant(bias), pads=[SIDE // 2] * 4
        )
        onnx = graph.bytes(
            graph.add("Transpose", convolved, perm=[0, 2, 3, 1]), *part.outputs.shape[1:]
        )

        def native(feeds: Feeds) -> Array:
            flat = _patches(feeds["x"])
            return np.asarray(flat @ kernel.reshape(len(bias), -1).T + bias, np.float32)

        return Fitted(onnx, encoder, None, native)

    def seconds(self, size: Size) -> float:
        """The patches, and one decomposition."""
        drawn = min(size.examples * size.inputs, MOST_PATCHES)
        return 0.1 + 2e-8 * drawn * SIDE**2 + 1e-8 * size.examples * size.inputs


def _patches(x: Array) -> Array:
    """(n, height, width, channels * SIDE * SIDE)."""
    around = SIDE // 2
    padded = np.pad(x, ((0, 0), (0, 0), (around, around), (around, around)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE), axis=(2, 3))
    moved = np.moveaxis(windows, 1, 3)
    return np.asarray(moved).reshape(*moved.shape[:3], -1)


def _drawn(x: Array, outputs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Patches of some examples, and the pixels they are for."""
    places = x.shape[2] * x.shape[3]
    count = max(1, min(len(x), MOST_PATCHES // places))
    drawn = np.sort(rng.choice(len(x), count, replace=False))
    patches = _patches(x[drawn]).reshape(count * places, -1)
    return patches, outputs[drawn].reshape(count * places, -1).astype(np.float64)
