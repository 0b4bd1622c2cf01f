"""What layers are made of, in two forms: computed by PyTorch, or written as nodes of a graph."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.model import Array
from tunewise.errors import optional

GATES = {"lstm": (4, (0, 3, 1, 2)), "gru": (3, (1, 0, 2)), "rnn": (1, (0,))}
"""Of each kind of recurrent layer: how many, and PyTorch's places of those that ONNX asks for."""

ONNX_NAMES = {"lstm": "LSTM", "gru": "GRU", "rnn": "RNN"}


class Operations(ABC):
    """Values are PyTorch's tensors or names of a graph; weights are tensors or arrays."""

    training = False

    @abstractmethod
    def simple(self, name: str, *values: Any) -> Any:
        """An operation without settings, by ONNX's name: Relu, Tanh, Sigmoid, Add, Mul, MatMul."""

    @abstractmethod
    def weight(self, values: Any) -> Any:
        """Weights as a value."""

    @abstractmethod
    def conv(self, x: Any, weights: Any, bias: Any, stride: int, pad: int) -> Any:
        """A convolution of (n, channels, height, width)."""

    @abstractmethod
    def norm(self, x: Any, weights: dict[str, Any]) -> Any:
        """Batch normalisation of channels."""

    @abstractmethod
    def pool(self, x: Any, size: int, stride: int, mean: bool = False) -> Any:
        """The largest value, or the mean, of squares."""

    @abstractmethod
    def mean(self, x: Any, axes: tuple[int, ...]) -> Any:
        """The mean over axes, which are gone then."""

    @abstractmethod
    def shape(self, x: Any, *sizes: int) -> Any:
        """Other axes after the rows."""

    @abstractmethod
    def turn(self, x: Any, *order: int) -> Any:
        """Axes in another order."""

    @abstractmethod
    def join(self, values: Sequence[Any], axis: int) -> Any:
        """Side by side along an axis."""

    @abstractmethod
    def part(self, x: Any, axis: int, first: int, end: int) -> Any:
        """A stretch of an axis."""

    @abstractmethod
    def fill(self, x: Any, axis: int, more: int) -> Any:
        """With some more 0 at the end of an axis of (n, channels, height, width)."""

    @abstractmethod
    def softmax(self, x: Any) -> Any:
        """Over the last axis."""

    @abstractmethod
    def drop(self, x: Any, share: float) -> Any:
        """Without a share of the values, while it is trained."""

    @abstractmethod
    def enlarge(self, x: Any) -> Any:
        """Every pixel as a square of four."""

    @abstractmethod
    def recurrent(self, x: Any, kind: str, weights: dict[str, Any], both: bool) -> Any:
        """States (n, steps, hidden) of a recurrent layer over (n, steps, numbers)."""

    def dense(self, x: Any, weights: dict[str, Any]) -> Any:
        """`x @ weight + bias` over the last axis."""
        product = self.simple("MatMul", x, self.weight(weights["weight"]))
        return self.simple("Add", product, self.weight(weights["bias"]))


class Computed(Operations):
    """By PyTorch."""

    def __init__(self, training: bool) -> None:
        """Say whether it is trained: then values are dropped, and normalisations learned."""
        self._torch = optional("torch", extra="torch")
        self._f = optional("torch.nn.functional", extra="torch")
        self.training = training

    def simple(self, name: str, *values: Any) -> Any:
        """PyTorch has the same names in small letters."""
        return getattr(self._torch, name.lower())(*values)

    def weight(self, values: Any) -> Any:
        """They are tensors already."""
        return self._torch.as_tensor(values)

    def conv(self, x: Any, weights: Any, bias: Any, stride: int, pad: int) -> Any:
        """See the contract."""
        return self._f.conv2d(x, weights, bias, stride, pad)

    def norm(self, x: Any, weights: dict[str, Any]) -> Any:
        """While it is trained, the running mean and variance are changed in place."""
        return self._f.batch_norm(
            x, weights["_mean"], weights["_var"], weights["weight"], weights["bias"], self.training
        )

    def pool(self, x: Any, size: int, stride: int, mean: bool = False) -> Any:
        """See the contract."""
        return (self._f.avg_pool2d if mean else self._f.max_pool2d)(x, size, stride)

    def mean(self, x: Any, axes: tuple[int, ...]) -> Any:
        """See the contract."""
        return x.mean(dim=axes)

    def shape(self, x: Any, *sizes: int) -> Any:
        """See the contract."""
        return x.reshape(len(x), *sizes)

    def turn(self, x: Any, *order: int) -> Any:
        """See the contract."""
        return x.permute(*order)

    def join(self, values: Sequence[Any], axis: int) -> Any:
        """See the contract."""
        return self._torch.cat(list(values), dim=axis)

    def part(self, x: Any, axis: int, first: int, end: int) -> Any:
        """See the contract."""
        return x.narrow(axis, first, end - first)

    def fill(self, x: Any, axis: int, more: int) -> Any:
        """See the contract."""
        return self._f.pad(x, [0] * (2 * (3 - axis)) + [0, more]) if more else x

    def softmax(self, x: Any) -> Any:
        """See the contract."""
        return x.softmax(-1)

    def drop(self, x: Any, share: float) -> Any:
        """See the contract."""
        return self._f.dropout(x, share, self.training)

    def enlarge(self, x: Any) -> Any:
        """See the contract."""
        return self._f.interpolate(x, scale_factor=2.0, mode="nearest")

    def recurrent(self, x: Any, kind: str, weights: dict[str, Any], both: bool) -> Any:
        """See the contract."""
        sides = ("", "_back") if both else ("",)
        flat = [weights[f"{name}{side}"] for side in sides for name in ("in", "state", "b", "c")]
        first = x.new_zeros(len(sides), len(x), flat[1].shape[1])
        run = {"lstm": self._torch.lstm, "gru": self._torch.gru, "rnn": self._torch.rnn_tanh}[kind]
        state = (first, first) if kind == "lstm" else first
        return run(x, state, flat, True, 1, 0.0, self.training, both, True)[0]


