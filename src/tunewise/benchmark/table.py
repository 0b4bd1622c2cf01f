"""Measured rows as a space and as a job, so that a search can be replayed without running it."""

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tunewise.errors import ExecutionError, nearest
from tunewise.history import Failure, Measurement, Outcome, Trial, completed
from tunewise.problem import Metrics, Problem
from tunewise.space import Config, Space
from tunewise.space.activity import key_of
from tunewise.space.parameter import ABSENT

_WHOLE = re.compile(r"[+-]?\d{1,300}")
_YES = {"true", "1", "yes", "y"}
_NO = {"false", "0", "no", "n"}

_SAME_FRACTION = 1e-3
"""How much, relatively, a fraction may differ from the table's: 1/60 is written as 0.016667."""


@dataclass(frozen=True)
class Row:
    """One measured trial."""

    config: Config
    fraction: float
    metrics: Metrics
    deviations: Metrics
    completed: bool


class Optimum(NamedTuple):
    """The best config of a table, its value of the objective, and the fraction it has it at."""

    config: Config
    objective: float
    fraction: float = 1.0


class Table:
    """A CSV file of measured trials: call it with a trial, and get what was measured.

    The same config and fraction must not stand in two rows: that is what a table looks like when
    a column of its config was forgotten, and their mean would hide it.

    Attributes:
        path: The file.
        rows: What it holds, in order.
        fractions: The fractions it has, ascending.
        configs: The distinct configs, in order of first appearance.
    """

    def __init__(
        self,
        path: str | Path,
        config: Sequence[str],
        fraction: str | None = "fraction",
        metrics: Sequence[str] = ("accuracy", "time", "cost"),
        completed: str | None = None,
        deviations: Mapping[str, str] | None = None,
    ) -> None:
        """Read the file.

        Args:
            path: A CSV file with a header.
            config: The columns that make up a config; an empty cell in a column of numbers says
                that the parameter does not apply to the row.
            fraction: The column with the fraction; None where all rows are at fraction 1.
            metrics: The columns that were measured.
            completed: The column that says whether a trial completed; None when all have.
            deviations: By metric, the column with its standard deviation.
        """
        names, measured = _listed("config", config), _listed("metrics", metrics)
        columns = _Columns(Path(path), fraction, completed, dict(deviations or {}))
        cells = _read(columns.path)
        columns.check(list(cells), names, measured)
        self._hold(columns.path, columns.rows(cells, names, measured), names, measured)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> "Table":
        """A table of measured trials that no file has."""
        table = cls.__new__(cls)
        names = list(dict.fromkeys(name for row in rows for name in row.config))
        measured = list(dict.fromkeys(name for row in rows for name in row.metrics))
        table._hold(Path(name), tuple(rows), names, measured)
        return table

    def _hold(
        self, path: Path, rows: tuple[Row, ...], names: list[str], metrics: list[str]
    ) -> None:
        self.path, self.rows, self._names, self._metrics = path, rows, names, metrics
        self._optional = {n for n in self._names if any(n not in r.config for r in self.rows)}
        self.fractions = tuple(sorted({row.fraction for row in self.rows}))
        self._index = self._indexed()
        self.configs = list({self._key(row.config): row.config for row in self.rows}.values())

    @cached_property
    def space(self) -> Space:
        """Exactly the measured configs."""
        return Space.of(self.configs)

    def __call__(self, trial: Trial) -> Outcome:
        """What was measured: a failure where it did not complete, with what it cost all the same.

        Of the snapshots that the trial asks for, those that the table has.
        """
        row = self._row(trial.config, trial.fraction)
        if not row.completed:
            return Failure("did not complete", row.metrics)
        snapshots = {s: self._find(trial.config, s) for s in trial.snapshots if s < trial.fraction}
        passed = {s: found.metrics for s, found in snapshots.items() if found and found.completed}
        return Measurement(row.metrics, passed, row.deviations)

    def values(self, metric: str, fraction: float = 1.0) -> npt.NDArray[np.float64]:
        """One metric of all `configs` at a fraction, `(n,)`; NaN where it was not measured."""
        if metric not in self._metrics:
            hint = nearest(metric, self._metrics)
            raise ExecutionError(f"the table {self.path.name} has no metric {metric!r}{hint}")
        found = [self._find(config, fraction) for config in self.configs]
        return np.array([row.metrics.get(metric, math.nan) if row else math.nan for row in found])

    def best(self, problem: Problem) -> Optimum | None:
        """The best row that completed, may be deployed and keeps all constraints; None if none.

        With deploy="full" only rows at fraction 1 may be deployed, with "any" those at one of the
        problem's fractions.
        """
        best: Optimum | None = None
        allowed = problem.fractions if problem.deploy == "any" else (1.0,)
        deployable = {s for s in self.fractions if any(_same(s, other) for other in allowed)}
        for row in (r for r in self.rows if r.completed and r.fraction in deployable):
            metrics = completed(problem, row.config, Measurement(row.metrics)).metrics
            value = metrics[problem.objective]
            if problem.feasible(metrics) and (best is None or problem.better(value, best[1])):
                best = Optimum(row.config, value, row.fraction)
        return best

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def __repr__(self) -> str:
        """Short, for people."""
        return f"Table({self.path.name!r}: {len(self.configs)} configs, {len(self)} rows)"

    def _key(self, config: Mapping[str, Any]) -> tuple[Any, ...]:
        return key_of(config, self._names)

    def _indexed(self) -> dict[tuple[Any, ...], Row]:
        index: dict[tuple[Any, ...], Row] = {}
        for number, row in enumerate(self.rows, start=2):
            key = (*self._key(row.config), row.fraction)
            if key in index:
                first = self.rows.index(index[key]) + 2
                raise ExecutionError(
                    f"rows {first} and {number} of {self.path.name} have the same config"
                    f" {row.config} at fraction {row.fraction:g}; expected each once: is a column"
                    " missing in config=, or fraction=?"
                )
            index[key] = row
        return index

    def _find(self, config: Mapping[str, Any], fraction: float) -> Row | None:
        known = min(self.fractions, key=lambda s: abs(s - fraction))
        if not _same(known, fraction):
            return None
        return self._index.get((*self._key(config), known))

    def _row(self, config: Config, fraction: float) -> Row:
        """The row of a trial, or an error that says what the table has instead."""
        for name in (*config, *self._names):
            if name not in self._names or (name not in config and name not in self._optional):
                raise ExecutionError(
                    f"the trial and the table {self.path.name} differ in the parameter {name!r}"
                    f"{nearest(name, self._names)}"
                )
        found = self._find(config, fraction)
        if found is None:
            fractions = ", ".join(f"{s:g}" for s in self.fractions)
            raise ExecutionError(
                f"the table {self.path.name} has no row for {config} at fraction {fraction:g};"
                f" it has {len(self.configs)} configs at the fractions {fractions}"
            )
        return found


