"""What of an update travels: all of it, half precision, or its largest entries.

A worker that sends less keeps what it did not send and adds it to its next update (error feedback),
so that nothing is lost in the long run.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import ExecutionError, nearest
from tunewise.surrogate import Array

_TOP = 0.01
"""The share of the entries that "topk" sends: 1 % loses little accuracy with error feedback
(Lin and others, Deep Gradient Compression, 2018, send 0.1 %)."""


@dataclass(frozen=True)
class Packet:
    """What is sent of an update.

    Attributes:
        places: Which entries, None for all.
        values: Their values.
        size: Bytes on the wire.
    """

    places: NDArray[np.int64] | None
    values: Array
    size: int


def _everything(update: Array) -> Packet:
    return Packet(None, update, 8 * len(update))


def _half(update: Array) -> Packet:
    """Values beyond the largest half-precision number are clipped, not made infinite."""
    largest = float(np.finfo(np.float16).max)
    rounded = np.clip(update, -largest, largest).astype(np.float16).astype(np.float64)
    return Packet(None, rounded, 2 * len(update))


def _largest(update: Array) -> Packet:
    kept = max(1, int(np.ceil(_TOP * len(update))))
    if kept >= len(update):
        return _everything(update)
    places = np.sort(np.argpartition(-np.abs(update), kept - 1)[:kept])
    return Packet(places, update[places], 12 * kept)


COMPRESSIONS: dict[str, Callable[[Array], Packet]] = {
    "none": _everything,
    "fp16": _half,
    "topk": _largest,
}


def compression(name: str) -> Callable[[Array], Packet]:
    """The compression of that name."""
    if name not in COMPRESSIONS:
        raise ExecutionError(f"unknown compression {name!r}{nearest(name, COMPRESSIONS)}")
    return COMPRESSIONS[name]
