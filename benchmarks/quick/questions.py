"""What is asked in the quick race: our own tables, made-up ones, conditional and plain spaces."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.early_stop import CORES
from benchmarks.family import Member, made_up_members
from benchmarks.worlds import conditional
from benchmarks.worlds.continuous import LANDSCAPES, Landscape
from benchmarks.worlds.world import World, of_table
from tunewise.benchmark.contest import Contest
from tunewise.history import Measurement, Trial
from tunewise.space import Config

SLICES = (2.0, 8.0)
"""Units after which a search over slices is looked at; one is a full training at the limit."""
PLAIN = (15.0, 40.0)
"""Trials after which a search without slices is looked at."""


@dataclass(frozen=True, eq=False)
class Question:
    """A problem of the race.

    Attributes:
        world: The problem, and the truth behind it.
        marks: What is spent, in units of the world, when the search is looked at.
        contest: The table and problem, where it is a table.
    """

    world: World
    marks: tuple[float, ...]
    contest: Contest | None = None

    @property
    def sliced(self) -> bool:
        """Whether there are slices, and so tools for them."""
        return len(self.world.problem.fractions) > 1


@cache
def questions() -> dict[str, Question]:
    """All of them, by name."""
    return {one.world.name: one for one in _all()}


def _all() -> Iterator[Question]:
    for name, share in (("fashion_cnn", 0.6), ("fashion_mlp", 0.3)):
        table = tw.Table(machine.OWN / f"{name}.csv", CORES)
        cap = float(np.quantile(table.values("cost", 1.0), share))
        problem = tw.Problem(
            table.space, maximize="accuracy", subject_to=[("cost", "<=", cap)],
            fractions=table.fractions,
        )  # fmt: skip
        yield _table(Member(f"our table {name}", Contest(table, problem, 0), cap))
    with tempfile.TemporaryDirectory() as folder:
        for member in made_up_members(Path(folder), 0):
            if member.name in ("regular", "misleading"):
                named = Member(f"generated, {member.name} slices", member.contest, member.unit)
                yield _table(named)
    for one in conditional.made_up():
        if one.name in ("optimizers", "nested"):
            yield Question(_plain(f"conditional, {one.name}", one.space, one.accuracy, 1.0), PLAIN)
    bowl = LANDSCAPES[0]
    space = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(bowl.dims)))
    yield Question(_plain("plain function, Hartmann 6", space, partial(_at, bowl), 1.0), PLAIN)


def _table(member: Member) -> Question:
    return Question(of_table(member, "quick"), SLICES, member.contest)


def _at(landscape: Landscape, config: Config) -> float:
    return float(landscape.quality(landscape.row(config)[None])[0])


def _plain(name: str, space: tw.Space, accuracy: conditional.Objective, best: float) -> World:
    """A function that costs one unit at each place, and has neither limit nor slice."""
    problem = tw.Problem(space, maximize="accuracy")
    drawn = space.sample(500, np.random.default_rng(0))

    def measured(config: Config) -> dict[str, float]:
        return {"accuracy": accuracy(config), "time": 1.0}

    def run(trial: Trial) -> Measurement:
        return Measurement(measured(trial.config))

    middle = float(np.median([accuracy(config) for config in drawn]))
    return World(name, "quick", problem, lambda seed: run, measured, best, middle, 1.0)
