"""One parameter server: its part of the parameters, and what pulls and pushes do to it.

On-demand model relocation (ODMR, section 3.3) moves parameters to other servers while training goes
on. A server that learns of a new layout freezes the part that it had. Workers ask the new owner
first, and the old one for what the new one does not have yet; they push such parameters to the new
owner together with the original, frozen value. The first arrival creates the parameter there, every
arrival adds its update. A push that belongs to a pull from before the change still goes to the old
owner, which sends it on with the frozen value. So all originals of a parameter are equal, and each
update is counted exactly once whatever the order of messages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.paramserver.optimizer import Optimizer
from tunewise.paramserver.partition import Keys, Layout, Place
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Forward:
    """A message that one server sends to another: updates with the originals they start from."""

    server: int
    epoch: int
    local: Keys
    update: Array
    original: Array


class Part:
    """The parameters that a server owns under one layout, some of which may not have come yet."""

    def __init__(self, state: Array, present: bool) -> None:
        """Take the state (rows, n), which counts only once the parameters are present."""
        self.state = state
        self.absent = 0 if present else state.shape[1]
        self.present: NDArray[np.bool_] = np.full(state.shape[1], present)
        self.frozen = False
        self._waiting: Array | None = None
        self._pushes = 0

    def create(self, local: Keys, original: Array) -> None:
        """Take over the parameters that are not here yet."""
        new = ~self.present[local]
        count = int(new.sum())
        if count:
            self.state[:, local[new]] = original[:, new]
            self.present[local[new]] = True
            self.absent -= count

    def gather(self, local: Place, update: Array, expected: int, optimizer: Optimizer) -> bool:
        """Keep an update until all of an iteration are here; then apply their mean."""
        self.hold(local, update)
        return self.arrived(expected, optimizer)

    def hold(self, local: Place, update: Array) -> None:
        """Keep an update for later."""
        if self._waiting is None:
            self._waiting = np.zeros(self.state.shape[1])
        self._waiting[local] += update

    def arrived(self, expected: int, optimizer: Optimizer) -> bool:
        """Count a worker's push; apply what was kept when it is the last expected one."""
        self._pushes += 1
        if self._pushes < expected:
            return False
        if self._waiting is not None:
            self.state = optimizer.apply(self.state, self._waiting / expected)
            self._waiting = None
        self._pushes = 0
        return True


class Server:
    """What a server does; it neither sends nor waits, which is left to whoever runs it."""

    def __init__(self, index: int, layout: Layout, values: Array, optimizer: Optimizer) -> None:
        """Own a part of the values (n,) under a first layout; or of all state, (rows, n)."""
        self.index, self.optimizer = index, optimizer
        self.epoch = 0
        state = np.zeros((optimizer.rows, layout.count(index) if index < layout.servers else 0))
        if index < layout.servers:
            known = np.atleast_2d(values)
            state[: len(known)] = known[:, layout.keys(index)]
        self.layouts = {0: layout}
        self.parts = {0: Part(state, present=True)}

    def relocate(self, layout: Layout) -> None:
        """Own another part from now on; what stays here is here at once, the rest comes."""
        old_layout, old = self.layouts[self.epoch], self.parts[self.epoch]
        assert not old.absent, "an earlier relocation is not settled yet"
        owned = layout.keys(self.index) if self.index < layout.servers else np.empty(0, np.int64)
        new = Part(np.zeros((self.optimizer.rows, len(owned))), present=False)
        stays = np.flatnonzero(old_layout.owner(owned) == self.index)
        new.create(stays, old.state[:, old_layout.local(owned[stays])])
        old.frozen = True
        self.epoch += 1
        self.layouts[self.epoch], self.parts[self.epoch] = layout, new
        # Iterations that began under the last layout may still ask for what came before it.
        for gone in [epoch for epoch in self.parts if epoch < self.epoch - 2]:
            del self.parts[gone], self.layouts[gone]

    def pull(self, epoch: int, local: Place) -> tuple[Array, NDArray[np.bool_] | None]:
        """Values, and which of them are here; None where all are."""
        part = self.parts[epoch]
        values = part.state[0][local]
        if isinstance(local, slice):
            values = values.copy()
        return values, part.present[local] if part.absent else None

    def original(self, epoch: int, local: Keys) -> Array:
        """The frozen state of parameters that have not arrived at their new owner."""
        return np.asarray(self.parts[epoch].state[:, local])

    def push(
        self,
        epoch: int,
        local: Place,
        update: Array,
        originals: tuple[Keys, Array] | None = None,
        expected: int | None = None,
    ) -> list[Forward]:
        """Add an update; what belongs to others by now comes back as messages for them.

        Args:
            epoch: The layout under which the parameters were pulled.
            local: Their places under it.
            update: What to add.
            originals: Places that were not here when they were pulled, and their frozen states.
            expected: How many pushes make an iteration, under a barrier.
        """
        part = self.parts[epoch]
        if part.frozen:
            return self._sent_on(epoch, local, update)
        if originals is not None:
            part.create(*originals)
        if expected is not None:
            part.gather(local, update, expected, self.optimizer)
        else:
            part.state[:, local] = self.optimizer.apply(part.state[:, local], update)
        return []

    def _sent_on(self, epoch: int, local: Place, update: Array) -> list[Forward]:
        old_layout, layout = self.layouts[epoch], self.layouts[epoch + 1]
        places = np.arange(self.parts[epoch].state.shape[1])[local]
        keys = old_layout.keys(self.index)[places]
        messages = []
        for server, here, there in layout.split(keys):
            new = np.asarray(there, np.int64)
            message = Forward(
                server, epoch + 1, new, update[here], self.original(epoch, places[here])
            )
            if server == self.index:
                self.receive(message)
            else:
                messages.append(message)
        return messages

    def receive(self, message: Forward) -> None:
        """Take what another server sent on."""
        part = self.parts[message.epoch]
        part.create(message.local, message.original)
        if message.update.any():
            state = part.state[:, message.local]
            part.state[:, message.local] = self.optimizer.apply(state, message.update)

    def leaving(self) -> list[Forward]:
        """What settles a relocation: every parameter that went elsewhere, with no update."""
        epoch = self.epoch - 1
        part = self.parts.get(epoch)
        if part is None or not part.state.shape[1]:
            return []
        places = np.arange(part.state.shape[1])
        messages = self._sent_on(epoch, places, np.zeros(len(places)))
        return [message for message in messages if len(message.local)]

    @property
    def settled(self) -> bool:
        """Whether all parameters of the newest layout are here."""
        return not self.parts[self.epoch].absent


def gathered(
    servers: Sequence[Server], layout: Layout, previous: Layout | None, epoch: int
) -> Array:
    """The state of all parameters, (rows, n), wherever they live while they move."""
    state = np.empty((servers[0].optimizer.rows, layout.size))
    for server in servers[: layout.servers]:
        part, keys = server.parts[epoch], layout.keys(server.index)
        state[:, keys] = part.state
        if part.absent and previous is not None:
            missing = keys[~part.present]
            owners, places = previous.owner(missing), previous.local(missing)
            for old in np.unique(owners).tolist():
                mine = owners == old
                state[:, missing[mine]] = servers[old].original(epoch - 1, places[mine])
    return state
