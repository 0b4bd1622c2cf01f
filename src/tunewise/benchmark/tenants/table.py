"""Measured tables of users and models: accuracy, seconds, and curves over fractions."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.surrogate import Array
from tunewise.tenancy import Log

CURVE_COLUMNS = ("dataset", "learner", "fraction", "accuracy", "time")


@dataclass(frozen=True, eq=False)
class TenantTable:
    """What every model of every user measures: a row a user, a column a model.

    Attributes:
        name: Of the table.
        models: The columns.
        accuracy: (N, K) at the full data; NaN where a model does not end.
        seconds: (N, K).
        fractions: (F,) ascending, below 1; empty where there are no curves.
        looks: (N, F, K) accuracy at the fractions.
        look_seconds: (N, F, K).
        orders: Fixed orders of the models, by name.
    """

    name: str
    models: tuple[str, ...]
    accuracy: Array
    seconds: Array
    fractions: tuple[float, ...] = ()
    looks: Array | None = None
    look_seconds: Array | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse tables that do not fit together."""
        if self.accuracy.shape != self.seconds.shape:
            raise ExecutionError(
                f"{self.name} has accuracies of shape {self.accuracy.shape} and seconds of shape"
                f" {self.seconds.shape}; expected the same users and models"
            )

    def __len__(self) -> int:
        """How many users there are."""
        return len(self.accuracy)

    def log(self, rows: Sequence[int], *, looks: bool = False) -> Log:
        """These users as a log, with their looks where asked."""
        at = list(rows)
        if looks and self.looks is not None:
            parts = self.looks[at], self.fractions
            return Log(self.accuracy[at], self.seconds[at], None, *parts, self.models)
        return Log(self.accuracy[at], self.seconds[at], models=self.models)


def read(
    accuracy: Path, seconds: Path, curves: Path | None = None, orders: Path | None = None
) -> TenantTable:
    """A table from files: a row a user and a column a model; an empty cell did not end.

    With curves (a row for each data set, learner, fraction and repeat) the users are those of the
    curves, and the full data is the fraction 1 of the same file. Orders come from a row a model and
    a column a number, such as how often it was cited: the largest is first.
    """
    models, users, scores = _matrix(accuracy)
    same, _, times = _matrix(seconds)
    if same != models:
        raise ExecutionError(f"{seconds.name} has other columns than {accuracy.name}")
    name = accuracy.parent.name or accuracy.stem
    ranked = {} if orders is None else _orders(orders, models)
    table = TenantTable(name, tuple(models), scores, times, orders=ranked)
    return table if curves is None else _with_curves(table, users, curves)


def _orders(path: Path, models: Sequence[str]) -> dict[str, tuple[str, ...]]:
    columns, named, values = _matrix(path)
    missing = [model for model in models if model not in named]
    if missing:
        raise ExecutionError(f"{path.name} has no row for the model {missing[0]!r}")
    place = [named.index(model) for model in models]
    found = {}
    for column, numbers in zip(columns, values[place].T, strict=True):
        # Models with the same number, or none, stay in the order of the table.
        first = np.argsort(-np.nan_to_num(numbers, nan=-np.inf), kind="stable")
        found[column] = tuple(models[model] for model in first)
    return found


def _matrix(path: Path) -> tuple[list[str], list[str], Array]:
    rows = _rows(path)
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ExecutionError(f"{path.name} has no rows; expected a user a row and a model a column")
    try:
        cells = [[float(cell) if cell.strip() else np.nan for cell in row[1:]] for row in rows[1:]]
        values = np.array(cells, float)
    except ValueError as error:
        raise ExecutionError(f"{path.name} is not a table of numbers: {error}") from error
    return rows[0][1:], [row[0] for row in rows[1:]], values


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecutionError(f"the table {str(path)!r} cannot be read: {why}") from error


def _with_curves(table: TenantTable, users: list[str], path: Path) -> TenantTable:
    head, *rows = _rows(path)
    missing = [column for column in CURVE_COLUMNS if column not in head]
    if missing:
        raise ExecutionError(f"{path.name} has no column {missing[0]!r}")
    at = [head.index(column) for column in CURVE_COLUMNS]
    parts: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
    for row in rows:
        user, model, fraction, accuracy, seconds = (row[place] for place in at)
        # Data sets differ in size, so their fractions differ a little: halvings unite them.
        halvings = round(-np.log2(float(fraction)))
        parts.setdefault((user, model, halvings), []).append((float(accuracy), float(seconds)))
    seen = [user for user in users if any(key[0] == user for key in parts)]
    steps = sorted({key[2] for key in parts}, reverse=True)
    shape = (len(seen), len(steps), len(table.models))
    scores, times = np.full(shape, np.nan), np.full(shape, np.nan)
    for (user, model, halvings), pairs in parts.items():
        if user in seen and model in table.models:
            place = seen.index(user), steps.index(halvings), table.models.index(model)
            scores[place], times[place] = np.mean(pairs, axis=0)
    if not steps or steps[-1] != 0:
        raise ExecutionError(f"{path.name} has no fraction 1")
    below = tuple(0.5**step for step in steps[:-1])
    full, full_times = scores[:, -1], times[:, -1]
    looks, look_times = scores[:, :-1], times[:, :-1]
    curves = below, looks, look_times, table.orders
    return TenantTable(table.name, table.models, full, full_times, *curves)
