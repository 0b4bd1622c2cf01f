"""What models that are networks share: encode, train, write."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.model import Array, Data, Feeds, Fitted, Model, Size
from tunewise.declarative.models.networks.layers import Layer, Shape, Weights, flattened, nested
from tunewise.declarative.models.networks.operations import Computed, Operations, Written
from tunewise.declarative.models.networks.training import Loss, Plan, Training
from tunewise.errors import optional

SPEED = 15e9
"""Multiplications that a core does in a second of training, forwards and back."""


@dataclass(frozen=True)
class End:
    """What follows the layers where a network is used: probabilities, or numbers as they were."""

    classes: bool
    scale: Any = 1.0
    offset: Any = 0.0

    def run(self, do: Operations, x: Any) -> Any:
        """Softmax, or scale and offset."""
        if self.classes:
            return do.softmax(x)
        product = do.simple("Mul", x, do.weight(np.float32(self.scale)))
        return do.simple("Add", product, do.weight(np.float32(self.offset)))


@dataclass(frozen=True)
class Targets:
    """What a network learns.

    Attributes:
        y: One row an example.
        shape: Of what the layers put out for one example.
        end: What follows them where the network is used.
        loss: What is made small.
        answer: The shape of an answer.
        decoder: How answers become sequences, where they do.
    """

    y: Array
    shape: Shape
    end: End
    loss: Loss
    answer: Shape
    decoder: dict[str, Any] | None = None


def plain_targets(part: Data, power: float | None = None) -> Targets:
    """Classes, or numbers around 0; neither is normalised."""
    y, shape = part.targets(), (part.width(),)
    if part.classes is not None:
        return Targets(y, shape, End(True), cross_entropy, shape)
    mean, scale = y.mean(axis=0), y.std(axis=0) + 1e-6
    scaled = ((y - mean) / scale).astype(np.float32)
    return Targets(scaled, shape, End(False, scale, mean), squared, shape)


def cross_entropy(found: Any, x: Any, y: Any) -> Any:
    """Of classes."""
    return optional("torch.nn.functional", extra="torch").cross_entropy(found, y)


def squared(found: Any, x: Any, y: Any) -> Any:
    """The mean squared error."""
    return ((found - y) ** 2).mean()


@dataclass(frozen=True)
class Reads:
    """What goes into a network.

    Attributes:
        encoder: From examples and the k of a normalisation to how inputs become tensors.
        shape: Of one such tensor, by the size of a training.
    """

    encoder: Callable[[Data, float | None], dict[str, Any]]
    shape: Callable[[Size], Shape]


@dataclass(frozen=True)
class Writes:
    """What comes out of a network.

    Attributes:
        targets: From examples and the k of a normalisation to what is learned.
        shape: Of one output of the layers, by the size of a training.
    """

    targets: Callable[[Data, float | None], Targets]
    shape: Callable[[Size], Shape]


def _turned(size: Size) -> Shape:
    return (size.shape[2], *size.shape[:2]) if len(size.shape) == 3 else size.shape


ARRAYS = Reads(lambda part, power: encoders.learned(part, power=power), _turned)
"""Tensors, and rows of tables."""

NUMBERS = Writes(plain_targets, lambda size: (size.outputs,))
"""A score a class, or numbers."""


class NetworkModel(Model):
    """A network; `network` is what they differ in, beside what goes in and comes out."""

    needs = ("tasks", "torch")
    options = ("rates",)
    epochs = 8
    step: ClassVar[float] = 1e-3
    """Seconds of a step beside its multiplications."""
    reads: ClassVar[Reads] = ARRAYS
    writes: ClassVar[Writes] = NUMBERS

    def __init__(
        self, *, power: float | None = None, rates: str = "slices", plan: Plan | None = None
    ) -> None:
        """Choose how learning rates are found: "slices", "paper" or "adam"; or a plan."""
        super().__init__(power=power)
        self.plan = plan or Plan(self.epochs, rates=rates)

    @abstractmethod
    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """The layers from inputs of a shape to outputs of a shape."""

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Train from the start, or for half as long from a checkpoint of a smaller slice."""
        part = data.slice(fraction, seed)
        encoder = self.reads.encoder(part, self.power)
        targets = self.writes.targets(part, self.power)
        if targets.decoder is not None:
            encoder = {**encoder, "decoder": targets.decoder}
        x = encoders.encode(encoder, part.inputs)["x"]
        shape = x.shape[1:]
        network = self.network(shape, targets.shape)
        first = going_on(network, shape, start)
        plan = self.plan if first is None else self.plan.halved()
        weights = Training(network, x, targets.y, targets.loss, plan, seed).run(first)
        return finished(network, weights, shape, targets, encoder)

    def seconds(self, size: Size) -> float:
        """Of each step three times the network's multiplications, and what any step takes."""
        shape = self.reads.shape(size)
        work = self.network(shape, self.writes.shape(size)).work(shape)
        once = self.step + 3 * work * min(self.plan.batch, size.examples) / SPEED
        return 0.1 + once * self.plan.all_steps(size.examples)


def finished(
    network: Layer, weights: Weights, shape: Shape, targets: Targets, encoder: dict[str, Any]
) -> Fitted:
    """A trained network as it is stored."""
    graph, end = Graph(x=shape), targets.end
    do = Written(graph)
    onnx = graph.bytes(end.run(do, network.run(do, weights, "x", shape)), *targets.answer)

    def native(feeds: Feeds) -> Array:
        torch = optional("torch", extra="torch")
        with torch.no_grad():
            tensors = nested({k: torch.tensor(v) for k, v in flattened(weights).items()})
            doing = Computed(False)
            x = torch.from_numpy(feeds["x"])
            return np.asarray(end.run(doing, network.run(doing, tensors, x, shape)).numpy())

    return Fitted(onnx, encoder, saved(weights), native)


def saved(weights: Weights) -> bytes:
    """Weights as safetensors."""
    flat = {path: np.ascontiguousarray(value) for path, value in flattened(weights).items()}
    return bytes(optional("safetensors.numpy", extra="tasks").save(flat))


def going_on(network: Layer, shape: Shape, start: bytes | None) -> Weights | None:
    """The weights of a checkpoint where they fit the network, else None."""
    if start is None:
        return None
    try:
        flat = optional("safetensors.numpy", extra="tasks").load(start)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, a training can begin anew
        return None
    fresh = flattened(network.start(shape, np.random.default_rng(0)))
    fits = {k: (v.shape, v.dtype) for k, v in flat.items()} == {
        k: (v.shape, np.dtype(np.float32)) for k, v in fresh.items()
    }
    return nested(flat) if fits and all(np.isfinite(v).all() for v in flat.values()) else None