class Written(Operations):
    """As nodes of a graph."""

    def __init__(self, graph: Graph) -> None:
        """Take the graph."""
        self.graph = graph

    def simple(self, name: str, *values: Any) -> Any:
        """One node."""
        return self.graph.add(name, *values)

    def weight(self, values: Any) -> Any:
        """A constant."""
        return self.graph.constant(values)

    def conv(self, x: Any, weights: Any, bias: Any, stride: int, pad: int) -> Any:
        """See the contract."""
        constants = self.graph.constant(weights), self.graph.constant(bias)
        return self.graph.add("Conv", x, *constants, strides=[stride] * 2, pads=[pad] * 4)

    def norm(self, x: Any, weights: dict[str, Any]) -> Any:
        """See the contract."""
        names = ("weight", "bias", "_mean", "_var")
        return self.graph.add(
            "BatchNormalization", x, *(self.graph.constant(weights[name]) for name in names)
        )

    def pool(self, x: Any, size: int, stride: int, mean: bool = False) -> Any:
        """See the contract."""
        kind = "AveragePool" if mean else "MaxPool"
        return self.graph.add(kind, x, kernel_shape=[size] * 2, strides=[stride] * 2)

    def mean(self, x: Any, axes: tuple[int, ...]) -> Any:
        """See the contract."""
        return self.graph.add("ReduceMean", x, axes=list(axes), keepdims=0)

    def shape(self, x: Any, *sizes: int) -> Any:
        """See the contract."""
        return self.graph.add("Reshape", x, self.graph.whole(0, *sizes))

    def turn(self, x: Any, *order: int) -> Any:
        """See the contract."""
        return self.graph.add("Transpose", x, perm=list(order))

    def join(self, values: Sequence[Any], axis: int) -> Any:
        """See the contract."""
        return self.graph.add("Concat", *values, axis=axis)

    def part(self, x: Any, axis: int, first: int, end: int) -> Any:
        """See the contract."""
        ends = (self.graph.whole(each) for each in (first, end, axis))
        return self.graph.add("Slice", x, *ends)

    def fill(self, x: Any, axis: int, more: int) -> Any:
        """See the contract."""
        ends = [more * (place == 4 + axis) for place in range(8)]
        return self.graph.add("Pad", x, self.graph.whole(*ends)) if more else x

    def softmax(self, x: Any) -> Any:
        """See the contract."""
        return self.graph.softmax(x)

    def drop(self, x: Any, share: float) -> Any:
        """Nothing is dropped where it is used."""
        return x

    def enlarge(self, x: Any) -> Any:
        """See the contract."""
        factors = self.graph.constant([1, 1, 2, 2])
        return self.graph.add(
            "Resize",
            x,
            "",
            factors,
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )

    def recurrent(self, x: Any, kind: str, weights: dict[str, Any], both: bool) -> Any:
        """ONNX has other orders of gates, and time before the rows."""
        sides = ("", "_back") if both else ("",)
        inputs = np.stack([_gates(weights[f"in{side}"], kind) for side in sides])
        states = np.stack([_gates(weights[f"state{side}"], kind) for side in sides])
        biases = np.stack(
            [np.concatenate([_gates(weights[f"{n}{side}"], kind) for n in "bc"]) for side in sides]
        )
        options: dict[str, Any] = {"linear_before_reset": 1} if kind == "gru" else {}
        hidden = states.shape[2]
        found = self.graph.add(
            ONNX_NAMES[kind],
            self.turn(x, 1, 0, 2),
            *map(self.graph.constant, (inputs, states)),
            self.graph.constant(biases),
            hidden_size=hidden,
            direction="bidirectional" if both else "forward",
            **options,
        )  # (steps, sides, n, hidden)
        rows_first = self.turn(found, 2, 0, 1, 3)
        return self.graph.add("Reshape", rows_first, self.graph.whole(0, 0, len(sides) * hidden))


def _gates(weights: Any, kind: str) -> Array:
    """The rows of a matrix, gate by gate in ONNX's order."""
    count, order = GATES[kind]
    parts = np.split(np.asarray(weights), count)
    return np.concatenate([parts[place] for place in order])
