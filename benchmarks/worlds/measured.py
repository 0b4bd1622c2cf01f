"""Measured tables as problems: trainings with slices, and machines for the least cost."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.cheapest import FOLDERS, Hunt
from benchmarks.family import Member, family
from benchmarks.worlds.world import World, of_table
from tunewise.benchmark.contest import Contest

MADE_UP = {"regular", "crossing", "misleading", "noisy", "set-up"}


def trainings(folder: Path, trials: int = 400) -> Iterator[World]:
    """A table of trainings under several limits, parts of it, and made-up ones."""
    for member in family(folder, trials):
        yield of_table(member, "made-up tables" if member.name in MADE_UP else "trainings")


def machines(trials: int = 60) -> Iterator[World]:
    """The least cost of a job within a limit on time, at the full data alone."""
    for path in sorted(p for name in FOLDERS for p in (machine.tables() / name).glob("*.csv")):
        hunt = Hunt(path)
        unit = float(np.nanmedian(hunt.table.values("cost")))
        contest = Contest(hunt.table, hunt.problem, trials)
        yield of_table(Member(hunt.name, contest, unit), "machines")
