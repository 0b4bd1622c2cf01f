"""Who owns what: parameters over servers, rows over workers.

A layout cuts the keys 0 … size - 1 into one part a server. Within its part a key has a local place,
so that a server keeps its values in one array without gaps.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import ExecutionError, nearest

Keys = NDArray[np.int64]
Place = slice | Keys
"""Which elements of an array: a slice where they lie evenly, else their indices."""

KINDS = ("range", "hash")


@dataclass(frozen=True)
class Layout:
    """Keys over servers, by range or by hash.

    Attributes:
        kind: "range" keeps neighbours together, "hash" spreads them (key modulo servers), which
            balances the load where low keys are more popular.
        servers: How many parts there are.
        size: How many keys.
    """

    kind: str
    servers: int
    size: int

    def __post_init__(self) -> None:
        """Refuse what cannot be, by name."""
        if self.kind not in KINDS:
            raise ExecutionError(f"unknown partition {self.kind!r}{nearest(self.kind, KINDS)}")
        if not 1 <= self.servers <= self.size:
            raise ExecutionError(
                f"{self.servers} servers for {self.size} parameters: expected 1 to {self.size}"
            )

    @cached_property
    def _bounds(self) -> Keys:
        return np.linspace(0, self.size, self.servers + 1).round().astype(np.int64)

    def count(self, server: int) -> int:
        """How many keys a server owns."""
        if self.kind == "range":
            return int(self._bounds[server + 1] - self._bounds[server])
        return len(range(server, self.size, self.servers))

    def keys(self, server: int) -> Keys:
        """The keys that a server owns, in the order of their local places."""
        if self.kind == "range":
            return np.arange(self._bounds[server], self._bounds[server + 1])
        return np.arange(server, self.size, self.servers)

    def owner(self, keys: Keys) -> Keys:
        """The server of each key."""
        if self.kind == "range":
            return np.searchsorted(self._bounds, keys, side="right") - 1
        return keys % self.servers

    def local(self, keys: Keys) -> Keys:
        """The place of each key within its server's part."""
        if self.kind == "range":
            return np.asarray(keys - self._bounds[self.owner(keys)], np.int64)
        return keys // self.servers

    def split(self, keys: Keys | None) -> Iterator[tuple[int, Place, Place]]:
        """For each server concerned: which elements of a request are its, and their local places.

        Keys are sorted; None stands for all of them.
        """
        if keys is None:
            yield from self._all()
            return
        owners = self.owner(keys)
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(self.servers + 1))
        for server in range(self.servers):
            if ends[server] < ends[server + 1]:
                here = order[ends[server] : ends[server + 1]]
                yield server, here, self.local(keys[here])

    def _all(self) -> Iterator[tuple[int, Place, Place]]:
        for server in range(self.servers):
            if self.kind == "range":
                whole = slice(int(self._bounds[server]), int(self._bounds[server + 1]))
            else:
                whole = slice(server, None, self.servers)
            yield server, whole, slice(None)


def rows_of(kind: str, rows: int, workers: int, worker: int) -> Keys:
    """The rows of the training data that a worker computes on, by range or by hash."""
    if kind not in KINDS:
        raise ExecutionError(f"unknown data partition {kind!r}{nearest(kind, KINDS)}")
    if kind == "range":
        bounds = np.linspace(0, rows, workers + 1).round().astype(np.int64)
        return np.arange(bounds[worker], bounds[worker + 1])
    return np.arange(worker, rows, workers)
