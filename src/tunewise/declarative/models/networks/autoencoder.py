"""The general auto-encoder: bits of any value into bits of any other."""

from typing import Any

from tunewise.declarative.encoders import serial
from tunewise.declarative.models.model import SEQUENCES, TENSORS, Data
from tunewise.declarative.models.networks.layers import Dense, Each, Layer, Shape, To, chain
from tunewise.declarative.models.networks.network import End, NetworkModel, Targets, Writes
from tunewise.declarative.models.networks.operations import Operations
from tunewise.declarative.models.networks.recurrent import BITS, MOST_BYTES, bits_of
from tunewise.errors import optional


class _Probabilities(End):
    """Of each bit."""

    def run(self, do: Operations, x: Any) -> Any:
        """A sigmoid."""
        return do.simple("Sigmoid", x)


def _bits(part: Data, power: float | None) -> Targets:
    values = list(part.outputs)
    how = bits_of(values, part.program.output)
    y = serial.bits([serial.packed(value, how["spec"]) for value in values], how["length"])
    shape = y.shape[1:]
    return Targets(y, shape, _Probabilities(False), _loss, shape, how)


def _loss(found: Any, x: Any, y: Any) -> Any:
    """Cross entropy of each bit that is there, and of whether there is a byte."""
    functional = optional("torch.nn.functional", extra="torch")
    each = functional.binary_cross_entropy_with_logits(found, y, reduction="none")
    there = y[..., 8:].expand_as(y).clone()
    there[..., 8] = 1.0
    return (each * there).sum() / there.sum()


class BitAutoEncoder(NetworkModel):
    """Bits in, a narrow layer, bits out."""

    name, year, citations = "bit_autoencoder", 2006, 20000
    templates, outputs = ("autoencoder",), (SEQUENCES, TENSORS)
    epochs, reads = 40, BITS
    writes = Writes(_bits, lambda size: (min(max(size.inputs, size.outputs), MOST_BYTES), 9))

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """A narrow layer of 64 between two of 256."""
        relu = Each("Relu")
        inner = chain(To(), Dense(256), relu, Dense(64), relu, Dense(256), relu)
        return chain(inner, Dense(outputs[0] * outputs[1]), To(outputs))
