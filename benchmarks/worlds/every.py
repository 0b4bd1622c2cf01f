"""All problems, in groups."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from benchmarks.worlds import lcdb
from benchmarks.worlds.continuous import continuous
from benchmarks.worlds.measured import machines, own_tables, trainings
from benchmarks.worlds.world import World

Maker = Callable[[Path], Iterator[World]]

MAKERS: dict[str, Maker] = {
    "lcdb": lambda folder: lcdb.most_accurate(),
    "lcdb fastest": lambda folder: lcdb.fastest(),
    "trainings": trainings,
    "made-up tables": trainings,
    "own tables": lambda folder: own_tables(),
    "machines": lambda folder: machines(),
    "continuous": lambda folder: continuous(),
}
"""By group what makes its problems, perhaps beside those of another one."""


def every(folder: Path, groups: Collection[str] = ()) -> Iterator[World]:
    """More than ninety problems, or those of some groups; made-up tables go into the folder."""
    wanted = set(groups) or set(MAKERS)
    for maker in dict.fromkeys(MAKERS[group] for group in MAKERS if group in wanted):
        yield from (world for world in maker(folder) if world.group in wanted)
