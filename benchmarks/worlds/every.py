"""All problems, in groups."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.worlds import lcdb
from benchmarks.worlds.continuous import continuous
from benchmarks.worlds.measured import machines, trainings
from benchmarks.worlds.world import World


def every(folder: Path) -> Iterator[World]:
    """More than ninety problems; tables that are made up are written into the folder."""
    yield from lcdb.most_accurate()
    yield from lcdb.fastest()
    yield from trainings(folder)
    yield from machines()
    yield from continuous()
