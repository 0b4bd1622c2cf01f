"""The work behind `tunewise report --what-if`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tunewise.cli.options import console
from tunewise.errors import ProblemError
from tunewise.format import measured, share_of_data
from tunewise.problem import KNOWN, Constraint, Metric, parse_constraint
from tunewise.report.what_if.answer import (
    NOTHING,
    Point,
    Sign,
    WhatIf,
    measured_points,
    strictest,
    what_if,
)
from tunewise.report.what_if.page import times, told, verdict

if TYPE_CHECKING:
    from tunewise.benchmark import Table
    from tunewise.cli.studies.stored_study import StoredStudy

DEFAULT = "accuracy,time"
_VARIED = re.compile(r"^(?P<metric>.*?)\s*(?P<sign><=|>=)?$")
_SHOWN = 10


@dataclass(frozen=True)
class Asked:
    """What is asked about: where it comes from, the answer, and the limits that all must keep."""

    name: str
    data: WhatIf
    others: tuple[Constraint, ...]


def of_table(table: "Table", varied: str, subject_to: Sequence[str]) -> Asked:
    """The savings in a table of measured trials."""
    metrics = {**{m: Metric(m) for row in table.rows for m in row.metrics}, **KNOWN}
    points = [Point(row.config, row.fraction, row.metrics) for row in table.rows if row.completed]
    constraints = tuple(parse_constraint(limit, metrics) for limit in subject_to)
    return _asked(table.path.name, points, metrics, varied, constraints)


def of_study(stored: "StoredStudy", varied: str, subject_to: Sequence[str]) -> Asked:
    """The savings among what a study has measured; limits that are given replace its own."""
    problem = stored.problem
    given = tuple(parse_constraint(limit, problem.metrics) for limit in subject_to)
    replaced = {(c.metric, c.sign) for c in given}
    kept = tuple(c for c in problem.constraints if (c.metric, c.sign) not in replaced)
    points = list(measured_points(problem, stored.history))
    objective = None if problem.maximize else problem.metrics[problem.objective]
    return _asked(
        stored.record.name, points, problem.metrics, varied, (*kept, *given), objective
    )  # fmt: skip


def _asked(
    name: str,
    points: list[Point],
    metrics: dict[str, Metric],
    varied: str,
    constraints: tuple[Constraint, ...],
    objective: Metric | None = None,
) -> Asked:
    names = _varied(varied, metrics, constraints)
    chosen = {(metric.name, sign) for metric, sign in names}
    others = tuple(c for c in constraints if (c.metric, c.sign) not in chosen)
    return Asked(name, what_if(points, names, constraints, objective), others)


def _varied(
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
    from tunewise.cli.report import library
    from tunewise.report.file import save
    from tunewise.report.what_if.page import render

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


def print_summary(asked: Asked) -> None:
    """How often a part of the data wins, and for each limit of the rows where it saves most."""
    from rich.table import Table as RichTable

    out, data = console(), asked.data
    feasible, wins = int(np.sum(data.best != NOTHING)), int(np.sum(data.saving > 1))
    only = int(np.sum(np.isposinf(data.saving)))
    out.print(
        f"{asked.name}: of {data.saving.size} pairs of limits {feasible} can be kept; in {wins} of"
        f" them a part of the data is {data.less}, in {only} of those only a part keeps them",
        soft_wrap=True,
    )
    if data.own is not None:
        out.print(verdict(data, *data.own), soft_wrap=True)
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    name = data.objective.name
    for head in ("with", "and", f"{name} on all", f"{name} on a part", "the part", "saving"):
        table.add_column(head, justify="right", no_wrap=True)
    for cells in _lines(data):
        table.add_row(*cells)
    if table.row_count:
        out.print(table)


def _lines(data: WhatIf) -> list[list[str]]:
    """For some of the rows the column with the largest saving over the full data."""
    finite = np.where(np.isfinite(data.saving), data.saving, 0.0)
    telling = np.flatnonzero(finite.max(axis=1) > 1)
    if data.rows.sign == "<=":
        telling = telling[::-1]
    spread = np.unique(np.linspace(0, len(telling) - 1, _SHOWN).round().astype(int))
    lines = []
    for row in telling[spread] if len(telling) else ():
        most = np.zeros(finite.shape, dtype=bool)
        most[row] = finite[row] == finite[row].max()
        lines.append(_line(data, *strictest(data, most)))
    return lines


def _line(data: WhatIf, row: int, column: int) -> list[str]:
    best, full = (data.points[places[row, column]] for places in (data.best, data.full))
    limits = [told(v.metric, v.sign, v.bounds[i])
              for v, i in ((data.rows, row), (data.columns, column))]  # fmt: skip
    prices = [measured(data.objective, p.metrics[data.objective.name]) for p in (full, best)]
    return [*limits, *prices, share_of_data(best.fraction), times(float(data.saving[row, column]))]
