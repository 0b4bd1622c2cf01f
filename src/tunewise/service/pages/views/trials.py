"""The trials of a study: filtered, sorted, in pages, and two of them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from tunewise.errors import StudyError
from tunewise.format import MISSING, headline, measured, share_of_data, value
from tunewise.history import History, Trial, TrialState
from tunewise.report.table import Row, table
from tunewise.service.pages.views.looks import Look
from tunewise.service.pages.views.study import quoted

ROWS = 50
_LONGEST = 160


@dataclass(frozen=True)
class Column:
    """A column: its name, how it is sorted by now, and the address that sorts by it."""

    name: str
    sorted: str
    address: str
    numeric: bool


@dataclass(frozen=True)
class Cell:
    """A cell: what it shows, in full where that is more, and whether it is a number."""

    text: str
    full: str = ""
    numeric: bool = False
    broken: bool = False


@dataclass(frozen=True)
class TrialRow:
    """A trial in the list."""

    number: int
    status: str
    state: str
    cells: Sequence[Cell]
    reason: str
    chosen: bool


@dataclass(frozen=True)
class TrialsView:
    """A page of trials.

    Attributes:
        columns: After number and state.
        rows: The trials of this page.
        found: How many fit the filter.
        total: How many there are.
        states: The states that any trial has, with how many have it.
        page: Which page this is, from 1.
        pages: How many there are.
    """

    columns: Sequence[Column]
    rows: Sequence[TrialRow]
    found: int
    total: int
    states: Sequence[tuple[str, int]]
    page: int
    pages: int
    contains: str
    state: str
    sort: str
    here: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Asked:
    """What is asked of the list: words, a state, a column to sort by ("-cost"), a page."""

    contains: str = ""
    state: str = ""
    sort: str = "-trial"
    page: int = 1

    def address(self, root: str, **changed: Any) -> str:
        """The address of the list with something changed."""
        asked = {**self.__dict__, **changed}
        usual = Asked().__dict__
        return f"{root}?{urlencode({k: v for k, v in asked.items() if v != usual[k]})}"


def trials_view(look: Look, asked: Asked, chosen: int | None = None) -> TrialsView:
    """The page of trials that is asked for."""
    numbers = _found(look, asked)
    pages = max(1, -(-len(numbers) // ROWS))
    at = min(max(asked.page, 1), pages)
    order = _sorted(look, numbers, asked.sort)[(at - 1) * ROWS : at * ROWS]
    by_number = {t.number: t for t in look.glance.trials(look.id, order.tolist())}
    shown = [by_number[int(n)] for n in order if int(n) in by_number]
    told = table(look.problem, History(shown))
    rows = {row.number: row for row in told.rows}
    limited = bool(look.problem.constraints)
    root = f"/studies/{quoted(look.record.name)}/trials"
    names = [m.name for m in told.metrics]
    heads = ["data"] * told.fractions + list(told.parameters) + names + ["limits"] * limited
    sortable = {"data", *look.digest.aim.metrics}
    now = Asked(asked.contains, asked.state, asked.sort, at)
    return TrialsView(
        columns=[_column(root, now, h, h in sortable, h in {"data", *names}) for h in heads],
        rows=[_row(told, rows[t.number], limited, t.number == chosen) for t in shown],
        found=len(numbers),
        total=len(look.digest),
        states=[(s.value, n) for s, n in look.digest.counts.items()],
        page=at,
        pages=pages,
        contains=asked.contains,
        state=asked.state,
        sort=asked.sort,
        here=now.address(root),
        before=now.address(root, page=at - 1) if at > 1 else None,
        after=now.address(root, page=at + 1) if at < pages else None,
    )


def _found(look: Look, asked: Asked) -> np.ndarray:
    numbers = np.arange(len(look.digest))
    if asked.state in {state.value for state in TrialState}:
        numbers = numbers[look.digest.of(TrialState(asked.state))]
    words = asked.contains.split()[:8]
    if words:
        fits = look.glance.matching(look.id, words)
        numbers = numbers[np.isin(numbers, np.fromiter(fits, np.intp, len(fits)))]
    return numbers


def _sorted(look: Look, numbers: np.ndarray, sort: str) -> np.ndarray:
    """By a column; what is not known stands last in both directions."""
    name, falling = sort.removeprefix("-"), sort.startswith("-")
    column = {"data": "fraction"}.get(name, name)
    if column not in {"fraction", *look.digest.aim.metrics}:
        return numbers[::-1] if falling else numbers
    values = look.digest.column(column)[numbers]
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    some = numbers[known][order[::-1] if falling else order]
    return np.concatenate([some, numbers[~known]])


def _column(root: str, asked: Asked, name: str, sortable: bool, numeric: bool) -> Column:
    now = {name: "ascending", f"-{name}": "descending"}.get(asked.sort, "none")
    wanted = f"-{name}" if now == "ascending" else name
    address = asked.address(root, sort=wanted, page=1) if sortable else ""
    return Column(name, now, address, numeric)


def _row(told: Any, row: Row, limited: bool, chosen: bool) -> TrialRow:
    cells = [Cell(share_of_data(row.fraction), "", True)] * told.fractions
    for name in told.parameters:
        v = row.config.get(name, MISSING)
        cells.append(Cell(value(v), repr(v), isinstance(v, int | float)))
    for metric in told.metrics:
        found = row.metrics.get(metric.name)
        cells.append(Cell(MISSING if found is None else measured(metric, found), repr(found), True))
    if limited:
        kept = {True: "kept", False: "broken", None: MISSING}[row.feasible]
        cells.append(Cell(kept, "", False, row.feasible is False))
    reason = headline(row.reason)[:_LONGEST] if row.reason else ""
    return TrialRow(row.number, row.status, row.state.value, cells, reason, chosen)


@dataclass(frozen=True)
class ComparedRow:
    """A line of a comparison: its name, a cell for each trial, and whether they differ."""

    name: str
    cells: Sequence[str]
    differs: bool


@dataclass(frozen=True)
class TrialsCompared:
    """Trials side by side."""

    numbers: Sequence[int]
    rows: Sequence[ComparedRow]


def compare_trials(look: Look, numbers: Sequence[int]) -> TrialsCompared:
    """Two trials or more, line by line.

    Raises:
        StudyError: One of them is not there.
    """
    trials = look.glance.trials(look.id, [n for n in numbers if 0 <= n < 2**31])
    lost = set(numbers) - {t.number for t in trials}
    if lost or not trials:
        first = min(lost, default=0)
        raise StudyError(f"there is no trial {first}; the study has {len(look.digest):,}")
    rows = [
        _compared("state", [t.status for t in trials]),
        _compared("data", [share_of_data(t.fraction) for t in trials]),
    ]
    for name in look.problem.space.names:
        rows.append(_compared(name, [value(t.config.get(name, MISSING)) for t in trials]))
    names = dict.fromkeys([*look.problem.needed, *(n for t in trials for n in t.metrics)])
    for name in names:
        rows.append(_compared(name, [_measured(look, t, name) for t in trials]))
    return TrialsCompared([t.number for t in trials], rows)


def _measured(look: Look, trial: Trial, name: str) -> str:
    if name not in trial.metrics:
        return MISSING
    return measured(look.problem.metric(name), trial.metrics[name])


def _compared(name: str, cells: list[str]) -> ComparedRow:
    return ComparedRow(name, cells, len(set(cells)) > 1)
