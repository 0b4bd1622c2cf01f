"""Measured tables as problems: trainings with slices, and machines for the least cost."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.cheapest import FOLDERS, Hunt
from benchmarks.early_stop import CORES
from benchmarks.family import Member, family
from benchmarks.worlds.world import World, of_table
from tunewise.benchmark.contest import Contest

MADE_UP = {"regular", "crossing", "misleading", "noisy", "set-up"}


def trainings(folder: Path, trials: int = 400) -> Iterator[World]:
    """A table of trainings under several limits, parts of it, and made-up ones."""
    for member in family(folder, trials):
        yield of_table(member, "made-up tables" if member.name in MADE_UP else "trainings")


def own_tables(trials: int = 400) -> Iterator[World]:
    """Our own trainings of networks, under a narrow and a wide limit on cost."""
    for path in (machine.OWN / f"{name}.csv" for name in ("fashion_cnn", "fashion_mlp")):
        table = tw.Table(path, CORES)
        for share in (0.3, 0.6):
            cap = float(np.quantile(table.values("cost", 1.0), share))
            problem = tw.Problem(
                table.space, maximize="accuracy", subject_to=[("cost", "<=", cap)],
                fractions=table.fractions,
            )  # fmt: skip
            name = f"{path.stem}, {share:.0%} within the limit"
            yield of_table(Member(name, Contest(table, problem, trials), cap), "own tables")


def machines(trials: int = 60) -> Iterator[World]:
    """The least cost of a job within a limit on time, at the full data alone."""
    for path in sorted(p for name in FOLDERS for p in (machine.tables() / name).glob("*.csv")):
        hunt = Hunt(path)
        unit = float(np.nanmedian(hunt.table.values("cost")))
        contest = Contest(hunt.table, hunt.problem, trials)
        yield of_table(Member(hunt.name, contest, unit), "machines")