@dataclass(frozen=True)
class _Columns:
    """Which columns mean what, beside configs and metrics."""

    path: Path
    fraction: str | None
    completed: str | None
    deviations: dict[str, str]

    def check(self, header: list[str], config: list[str], metrics: list[str]) -> None:
        """Refuse names that the table has not."""
        roles = {"config": config, "metrics": metrics, "deviations": self.deviations.values()}
        wanted = [(role, name) for role, names in roles.items() for name in names]
        wanted += [(r, n) for r in ("fraction", "completed") if (n := getattr(self, r)) is not None]
        for role, name in wanted:
            if name not in header:
                none = "; give fraction=None where there is no such column"
                raise ExecutionError(
                    f"{role}: the table {self.path.name} has no column {name!r}"
                    f"{nearest(name, header)}{none if role == 'fraction' else ''}"
                )
        if odd := [metric for metric in self.deviations if metric not in metrics]:
            raise ExecutionError(
                f"deviations: {odd[0]!r} is not one of the metrics{nearest(odd[0], metrics)}"
            )

    def rows(
        self, cells: dict[str, list[str]], config: list[str], metrics: list[str]
    ) -> tuple[Row, ...]:
        """The rows, with numbers as numbers."""
        values = {name: _parsed(cells[name]) for name in config}
        return tuple(
            Row(
                {name: values[name][i] for name in config if values[name][i] != ABSENT},
                1.0 if self.fraction is None else self._fraction(i, cells[self.fraction][i]),
                self._numbers(i, {m: cells[m][i] for m in metrics}, completed),
                self._numbers(i, {m: cells[c][i] for m, c in self.deviations.items()}, completed),
                completed,
            )
            for i in range(len(cells[config[0]]))
            for completed in (self._completed(i, cells),)
        )

    def _fraction(self, i: int, cell: str) -> float:
        fraction = _number(cell)
        if fraction is None or not 0 < fraction <= 1:
            raise self._wrong(i, str(self.fraction), cell, "a number above 0 and at most 1")
        return fraction

    def _completed(self, i: int, cells: dict[str, list[str]]) -> bool:
        if self.completed is None:
            return True
        said = cells[self.completed][i].strip().lower()
        if said not in _YES | _NO:
            raise self._wrong(i, self.completed, cells[self.completed][i], "True or False")
        return said in _YES

    def _numbers(self, i: int, cells: dict[str, str], completed: bool) -> Metrics:
        numbers = {name: _number(cell) for name, cell in cells.items()}
        for name, number in numbers.items():
            # A trial that failed need not have measured everything.
            if number is None and (completed or cells[name].strip()):
                raise self._wrong(i, name, cells[name], "a finite number")
        return {name: number for name, number in numbers.items() if number is not None}

    def _wrong(self, i: int, name: str, cell: str, expected: str) -> ExecutionError:
        return ExecutionError(
            f"row {i + 2} of {self.path.name}: {name!r} is {cell!r}; expected {expected}"
        )


def _listed(role: str, names: Sequence[str]) -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise ExecutionError(f"{role} is empty; expected names of columns")
    if repeated := [name for name in listed if listed.count(name) > 1]:
        raise ExecutionError(f"{role} names the column {repeated[0]!r} twice; expected it once")
    return listed


def _read(path: Path) -> dict[str, list[str]]:
    """The cells of the file by column."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header, *rows = [row for row in csv.reader(file) if row] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecutionError(f"the table {str(path)!r} cannot be read: {why}") from error
    if not rows:
        raise ExecutionError(f"the table {path.name} has no rows; expected a header and rows")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ExecutionError(
                f"row {number} of {path.name} has {len(row)} cells; expected {len(header)}, as the"
                " header has"
            )
    names = [name.strip() for name in header]
    if twice := [name for name in names if name and names.count(name) > 1]:
        raise ExecutionError(f"two columns of {path.name} are called {twice[0]!r}; expected one")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _parsed(cells: list[str]) -> list[Any]:
    """A column as whole numbers, or else as numbers, or else as text.

    Among numbers an empty cell says that the parameter does not apply to the row.
    """
    stripped = [cell.strip() for cell in cells]
    told = [cell for cell in stripped if cell]
    if told and all(_WHOLE.fullmatch(cell) for cell in told):
        return [int(cell) if cell else ABSENT for cell in stripped]
    if told and None not in map(_number, told):
        return [_number(cell) if cell else ABSENT for cell in stripped]
    return stripped


def _same(fraction: float, other: float) -> bool:
    return math.isclose(fraction, other, rel_tol=_SAME_FRACTION)


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None
