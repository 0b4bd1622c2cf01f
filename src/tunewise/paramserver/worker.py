"""What a worker does, whoever carries it out: pull, compute, push, again and again.

A worker is a generator of steps. A simulated cluster answers them in virtual time, a real one by
calls to its servers; the protocol itself is written once, here.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tunewise.paramserver.compression import Packet
from tunewise.paramserver.data import Batch
from tunewise.paramserver.partition import Keys, Layout, Place
from tunewise.surrogate import Array


class Trainable(Protocol):
    """What is trained: a loss over batches and its gradient."""

    @property
    def size(self) -> int:
        """How many parameters."""

    def initial(self, seed: int) -> Array:
        """Where the training begins, (size,)."""

    def work(self, batch: Batch) -> float:
        """Multiplications of one gradient over a batch."""

    def gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """Loss over a batch and its gradient by the parameters that the batch touches."""

    def loss(self, values: Array, batch: Batch) -> float:
        """Loss over a batch, given all parameters."""


@runtime_checkable
class Divisible(Trainable, Protocol):
    """A model of sums over parameters, which several workers can compute in parts."""

    def slopes(self, products: Array, batch: Batch) -> tuple[float, Array]:
        """Mean loss of rows by their products with the values, and its slope by each, (b,)."""

    def penalty(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """What regularisation adds to the loss over a batch, and to the gradient."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Wait until the consistency protocol lets the next iteration begin."""


@dataclass(frozen=True, slots=True)
class Pull:
    """Ask a server for values; with `original`, for the whole frozen state."""

    server: int
    epoch: int
    local: Place
    count: int
    original: bool = False


@dataclass(frozen=True, slots=True)
class Compute:
    """Work for so many multiplications."""

    work: float
    rows: int


