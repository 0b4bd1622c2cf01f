"""What is asked of a study or of a table of measured trials: what a part of the data saves."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.benchmark import Table
from tunewise.errors import ProblemError
from tunewise.problem import KNOWN, Constraint, Metric, parse_constraint
from tunewise.report.file import library, save
from tunewise.report.what_if.answer import NOTHING, Point, Sign, WhatIf, measured_points, what_if
from tunewise.report.what_if.page import render
from tunewise.study.stored import StoredStudy

DEFAULT = "accuracy,time"
_VARIED = re.compile(r"^(?P<metric>.*?)\s*(?P<sign><=|>=)?$")


@dataclass(frozen=True)
class Asked:
    """What is asked about: where it comes from, the answer, and the limits that all must keep."""

    name: str
    data: WhatIf
    others: tuple[Constraint, ...]


def of_table(table: Table, varied: str, subject_to: Sequence[str]) -> Asked:
    """The savings in a table of measured trials."""
    metrics = {**{m: Metric(m) for row in table.rows for m in row.metrics}, **KNOWN}
    points = [Point(row.config, row.fraction, row.metrics) for row in table.rows if row.completed]
    constraints = tuple(parse_constraint(limit, metrics) for limit in subject_to)
    return _asked(table.path.name, points, metrics, varied, constraints)


def of_study(stored: StoredStudy, varied: str, subject_to: Sequence[str]) -> Asked:
    """The savings among what a study has measured; limits that are given replace its own."""
    problem = stored.problem
    given = tuple(parse_constraint(limit, problem.metrics) for limit in subject_to)
    replaced = {(c.metric, c.sign) for c in given}
    kept = tuple(c for c in problem.constraints if (c.metric, c.sign) not in replaced)
    points = list(measured_points(problem, stored.history))
    objective = None if problem.maximize else problem.metrics[problem.objective]
    return _asked(
        stored.name, points, problem.metrics, varied, (*kept, *given), objective
    )  # fmt: skip


def _asked(
    name: str,
    points: list[Point],
    metrics: dict[str, Metric],
    varied: str,
    constraints: tuple[Constraint, ...],
    objective: Metric | None = None,
) -> Asked:
    names = varied_limits(varied, metrics, constraints)
    chosen = {(metric.name, sign) for metric, sign in names}
    others = tuple(c for c in constraints if (c.metric, c.sign) not in chosen)
    return Asked(name, what_if(points, names, constraints, objective), others)


def varied_limits(
    text: str, metrics: dict[str, Metric], constraints: Sequence[Constraint]
) -> list[tuple[Metric, Sign]]:
    """The two metrics whose limits are varied, each with its direction."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = [m for m in map(_VARIED.match, parts) if m]
    if len({m["metric"] for m in found}) != 2 or len(found) != 2:
        raise ProblemError(
            f"--limits is {text!r}; expected two different metrics such as {DEFAULT!r}"
        )
    return [_directed(m["metric"], m["sign"], metrics, constraints) for m in found]


def _directed(
    name: str, said: str | None, metrics: dict[str, Metric], constraints: Sequence[Constraint]
) -> tuple[Metric, Sign]:
    """As it was said, or else as it is limited already, or else as its kind is usually limited."""
    metric = metrics.get(name, Metric(name))
    usual = ">=" if metric.kind == "share" else "<="
    limited = next((c.sign for c in constraints if c.metric == name), usual)
    return metric, ">=" if (said or limited) == ">=" else "<="


def write(asked: Asked, path: Path, self_contained: bool = False) -> None:
    """Write the page, whole or not at all."""
    script = library(path, self_contained)
    save(path, render(asked.name, asked.data, asked.others, script))


def described(asked: Asked, path: Path) -> dict[str, Any]:
    """For machines: the grid, and for each pair of limits prices, fraction and saving.

    What is missing is null; where only a part of the data keeps the limits, the price at the full
    data is.
    """
    data = asked.data
    prices = np.array([p.metrics[data.objective.name] for p in data.points])
    fractions = np.array([p.fraction for p in data.points])
    grids = {"best": prices[data.best], "fraction": fractions[data.best]}
    grids = {name: np.where(data.best == NOTHING, np.nan, grid) for name, grid in grids.items()}
    grids["full"] = np.where(data.full == NOTHING, np.nan, prices[data.full])
    sides = {
        side: {"metric": v.metric.name, "sign": v.sign, "bounds": v.bounds}
        for side, v in (("rows", data.rows), ("columns", data.columns))
    }
    told_grids = {name: grid.tolist() for name, grid in grids.items()}
    return {
        "of": asked.name,
        "report": str(path.absolute()),
        "minimize": data.objective.name,
        **sides,
        **told_grids,
        "saving": data.saving.tolist(),
    }
