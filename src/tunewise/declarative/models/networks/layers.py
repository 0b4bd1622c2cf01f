"""Layers as data: what comes after a shape, how weights start, what is computed.

Shapes are those of one example: (channels, height, width), or (steps, numbers).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tunewise.declarative.models.networks.operations import GATES, Operations

Shape = tuple[int, ...]
Weights = dict[str, Any]
"""By name tensors or arrays, or those of a layer within; names with a _ first are not trained."""


class Layer(ABC):
    """What a layer answers; `start` is for those that have weights."""

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Weights before any training."""
        return {}

    @abstractmethod
    def after(self, shape: Shape) -> Shape:
        """The shape of what comes out."""

    @abstractmethod
    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """What comes out for values whose examples have this shape."""

    def work(self, shape: Shape) -> float:
        """Multiplications for one example."""
        return float(prod(shape))


def _drawn(rng: np.random.Generator, shape: Shape, inputs: int) -> Any:
    """Weights that keep the size of what goes through rectified layers (He et al.)."""
    return rng.normal(0, np.sqrt(2.0 / inputs), shape).astype(np.float32)


@dataclass(frozen=True)
class Conv(Layer):
    """A convolution that keeps height and width, divided by the stride."""

    out: int
    kernel: int = 3
    stride: int = 1

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """He's start."""
        kernel = (self.out, shape[0], self.kernel, self.kernel)
        weights = _drawn(rng, kernel, shape[0] * self.kernel**2)
        return {"weight": weights, "bias": np.zeros(self.out, np.float32)}

    def after(self, shape: Shape) -> Shape:
        """Height and width by the stride, rounded up."""
        return (self.out, *(-(-side // self.stride) for side in shape[1:]))

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.conv(x, weights["weight"], weights["bias"], self.stride, self.kernel // 2)

    def work(self, shape: Shape) -> float:
        """A kernel at each place."""
        return float(prod(self.after(shape)) * shape[0] * self.kernel**2)


@dataclass(frozen=True)
class Norm(Layer):
    """Batch normalisation."""

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """As it comes."""
        ones, zeros = np.ones(shape[0], np.float32), np.zeros(shape[0], np.float32)
        return {"weight": ones, "bias": zeros, "_mean": zeros.copy(), "_var": ones.copy()}

    def after(self, shape: Shape) -> Shape:
        """The same."""
        return shape

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.norm(x, weights)


@dataclass(frozen=True)
class Each(Layer):
    """A function of each number, by ONNX's name."""

    name: str = "Relu"

    def after(self, shape: Shape) -> Shape:
        """The same."""
        return shape

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.simple(self.name, x)


@dataclass(frozen=True)
class Pool(Layer):
    """The largest value of squares; images of one pixel stay as they are."""

    size: int = 2

    def after(self, shape: Shape) -> Shape:
        """Height and width by the size, rounded down."""
        small = min(shape[1:]) < self.size
        return shape if small else (shape[0], *(side // self.size for side in shape[1:]))

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return x if self.after(shape) == shape else do.pool(x, self.size, self.size)


@dataclass(frozen=True)
class Mean(Layer):
    """The mean over all places of each channel."""

    def after(self, shape: Shape) -> Shape:
        """One number a channel."""
        return shape[:1]

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.mean(x, (2, 3))


@dataclass(frozen=True)
class To(Layer):
    """Another shape of the same numbers; without one, a row."""

    shape: Shape = ()

    def after(self, shape: Shape) -> Shape:
        """The other shape."""
        return self.shape or (prod(shape),)

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.shape(x, *self.after(shape))


@dataclass(frozen=True)
class Dense(Layer):
    """A linear map of the last axis."""

    out: int

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """He's start."""
        weights = _drawn(rng, (shape[-1], self.out), shape[-1])
        return {"weight": weights, "bias": np.zeros(self.out, np.float32)}

    def after(self, shape: Shape) -> Shape:
        """Other numbers on the last axis."""
        return (*shape[:-1], self.out)

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.dense(x, weights)

    def work(self, shape: Shape) -> float:
        """Each number with each."""
        return float(prod(shape) * self.out)


@dataclass(frozen=True)
class Drop(Layer):
    """Values left out while it is trained."""

    share: float = 0.5

    def after(self, shape: Shape) -> Shape:
        """The same."""
        return shape

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.drop(x, self.share)


@dataclass(frozen=True)
class Enlarge(Layer):
    """Twice as high and wide."""

    def after(self, shape: Shape) -> Shape:
        """Sides doubled."""
        return (shape[0], *(2 * side for side in shape[1:]))

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.enlarge(x)


@dataclass(frozen=True)
class Recurrent(Layer):
    """A recurrent layer over steps, forwards or both ways: "rnn", "lstm" or "gru"."""

    kind: str
    hidden: int
    both: bool = False

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Uniform by the size of the state, as PyTorch has it."""
        rows, edge = GATES[self.kind][0] * self.hidden, self.hidden**-0.5
        sizes = {"in": (rows, shape[-1]), "state": (rows, self.hidden), "b": (rows,), "c": (rows,)}
        return {
            f"{name}{side}": rng.uniform(-edge, edge, size).astype(np.float32)
            for side in (("", "_back") if self.both else ("",))
            for name, size in sizes.items()
        }

    def after(self, shape: Shape) -> Shape:
        """A state at each step."""
        return (shape[0], self.hidden * (1 + self.both))

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return do.recurrent(x, self.kind, weights, self.both)

    def work(self, shape: Shape) -> float:
        """Each gate at each step; small products cost more, which the last factor counts."""
        gates = GATES[self.kind][0] * (1 + self.both)
        return float(shape[0] * gates * self.hidden * (shape[1] + self.hidden) * 3)


@dataclass(frozen=True)
class Chain(Layer):
    """One layer after the other."""

    layers: tuple[Layer, ...]

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Each layer's, by its place."""
        found: Weights = {}
        for place, layer in enumerate(self.layers):
            found[str(place)] = layer.start(shape, rng)
            shape = layer.after(shape)
        return found

    def after(self, shape: Shape) -> Shape:
        """What the last gives."""
        for layer in self.layers:
            shape = layer.after(shape)
        return shape

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        for place, layer in enumerate(self.layers):
            x = layer.run(do, weights.get(str(place), {}), x, shape)
            shape = layer.after(shape)
        return x

    def work(self, shape: Shape) -> float:
        """All together."""
        total = 0.0
        for layer in self.layers:
            total += layer.work(shape)
            shape = layer.after(shape)
        return total


@dataclass(frozen=True)
class Branches(Layer):
    """Several layers side by side: their channels joined, or added."""

    layers: tuple[Layer, ...]
    added: bool = False

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Each layer's, by its place."""
        return {str(place): layer.start(shape, rng) for place, layer in enumerate(self.layers)}

    def after(self, shape: Shape) -> Shape:
        """Channels of all, or of one."""
        shapes = [layer.after(shape) for layer in self.layers]
        return shapes[0] if self.added else (sum(each[0] for each in shapes), *shapes[0][1:])

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        found = [
            layer.run(do, weights.get(str(place), {}), x, shape)
            for place, layer in enumerate(self.layers)
        ]
        if not self.added:
            return do.join(found, 1)
        total = found[0]
        for each in found[1:]:
            total = do.simple("Add", total, each)
        return total

    def work(self, shape: Shape) -> float:
        """All together."""
        return sum(layer.work(shape) for layer in self.layers)


@dataclass(frozen=True)
class Same(Layer):
    """What came in: the short way around other layers."""

    def after(self, shape: Shape) -> Shape:
        """The same."""
        return shape

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        return x


def chain(*layers: Layer) -> Chain:
    """One after the other."""
    return Chain(layers)


def flattened(weights: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Weights of all layers by their path, such as `0.weight`."""
    found: dict[str, Any] = {}
    for name, value in weights.items():
        inner = flattened(value, f"{before}{name}.") if isinstance(value, Mapping) else None
        found.update(inner if inner is not None else {f"{before}{name}": value})
    return found


def nested(flat: Mapping[str, Any]) -> Weights:
    """The reverse of `flattened`, without layers that have no weights."""
    found: Weights = {}
    for path, value in flat.items():
        *parents, name = path.split(".")
        place = found
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = value
    return found
