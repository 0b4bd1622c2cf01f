"""Which cores of a machine a process computes on: what people call thread affinity."""

import os
from collections.abc import Sequence
from functools import cache

from tunewise.errors import ExecutionError, nearest

KINDS = ("none", "packed", "spread")
"""Anywhere; on cores that lie side by side; on cores as far apart as there are."""


def check_affinity(kind: object) -> None:
    """Refuse what is no affinity."""
    if kind not in KINDS:
        raise ExecutionError(f"unknown affinity {kind!r}{nearest(str(kind), KINDS)}")


def cores_of(kind: str, threads: int, place: int, cores: Sequence[int]) -> list[int]:
    """The cores of the process at a place among others that compute with as many threads.

    Those of neighbours are others, as far as there are enough.

    >>> cores_of("packed", 2, 1, range(8)), cores_of("spread", 2, 1, range(8))
    ([2, 3], [1, 5])
    """
    check_affinity(kind)
    count = len(cores)
    if kind == "none" or threads >= count:
        return list(cores)
    if kind == "packed":
        chosen = {(place * threads + each) % count for each in range(threads)}
    else:
        chosen = {(place + each * count // threads) % count for each in range(threads)}
    return [cores[each] for each in sorted(chosen)]


def pin(kind: str, threads: int, place: int) -> None:
    """Keep this process on its cores; where the system cannot, it computes anywhere."""
    check_affinity(kind)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores_of(kind, threads, place, _allowed()))


@cache
def _allowed() -> tuple[int, ...]:
    """The cores that this process began with: a later affinity chooses among all of them again."""
    return tuple(sorted(os.sched_getaffinity(0)))
