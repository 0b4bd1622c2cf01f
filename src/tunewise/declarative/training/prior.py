"""What our candidates measured elsewhere: the shipped measurements, and this store's other tasks.

Of a task nothing is used but names of models, their quality and seconds, and how many examples
there were; nothing at all of one that was declared with `shared=False`.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from tunewise.declarative.schema import parse
from tunewise.declarative.training.events import FRACTIONS, family, qualified
from tunewise.storage.tasks import TaskStore
from tunewise.tenancy import Log

Row = Mapping[str, Mapping[str, tuple[float, float]]]


ENOUGH = 0.75
"""Share of a family's models that a row must have measured: what was left out was slow, and
a log that lacks slow models on large data says too much good of them."""


def prior_of(store: TaskStore) -> Log | None:
    """The log for whoever trains for all tasks of a store."""
    programs = {task.program for task in store.everyone()}
    return prior(sorted({family(parse(program)) for program in programs}), store)


def prior(
    families: Collection[str], store: TaskStore | None = None, without: Collection[int] = ()
) -> Log | None:
    """The log of earlier tasks of these families for a scheduler; None where there is nothing."""
    return logged([*shipped(), *(() if store is None else _measured(store, without))], families)


def logged(every: Sequence[Row], families: Collection[str]) -> Log | None:
    """The rows of some families as a log; None where there is none."""
    rows = [row for own in families for row in _whole(every, f"{own}/")]
    names = sorted({name for row in rows for name in (*row["models"], *row["slices"])})
    if not rows:
        return None
    accuracy, seconds, slices = (np.full((len(rows), len(names)), np.nan) for _ in range(3))
    place = {name: at for at, name in enumerate(names)}
    for at, row in enumerate(rows):
        for name, (quality, took) in row["models"].items():
            accuracy[at, place[name]], seconds[at, place[name]] = quality, took
        for name, (quality, _) in row["slices"].items():
            slices[at, place[name]] = quality
    return Log(accuracy, seconds, slices=slices[:, None, :], fractions=FRACTIONS, models=names)


def _whole(rows: Sequence[Row], start: str) -> list[Row]:
    """The rows of a family that have measured nearly all of its models."""
    own = [row for row in rows if any(name.startswith(start) for name in row["models"])]
    names = {name for row in own for name in row["models"]}
    return [row for row in own if len(row["models"]) >= ENOUGH * len(names)]


@cache
def shipped() -> tuple[Row, ...]:
    """What our candidates measured on public data, by `python -m benchmarks.tasks.prior`."""
    found = files("tunewise.declarative.training").joinpath("prior.json")
    return tuple(json.loads(found.read_text(encoding="utf-8")))


def _measured(store: TaskStore, without: Collection[int]) -> list[Row]:
    """The finished trainings of a store's other tasks, a row for each."""
    rows: list[Row] = []
    for task in store.everyone():
        if task.id in without or task.settings.get("shared") is False:
            continue
        row: dict[str, Any] = {"models": {}, "slices": {}}
        for card in store.models(task.id):
            name = qualified(family(parse(task.program)), card["model"])
            kind = "models" if card["fraction"] == 1.0 else "slices"
            row[kind][name] = (card["quality"], card["seconds"])
        if row["models"]:
            rows.append(row)
    return rows
