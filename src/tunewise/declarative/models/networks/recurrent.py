"""Recurrent networks: over the steps of series, and over the bytes of anything."""

from dataclasses import dataclass
from typing import Any

from tunewise.declarative.encoders import serial, series
from tunewise.declarative.models.networks.layers import (
    Dense,
    Drop,
    Layer,
    Recurrent,
    Shape,
    Weights,
    chain,
)
from tunewise.declarative.models.networks.network import NetworkModel, Reads
from tunewise.declarative.models.networks.operations import Operations

MOST_BYTES = 64
"""Of a value that a network reads."""

HIDDEN = 48
"""Numbers in a state."""


@dataclass(frozen=True)
class LastAndMean(Layer):
    """The last state beside the mean of all."""

    def after(self, shape: Shape) -> Shape:
        """Two states."""
        return (2 * shape[1],)

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        last = do.shape(do.part(x, 1, shape[0] - 1, shape[0]), shape[1])
        return do.join([last, do.mean(x, (1,))], 1)


def reading(kind: str, outputs: Shape, both: bool = False) -> Layer:
    """A recurrent layer, then a dense one."""
    return chain(Recurrent(kind, HIDDEN, both), LastAndMean(), Drop(0.1), Dense(*outputs))


STEPS = Reads(
    lambda part, power: series.learned(part.inputs),
    lambda size: (min(size.length, series.LONGEST), size.shape[0] + 1),
)
"""Scaled steps of series, and that there is one."""


class Rnn(NetworkModel):
    """A plain recurrent network."""

    name, year, citations = "rnn", 1990, 15000
    templates = ("series",)
    epochs, reads = 40, STEPS

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """One layer."""
        return reading("rnn", outputs)


class Lstm(NetworkModel):
    """Long short-term memory."""

    name, year, citations = "lstm", 1997, 100000
    templates = ("series",)
    epochs, reads = 40, STEPS

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """One layer."""
        return reading("lstm", outputs)


class BiLstm(NetworkModel):
    """Long short-term memory in both directions."""

    name, year, citations = "bi_lstm", 2005, 8000
    templates = ("series",)
    epochs, reads = 40, STEPS

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """One layer each way."""
        return reading("lstm", outputs, both=True)


class Gru(NetworkModel):
    """Gated recurrent units."""

    name, year, citations = "gru", 2014, 30000
    templates = ("series",)
    epochs, reads = 40, STEPS

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """One layer."""
        return reading("gru", outputs)


def bits_of(values: Any, kind: Any) -> dict[str, Any]:
    """How values of a type become bits; as many bytes as the longest has, up to a limit."""
    spec = serial.learned(values, kind)
    longest = max(len(serial.packed(value, spec)) for value in values)
    return {"kind": "bits", "spec": spec, "length": max(1, min(MOST_BYTES, longest))}


BITS = Reads(
    lambda part, power: bits_of(part.inputs, part.program.input),
    lambda size: (min(size.inputs, MOST_BYTES), 9),
)
"""Bits of any value, eight a step, and that there are some."""


class BitRnn(NetworkModel):
    """A recurrent network over the bits of any value."""

    name, year, citations = "bit_rnn", 2014, 30000
    templates = ("general",)
    epochs, reads = 30, BITS

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Gated units."""
        return reading("gru", outputs)
