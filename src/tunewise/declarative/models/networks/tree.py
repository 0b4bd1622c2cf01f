"""A recurrent network over trees: states go from the leaves to the root."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.encoders import nodes
from tunewise.declarative.models.model import Data, Size
from tunewise.declarative.models.networks.layers import Dense, Drop, Layer, Shape, Weights, chain
from tunewise.declarative.models.networks.network import NetworkModel, Reads
from tunewise.declarative.models.networks.operations import Operations

HIDDEN = 32
"""Numbers in a state."""

DEEPEST = 8
"""Levels that a state goes up at most."""


@dataclass(frozen=True)
class Upwards(Layer):
    """States `tanh(x W + sum over pointers of (state below) V)`, as many times as there are levels.

    After k times the state of every node with k levels below it is final.
    """

    hidden: int = HIDDEN

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Small ones."""
        sizes = [shape[2], *[self.hidden] * (shape[0] - 1)]
        return {
            str(place): {
                "weight": rng.normal(0, size**-0.5, (size, self.hidden)).astype(np.float32),
                "bias": np.zeros(self.hidden, np.float32),
            }
            for place, size in enumerate(sizes)
        }

    def after(self, shape: Shape) -> Shape:
        """The root's state beside the mean."""
        return (2 * self.hidden,)

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        pointers, count, wide = shape[0] - 1, shape[1], shape[2]
        tables = [do.shape(do.part(x, 1, k, k + 1), count, wide) for k in range(1 + pointers)]
        links = [do.part(table, 2, 0, count) for table in tables[1:]]
        own = do.dense(tables[0], weights["0"])
        state = do.simple("Tanh", own)
        for _ in range(min(DEEPEST, count - 1)):
            total = own
            for k, link in enumerate(links, 1):
                below = do.dense(state, weights[str(k)])
                total = do.simple("Add", total, do.simple("MatMul", link, below))
            state = do.simple("Tanh", total)
        root = do.shape(do.part(state, 1, 0, 1), self.hidden)
        return do.join([root, do.mean(state, (1,))], 1)

    def work(self, shape: Shape) -> float:
        """Each level: states times weights, and links times states."""
        products = shape[1] * self.hidden * (shape[0] - 1) * (self.hidden + shape[1])
        return float(2 * DEEPEST * products)


def _tables(size: Size) -> Shape:
    """A table of the nodes, and one for each of two pointers."""
    count = max(2, min(size.length, nodes.MOST_NODES))
    return (3, count, max(count, size.shape[0] + 1))


def _encoder(part: Data, power: float | None) -> dict[str, Any]:
    return nodes.learned(part.inputs, part.program.input.recursive, "nodes")


class TreeRnn(NetworkModel):
    """A tree-structured recurrent network."""

    name, year, citations = "tree_rnn", 2011, 2500
    templates = ("trees",)
    epochs, reads = 20, Reads(_encoder, _tables)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """One layer of states."""
        return chain(Upwards(), Drop(0.1), Dense(*outputs))