@dataclass(frozen=True, slots=True)
class Push:
    """Send an update to a server."""

    server: int
    epoch: int
    local: Place
    update: Array
    size: int
    originals: tuple[Keys, Array] | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The pushes that end an iteration; they need not be waited for.

    Attributes:
        pushes: What to send.
        loss: That the iteration saw.
        rows: That it went through.
        epoch: Of the layout when it began.
    """

    pushes: Sequence[Push]
    loss: float
    rows: int
    epoch: int


Step = Begin | list[Pull] | Compute | Finish


@dataclass
class Routes:
    """Where parameters live now, and where they came from while they move.

    Attributes:
        layout: The newest layout.
        epoch: Its number.
        previous: The layout before it, while parameters are still on their way.
    """

    layout: Layout
    epoch: int = 0
    previous: Layout | None = None

    def change(self, layout: Layout) -> None:
        """Go over to another layout."""
        self.previous, self.layout, self.epoch = self.layout, layout, self.epoch + 1


@dataclass
class Pulled:
    """Values as they were pulled, and what must go back with their update."""

    values: Array
    epoch: int
    split: list[tuple[int, Place, Place]]
    missing: Keys | None = None
    states: Array | None = None


Learned = Generator[Step, Any, None]


@dataclass
class Worker:
    """One worker, or one group of them that shares a replica of the model.

    Attributes:
        model: What is trained.
        batches: The rows it goes through in each epoch.
        routes: Where the parameters live, shared by all workers.
        rate: Learning rate.
        compress: What of an update travels.
        everywhere: Whether all servers hear of each iteration, as a barrier needs.
        variance_reduced: Whether gradients are corrected by those at a snapshot.
        seed: Of the order of its batches.
    """

    model: Trainable
    batches: Sequence[Batch]
    routes: Routes
    rate: float
    compress: Callable[[Array], Packet]
    everywhere: bool = False
    variance_reduced: bool = False
    seed: int = 0
    _unsent: Array | None = None
    _snapshot: tuple[Array, Array] | None = None
    _splits: dict[int, list[tuple[int, Place, Place]]] = field(default_factory=dict)
    _split_epoch: int = -1

    def iterations(self) -> Learned:
        """Its steps, without an end."""
        rng = np.random.default_rng(self.seed)
        while True:
            for number in rng.permutation(len(self.batches)).tolist():
                yield Begin()
                began = self.routes.epoch
                if self.variance_reduced and self._snapshot is None:
                    yield from self._take_snapshot()
                yield from self._iteration(number, began)
            self._snapshot = None

    def _iteration(self, number: int, began: int) -> Learned:
        batch = self.batches[number]
        pulled = yield from self._pulled(batch.keys, number)
        yield Compute(self.model.work(batch), batch.rows)
        loss, gradient = self._gradient(pulled.values, batch)
        packet = self._packed(-self.rate * gradient, batch.keys)
        yield Finish(self._pushes(pulled, packet, len(gradient)), loss, batch.rows, began)

    def _gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        loss, gradient = self.model.gradient(values, batch)
        if self._snapshot is not None:
            origin, mean = self._snapshot
            keys = slice(None) if batch.keys is None else batch.keys
            gradient = gradient - self.model.gradient(origin[keys], batch)[1] + mean[keys]
        return loss, gradient

    def _take_snapshot(self) -> Learned:
        """The gradient over all its rows at one point, by which others are corrected (SVRG)."""
        pulled = yield from self._pulled(None, -1)
        mean, rows = np.zeros(self.model.size), 0
        for batch in self.batches:
            keys = slice(None) if batch.keys is None else batch.keys
            mean[keys] += batch.rows * self.model.gradient(pulled.values[keys], batch)[1]
            rows += batch.rows
        yield Compute(sum(self.model.work(batch) for batch in self.batches), rows)
        self._snapshot = (pulled.values, mean / rows)

    def _pulled(self, keys: Keys | None, number: int) -> Generator[Step, Any, Pulled]:
        routes = self.routes
        epoch, previous = routes.epoch, routes.previous
        split = self._split(keys, number)
        answers = yield [
            Pull(server, epoch, local, _count(here, self.model.size))
            for server, here, local in split
        ]
        count = self.model.size if keys is None else len(keys)
        values, absent = np.empty(count), []
        for (_, here, _), (part, present) in zip(split, answers, strict=True):
            values[here] = part
            if present is not None and not present.all():
                absent.append(np.arange(count)[here][~present])
        if not absent or previous is None:
            return Pulled(values, epoch, split)
        missing = np.sort(np.concatenate(absent))
        states = yield from self._originals(previous, epoch - 1, keys, missing)
        values[missing] = states[0]
        return Pulled(values, epoch, split, missing, states)

    def _originals(
        self, previous: Layout, epoch: int, keys: Keys | None, missing: Keys
    ) -> Generator[Step, Any, Array]:
        wanted = missing if keys is None else keys[missing]
        split = list(previous.split(wanted))
        answers = yield [
            Pull(server, epoch, local, _count(here, len(wanted)), original=True)
            for server, here, local in split
        ]
        states = np.empty((len(answers[0]), len(wanted)))
        for (_, here, _), part in zip(split, answers, strict=True):
            states[:, here] = part
        return states

    def _split(self, keys: Keys | None, number: int) -> list[tuple[int, Place, Place]]:
        """Which server owns which of a batch's parameters, worked out once a layout."""
        if self._split_epoch != self.routes.epoch:
            self._splits.clear()
            self._split_epoch = self.routes.epoch
        if number not in self._splits:
            self._splits[number] = list(self.routes.layout.split(keys))
        return self._splits[number]

    def _packed(self, update: Array, keys: Keys | None) -> Packet:
        """What travels of an update; the rest is added to the next one."""
        if self._unsent is not None:
            here = slice(None) if keys is None else keys
            update = update + self._unsent[here]
        packet = self.compress(update)
        if packet.values is not update:
            if self._unsent is None:
                self._unsent = np.zeros(self.model.size)
            here = slice(None) if keys is None else keys
            rest = update.copy()
            rest[slice(None) if packet.places is None else packet.places] -= packet.values
            self._unsent[here] = rest
        return packet

    def _pushes(self, pulled: Pulled, packet: Packet, count: int) -> list[Push]:
        update = packet.values
        if packet.places is not None:
            update = np.zeros(count)
            update[packet.places] = packet.values
        size = packet.size / max(count, 1)
        pushes = []
        for server, here, local in pulled.split:
            originals = _originals_of(pulled, here, local, count)
            extra = 0 if originals is None else 8 * originals[1].size
            bytes_ = int(size * _count(here, count)) + extra
            pushes.append(Push(server, pulled.epoch, local, update[here], bytes_, originals))
        if self.everywhere:
            told = {push.server for push in pushes}
            nothing = np.empty(0, np.int64)
            pushes += [
                Push(server, pulled.epoch, nothing, np.empty(0), 0)
                for server in range(self.routes.layout.servers)
                if server not in told
            ]
        return pushes


def _originals_of(
    pulled: Pulled, here: Place, local: Place, count: int
) -> tuple[Keys, Array] | None:
    if pulled.missing is None or pulled.states is None:
        return None
    places = np.arange(count)[here]
    mine = np.isin(places, pulled.missing)
    if not mine.any():
        return None
    there = np.arange(len(places))[mine] if isinstance(local, slice) else local[mine]
    return there, pulled.states[:, np.searchsorted(pulled.missing, places[mine])]


def _count(here: Place, size: int) -> int:
    return len(range(*here.indices(size))) if isinstance(here, slice) else len(here)
