"""Tables of users and models from files; whatever is wrong in them is named with its place."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tunewise.benchmark.tenants.table import TenantTable
from tunewise.errors import ExecutionError, nearest
from tunewise.surrogate import Array

CURVE_COLUMNS = ("dataset", "learner", "fraction", "accuracy", "time")


def read(
    accuracy: Path,
    seconds: Path | None = None,
    curves: Path | None = None,
    orders: Path | None = None,
    *,
    seed: int = 0,
) -> TenantTable:
    """A table from files: a row a user and a column a model; an empty cell did not end.

    Without run times, costs are drawn from U(0, 1) with the seed, as in ease.ml's section 6.1. With
    curves (a row for each data set, learner, fraction and repeat) the users are those of the
    curves, and the full data is the fraction 1 of the same file. Orders come from a row a model and
    a column a number, such as `citations` or `year`: the largest is first.
    """
    models, users, scores = _matrix(accuracy)
    _within(scores, users, models, accuracy, (0.0, 1.0))
    name, source = accuracy.parent.name or accuracy.stem, accuracy.name
    if seconds is None:
        drawn = np.random.default_rng(seed).uniform(0.0, 1.0, scores.shape)
        times = np.where(np.isfinite(scores), drawn, np.nan)
        name = name if curves else f"{name}, costs from U(0, 1)"
    else:
        times, source = _times(seconds, users, models, accuracy), seconds.name
    _complete(scores, times, users, models, (accuracy.name, source))
    ranked = {} if orders is None else _orders(orders, models)
    table = TenantTable(name, tuple(models), scores, times, orders=ranked)
    return table if curves is None else _with_curves(table, users, curves)


def _times(seconds: Path, users: list[str], models: list[str], accuracy: Path) -> Array:
    """The run times of the same users and models."""
    same, other, times = _matrix(seconds)
    if same != models:
        raise ExecutionError(f"{seconds.name} has other columns than {accuracy.name}")
    if sorted(other) != sorted(users):
        lacking = sorted(set(users) ^ set(other))[0]
        raise ExecutionError(
            f"user {lacking!r} is in one of {accuracy.name} and {seconds.name} only; expected the"
            " same users in both"
        )
    times = times[[other.index(user) for user in users]]
    _within(times, users, models, seconds, (0.0, np.inf))
    return times


def _complete(
    scores: Array, times: Array, users: list[str], models: list[str], files: tuple[str, str]
) -> None:
    """Refuse a user without any model, and a model that ended in no time that is known."""
    without = np.flatnonzero(~np.isfinite(scores).any(axis=1))
    if len(without):
        raise ExecutionError(f"user {users[without[0]]!r} has no accuracy in {files[0]}: every cell"
                             " is empty; leave the row out")  # fmt: skip
    unknown = np.argwhere(np.isfinite(scores) & ~np.isfinite(times))
    if len(unknown):
        user, model = unknown[0]
        raise ExecutionError(f"user {users[user]!r} has an accuracy of {models[model]!r} in"
                             f" {files[0]}, and no run time in {files[1]}")  # fmt: skip
    if np.nansum(np.where(np.isfinite(scores), times, 0.0)) <= 0:
        raise ExecutionError(f"every run time in {files[1]} is 0: there is nothing to race for")


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
    """The columns, the rows, and a number for each cell; NaN where it is empty."""
    rows = _rows(path)
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ExecutionError(f"{path.name} has no rows; expected a user a row and a model a column")
    columns, names = rows[0][1:], [row[0] for row in rows[1:]]
    for listed, what in ((columns, "columns"), (names, "rows")):
        twice = [name for name in listed if listed.count(name) > 1]
        if twice:
            raise ExecutionError(f"two {what} of {path.name} are called {twice[0]!r}")
    for row in rows[1:]:
        if len(row) != len(rows[0]):
            raise ExecutionError(
                f"the row {row[0]!r} of {path.name} has {len(row)} cells; expected {len(rows[0])}"
            )
    cells = [
        [_number(cell, f"{path.name}, row {row[0]!r}, column {column!r}")
         for cell, column in zip(row[1:], columns, strict=True)]
        for row in rows[1:]
    ]  # fmt: skip
    return columns, names, np.array(cells, float)


def _number(cell: str, where: str) -> float:
    try:
        return float(cell) if cell.strip() else float("nan")
    except ValueError as error:
        raise ExecutionError(f"{where}: {cell!r} is not a number") from error


def _within(
    values: Array, users: list[str], models: list[str], path: Path, ends: tuple[float, float]
) -> None:
    """Refuse what lies outside; empty cells are fine."""
    low, high = ends
    wrong = np.argwhere((values < low) | (values > high) | np.isinf(values))
    if len(wrong):
        user, model = wrong[0]
        limit = "a finite number of 0 or more" if np.isinf(high) else "a number from 0 to 1"
        raise ExecutionError(
            f"{path.name}, row {users[user]!r}, column {models[model]!r}:"
            f" {values[user, model]:g}; expected {limit}"
        )


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecutionError(f"the table {str(path)!r} cannot be read: {why}") from error


_Parts = dict[tuple[str, str, int], list[tuple[float, float]]]


def _with_curves(table: TenantTable, users: list[str], path: Path) -> TenantTable:
    parts = _curves(path)
    seen = [user for user in users if any(key[0] == user for key in parts)]
    if not seen:
        first = min(key[0] for key in parts) if parts else ""
        raise ExecutionError(
            f"no data set of {path.name} is among the users{nearest(first, users)}"
        )
    steps = sorted({key[2] for key in parts}, reverse=True)
    if steps[-1] != 0:
        raise ExecutionError(f"{path.name} has no fraction 1")
    shape = (len(seen), len(steps), len(table.models))
    scores, times = np.full(shape, np.nan), np.full(shape, np.nan)
    for (user, model, halvings), pairs in parts.items():
        if user in seen and model in table.models:
            place = seen.index(user), steps.index(halvings), table.models.index(model)
            scores[place], times[place] = np.mean(pairs, axis=0)
    _complete(scores[:, -1], times[:, -1], seen, list(table.models), (path.name, path.name))
    below = tuple(0.5**step for step in steps[:-1])
    full, full_times = scores[:, -1], times[:, -1]
    slices, slice_times = scores[:, :-1], times[:, :-1]
    curves = below, slices, slice_times, table.orders
    return TenantTable(table.name, table.models, full, full_times, *curves)


def _curves(path: Path) -> _Parts:
    """Accuracy and seconds of every repeat, by user, model and halvings of the data."""
    head, *rows = _rows(path) or [[]]
    missing = [column for column in CURVE_COLUMNS if column not in head]
    if missing:
        raise ExecutionError(f"{path.name} has no column {missing[0]!r}")
    at = [head.index(column) for column in CURVE_COLUMNS]
    parts: _Parts = {}
    for line, row in enumerate(rows, start=2):
        where = f"{path.name}, line {line}"
        if len(row) != len(head):
            raise ExecutionError(f"{where} has {len(row)} cells; expected {len(head)}")
        user, model = row[at[0]], row[at[1]]
        fraction, accuracy, seconds = (_number(row[place], where) for place in at[2:])
        if np.isnan(accuracy):
            continue
        if not 0 < fraction <= 1:
            raise ExecutionError(f"{where}: a fraction of {fraction:g}; expected one above 0, to 1")
        if not 0 <= accuracy <= 1 or not 0 <= seconds < np.inf:
            raise ExecutionError(f"{where}: an accuracy of {accuracy:g} in {seconds:g} seconds;"
                                 " expected 0 to 1, in 0 seconds or more")  # fmt: skip
        # Data sets differ in size, so their fractions differ a little: halvings unite them.
        halvings = round(-np.log2(fraction))
        parts.setdefault((user, model, halvings), []).append((accuracy, seconds))
    return parts
