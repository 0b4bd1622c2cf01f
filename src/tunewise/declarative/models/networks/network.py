"""What models that are networks share: encode, train, write."""

from abc import abstractmethod
from typing import Any

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models.graph import Graph
from tunewise.declarative.models.model import Array, Data, Feeds, Fitted, Model, Size
from tunewise.declarative.models.networks.layers import Layer, Shape, Weights, flattened, nested
from tunewise.declarative.models.networks.operations import Computed, Operations, Written
from tunewise.declarative.models.networks.training import Loss, Plan, Training
from tunewise.errors import optional

SPEED = 6e9
"""Multiplications that a core does in a second of training, forwards and back."""


class NetworkModel(Model):
    """A network; `network` is all that most of them differ in."""

    needs = ("tasks", "torch")
    epochs = 8

    def __init__(
        self, *, power: float | None = None, rates: str = "slices", plan: Plan | None = None
    ) -> None:
        """Choose how learning rates are found: "slices", "paper" or "adam"; or a plan."""
        super().__init__(power=power)
        self.plan = plan or Plan(self.epochs, rates=rates)

    @abstractmethod
    def network(self, shape: Shape, outputs: int) -> Layer:
        """The layers for inputs of a shape."""

    def encoder(self, part: Data) -> dict[str, Any]:
        """How inputs become tensors."""
        return encoders.learned(part, power=self.power)

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Train from the start, or for half as long from a checkpoint of a smaller slice."""
        part = data.slice(fraction, seed)
        encoder = self.encoder(part)
        x = encoders.encode(encoder, part.inputs)["x"]
        shape = x.shape[1:]
        network = self.network(shape, part.width())
        targets, end = _targets(part)
        first = going_on(network, shape, start)
        plan = self.plan if first is None else self.plan.halved()
        loss = _cross_entropy if part.classes is not None else _squared
        weights = Training(network, x, targets, loss, plan, seed).run(first)
        return finished(network, weights, shape, end, encoder, (part.width(),))

    def seconds(self, size: Size) -> float:
        """Three times the multiplications of the network for each example that is seen."""
        work = self.network(self.tensor(size), size.outputs).work(self.tensor(size))
        return 0.5 + 3 * work * self.plan.examples(size.examples) / SPEED

    def tensor(self, size: Size) -> Shape:
        """The shape of one encoded input."""
        if len(size.shape) == 3:
            return (size.shape[2], *size.shape[:2])
        return size.shape


class End:
    """What follows the layers where a network is used: probabilities, or numbers as they were."""

    def __init__(self, classes: bool, scale: Any = 1.0, offset: Any = 0.0) -> None:
        """Say what comes out."""
        self.classes, self.scale, self.offset = classes, scale, offset

    def run(self, do: Operations, x: Any) -> Any:
        """Softmax, or scale and offset."""
        if self.classes:
            return do.softmax(x)
        product = do.simple("Mul", x, do.weight(np.float32(self.scale)))
        return do.simple("Add", product, do.weight(np.float32(self.offset)))


def _targets(part: Data) -> tuple[Array, End]:
    """What the network learns, and how its outputs become answers."""
    targets = part.targets()
    if part.classes is not None:
        return targets, End(True)
    mean, scale = targets.mean(axis=0), targets.std(axis=0) + 1e-6
    return ((targets - mean) / scale).astype(np.float32), End(False, scale, mean)


def _cross_entropy(found: Any, x: Any, y: Any) -> Any:
    return optional("torch.nn.functional", extra="torch").cross_entropy(found, y)


def _squared(found: Any, x: Any, y: Any) -> Any:
    return ((found - y) ** 2).mean()


squared: Loss = _squared


def finished(
    network: Layer,
    weights: Weights,
    shape: Shape,
    end: End,
    encoder: dict[str, Any],
    outputs: tuple[int, ...],
) -> Fitted:
    """A trained network as it is stored."""
    graph = Graph(x=shape)
    do = Written(graph)
    onnx = graph.bytes(end.run(do, network.run(do, weights, "x", shape)), *outputs)

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
    flat = optional("safetensors.numpy", extra="tasks").load(start)
    fresh = flattened(network.start(shape, np.random.default_rng(0)))
    fits = {k: v.shape for k, v in flat.items()} == {k: v.shape for k, v in fresh.items()}
    return nested(flat) if fits else None
