"""Sequences from sequences: one network reads, another writes step by step."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.encoders import series
from tunewise.declarative.models.model import SEQUENCES, Data
from tunewise.declarative.models.networks.layers import (
    Dense,
    Layer,
    Recurrent,
    Shape,
    Weights,
)
from tunewise.declarative.models.networks.network import End, NetworkModel, Targets, Writes
from tunewise.declarative.models.networks.operations import GATES, Operations
from tunewise.declarative.models.networks.recurrent import STEPS

HIDDEN = 64
"""Numbers in a state."""


@dataclass(frozen=True)
class Writing(Layer):
    """Reads with gated units, then writes steps, each from the state and the step before.

    With attention, each step also sees a mean of the states that were read, weighed by how well
    they fit to the state that writes.
    """

    steps: int
    numbers: int
    attention: bool
    hidden: int = HIDDEN

    def start(self, shape: Shape, rng: np.random.Generator) -> Weights:
        """Of the reader, the writer's gates and the output."""
        hidden = self.hidden
        seen = self.numbers + hidden * self.attention
        return {
            "read": Recurrent("gru", hidden).start(shape, rng),
            "gates": Dense(2 * hidden).start((seen + hidden,), rng),
            "fresh": Dense(hidden).start((seen + hidden,), rng),
            "fit": Dense(hidden).start((hidden,), rng),
            "out": Dense(self.numbers).start((hidden * (1 + self.attention),), rng),
        }

    def after(self, shape: Shape) -> Shape:
        """The steps that are written."""
        return (self.steps, self.numbers)

    def run(self, do: Operations, weights: Weights, x: Any, shape: Shape) -> Any:
        """See the contract."""
        states = do.recurrent(x, "gru", weights["read"], False)
        state = do.shape(do.part(states, 1, shape[0] - 1, shape[0]), self.hidden)
        before = do.simple("Mul", do.part(state, 1, 0, 1), do.weight(np.zeros(1, np.float32)))
        before = do.simple("Add", before, do.weight(np.zeros(self.numbers, np.float32)))
        written = []
        for _ in range(self.steps):
            seen = [before, *([self._look(do, weights, states, state)] * self.attention)]
            state = self._next(do, weights, do.join([*seen, state], 1), seen, state)
            look = [self._look(do, weights, states, state)] * self.attention
            step = do.dense(do.join([state, *look], 1) if look else state, weights["out"])
            written.append(do.shape(step, 1, self.numbers))
            before = do.simple("Tanh", step)
        return do.join(written, 1)

    def _next(self, do: Operations, weights: Weights, now: Any, seen: list[Any], state: Any) -> Any:
        """The state after one more step of gated units."""
        gates = do.simple("Sigmoid", do.dense(now, weights["gates"]))
        reset = do.part(gates, 1, 0, self.hidden)
        keep = do.part(gates, 1, self.hidden, 2 * self.hidden)
        partly = do.join([*seen, do.simple("Mul", reset, state)], 1)
        fresh = do.simple("Tanh", do.dense(partly, weights["fresh"]))
        change = do.simple("Mul", keep, do.simple("Sub", fresh, state))
        return do.simple("Add", state, change)

    def _look(self, do: Operations, weights: Weights, states: Any, state: Any) -> Any:
        """The mean of the states that were read, weighed by their fit to a state."""
        asked = do.shape(do.dense(state, weights["fit"]), self.hidden, 1)
        fit = do.turn(do.simple("MatMul", states, asked), 0, 2, 1)
        return do.shape(do.simple("MatMul", do.softmax(fit), states), self.hidden)

    def work(self, shape: Shape) -> float:
        """Reading, and for each step that is written the gates; looks take as long as they."""
        gates = GATES["gru"][0] * self.hidden * (2 * self.hidden + self.numbers)
        reading = Recurrent("gru", self.hidden).work(shape)
        return reading + 3.0 * self.steps * gates * (1 + self.attention)


def _steps(part: Data, power: float | None) -> Targets:
    decoder, y = series.outputs(part.outputs)
    return Targets(y, y.shape[1:], End(False), steps_loss, y.shape[1:], decoder)


SEQUENCE = Writes(_steps, lambda size: (min(size.length, series.LONGEST), size.outputs + 1))
"""Scaled steps, and whether there is one."""


class Seq2Seq(NetworkModel):
    """A reader and a writer."""

    name, year, citations = "seq2seq", 2014, 25000
    templates, outputs = ("translation",), (SEQUENCES,)
    epochs, reads, writes = 60, STEPS, SEQUENCE

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """See `Writing`."""
        return Writing(outputs[0], outputs[1], attention=False)


class AttentiveSeq2Seq(NetworkModel):
    """A reader, and a writer that looks at what was read."""

    name, year, citations = "seq2seq_attention", 2015, 30000
    templates, outputs = ("translation",), (SEQUENCES,)
    epochs, reads, writes = 60, STEPS, SEQUENCE

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """See `Writing`."""
        return Writing(outputs[0], outputs[1], attention=True)


def steps_loss(found: Any, x: Any, y: Any) -> Any:
    """Squared errors of the steps that are there, and of whether they are."""
    there = y[..., -1:]
    values = (((found - y)[..., :-1] ** 2) * there).sum() / (there.sum() * (y.shape[-1] - 1))
    return values + ((found - y)[..., -1] ** 2).mean()
