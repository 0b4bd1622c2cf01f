"""Tensors from tensors: auto-encoder, U-Net, and both with a critic."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tunewise.declarative.models.model import TENSORS, Data, Size
from tunewise.declarative.models.networks.critic import criticised
from tunewise.declarative.models.networks.layers import (
    Branches,
    Conv,
    Dense,
    Each,
    Enlarge,
    Layer,
    Pool,
    Same,
    Shape,
    To,
    Weights,
    chain,
)
from tunewise.declarative.models.networks.network import (
    End,
    NetworkModel,
    Targets,
    Writes,
    squared,
)
from tunewise.declarative.models.networks.operations import Operations
from tunewise.declarative.models.networks.training import Loss
from tunewise.declarative.schema import Program

RELU = Each("Relu")

CRITICISED = 3.7e-3
"""Seconds of a step beside the network's multiplications, where a critic learns, too."""


DARKEST = 1e-3
"""Of an output scaled to 1, below which its normalisation is that of this: it is too steep."""


def _tensors(part: Data, power: float | None) -> Targets:
    """Outputs between 0 and 1; channels come last in answers."""
    low, high = float(part.outputs.min()), float(part.outputs.max())
    span = (high - low) or 1.0
    scaled = ((part.outputs - low) / span).astype(np.float32)
    y = np.ascontiguousarray(np.moveaxis(scaled, -1, 1))
    loss = squared if power is None else normalised(power)
    return Targets(y, y.shape[1:], _Turned(False, span, low), loss, part.outputs.shape[1:])


def normalised(power: float) -> Loss:
    """The squared error of outputs, and that of `-x^2k + x^k` of them.

    Two outputs have the same normalisation, so that it cannot be undone in answers: the network
    puts out what was declared, and is judged by both.
    """

    def loss(found: Any, x: Any, y: Any) -> Any:
        one, other = (each.clamp(DARKEST, 1.0) ** power for each in (found, y))
        return squared(found, x, y) + squared(one - one**2, x, other - other**2)

    return loss


class _Turned(End):
    """Numbers as they were, channels last."""

    def run(self, do: Operations, x: Any) -> Any:
        """Scale, offset and order of axes."""
        return do.turn(super().run(do, x), 0, 2, 3, 1)


def _same_sides(size: Size) -> Shape:
    places = prod(size.shape[:2])
    return (max(1, size.outputs // places), *size.shape[:2])


IMAGES = Writes(_tensors, _same_sides)


def _same(program: Program) -> bool:
    return program.input.fields[0].shape[:2] == program.output.fields[0].shape[:2]


class AutoEncoder(NetworkModel):
    """A narrow layer between input and output."""

    name, year, citations = "autoencoder", 2006, 20000
    templates, outputs = ("recovery",), (TENSORS,)
    epochs, writes = 30, IMAGES

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Convolved, narrowed to 64 numbers, and widened again."""
        narrow = chain(Conv(16, stride=2), RELU, Conv(32, stride=2), RELU, To(), Dense(64), RELU)
        return chain(narrow, Dense(256), RELU, Dense(prod(outputs)), To(outputs))


@dataclass(frozen=True)
class Fitting(Layer):
    """Layers on images whose sides are filled with 0 up to a multiple, and cut again."""

    body: Layer
    multiple: int = 4

    def _sides(self, shape: Shape) -> Shape:
        return (shape[0], *(-(-side // self.multiple) * self.multiple for side in shape[1:]))

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Those of the layers."""
        return self.body.start(self._sides(shape), rng)

    def after(self, shape: Shape) -> Shape:
        """The sides that came in."""
        return (self.body.after(self._sides(shape))[0], *shape[1:])

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        sides = self._sides(shape)
        for axis in (1, 2):
            x = do.fill(x, axis + 1, sides[axis] - shape[axis])
        x = self.body.run(do, weights, x, sides)
        for axis in (1, 2):
            x = do.part(x, axis + 1, 0, shape[axis])
        return x

    def work(self, shape: Shape) -> float:
        """That of the layers."""
        return self.body.work(self._sides(shape))


def u_net(channels: int, width: int = 12) -> Layer:
    """Down two times and up again; each height also goes straight across."""

    def level(inner: Layer, out: int) -> Layer:
        across = Branches((Same(), chain(Pool(), inner, Enlarge())))
        return chain(Conv(out), RELU, across, Conv(out), RELU)

    bottom = chain(Conv(4 * width), RELU, Conv(2 * width), RELU)
    return Fitting(chain(level(level(bottom, 2 * width), width), Conv(channels, 1)))


class UNet(NetworkModel):
    """Convolutions at several scales, joined."""

    name, year, citations = "u_net", 2015, 80000
    templates, outputs = ("recovery",), (TENSORS,)
    epochs, writes = 20, IMAGES

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Where output and input have the same height and width."""
        return _same(program)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Three scales."""
        return u_net(outputs[0])


class Gan(NetworkModel):
    """An auto-encoder whose critic tells its outputs from real ones."""

    name, year, citations = "gan", 2014, 60000
    templates, outputs = ("recovery",), (TENSORS,)
    epochs, step = 30, CRITICISED
    writes = Writes(lambda part, power: criticised(_tensors(part, power), False), _same_sides)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """As the auto-encoder."""
        return AutoEncoder().network(shape, outputs)


class Pix2Pix(NetworkModel):
    """A U-Net whose critic sees input and output together, patch by patch."""

    name, year, citations = "pix2pix", 2017, 22000
    templates, outputs = ("recovery",), (TENSORS,)
    epochs, step = 20, CRITICISED
    writes = Writes(lambda part, power: criticised(_tensors(part, power), True), _same_sides)

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Where output and input have the same height and width."""
        return _same(program)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """As the U-Net."""
        return u_net(outputs[0])
