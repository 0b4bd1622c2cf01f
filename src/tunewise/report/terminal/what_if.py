"""What a part of the data saves, for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tunewise.format import measured, share_of_data
from tunewise.report.terminal.lines import listed
from tunewise.report.what_if.answer import NOTHING, WhatIf, strictest
from tunewise.report.what_if.asked import Asked
from tunewise.report.what_if.page import times, told, verdict

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 10
"""Rows that are shown, at most."""


def shown(asked: Asked) -> "Iterator[RenderableType]":
    """How often a part of the data wins, and for each limit of the rows where it saves most."""
    data = asked.data
    feasible, wins = int(np.sum(data.best != NOTHING)), int(np.sum(data.saving > 1))
    only = int(np.sum(np.isposinf(data.saving)))
    yield (
        f"{asked.name}: of {data.saving.size} pairs of limits {feasible} can be kept; in {wins} of"
        f" them a part of the data is {data.less}, in {only} of those only a part keeps them"
    )
    if data.own is not None:
        yield verdict(data, *data.own)
    name = data.objective.name
    heads = ("with", "and", f"{name} on all", f"{name} on a part", "the part", "saving")
    if rows := _lines(data):
        yield listed(heads, rows)


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
