"""The table of trials for terminals: wide where it fits, else with the configs in one column."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from tunewise.format import MISSING, amount, headline, measured, value
from tunewise.format.printable import printable
from tunewise.history import History, alike
from tunewise.problem import Metric, Problem
from tunewise.report.standing import Standing
from tunewise.report.table import Row, Table, table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table as RichTable

_STYLES = {
    Standing.KEEPS: "green",
    Standing.BREAKS: "yellow",
    Standing.PARTIAL: "",
    Standing.FAILED: "red",
    Standing.CANCELLED: "dim",
    Standing.PENDING: "cyan",
}
_KEPT = {True: "kept", False: "broken", None: MISSING}
_TICKS = {True: " ✓", False: " ✗", None: ""}
METRICS = 8
"""Metrics that a narrow table has room for, and the recommendation."""


class Column(NamedTuple):
    """Heading and cells; numbers stand to the right, and only words wrap."""

    name: str
    cells: list[str]
    right: bool = False
    wraps: bool = True


class Listing:
    """Trials that fit themselves to the width of the terminal they are printed on."""

    def __init__(self, data: Table, limits: bool, left_out: int) -> None:
        """Keep what to show; `left_out` trials came before."""
        self.data = data
        self.limits = limits
        self.left_out = left_out

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        """The wide table where there is room for it."""
        from rich.measure import Measurement

        wide = self._drawn(wide_columns(self.data, self.limits))
        needed = Measurement.get(console, options.update(width=10_000), wide).maximum
        fits = needed <= options.max_width
        hidden = 0 if fits else max(len(self.data.metrics) - METRICS, 0)
        yield wide if fits else self._drawn(narrow_columns(self.data), hidden)

    def _drawn(self, columns: list[Column], hidden: int = 0) -> "RichTable":
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for c in columns:
            justify: Literal["left", "right"] = "right" if c.right else "left"
            drawn.add_column(
                Text(printable(c.name)), justify=justify, no_wrap=not c.wraps, overflow="fold"
            )
        for i, row in enumerate(self.data.rows):
            drawn.add_row(
                *(Text(printable(c.cells[i])) for c in columns), style=_STYLES[row.stands]
            )
        less = {"earlier trial": self.left_out, "further metric": hidden}
        drawn.caption = not_shown(less)
        return drawn


def not_shown(less: dict[str, int]) -> str | None:
    """What a table leaves out, in words; None where it shows all."""
    said = [f"{n:,} {what}{'' if n == 1 else 's'} not shown" for what, n in less.items() if n]
    return ", ".join(said) or None


def trials_table(problem: Problem, history: History, limit: int | None = None) -> Listing:
    """The trials as a rich renderable; with a limit the last so many."""
    shown = history if limit is None else history[max(0, len(history) - limit) :]
    return Listing(table(problem, shown), bool(problem.constraints), len(history) - len(shown))


def wide_columns(data: Table, limits: bool) -> list[Column]:
    """A column for each parameter and metric."""
    rows = data.rows
    columns = [_numbers(rows), Column("state", [r.status for r in rows])]
    if data.fractions:
        columns.append(Column(data.resource, [r.amount for r in rows]))
    for name in data.parameters:
        columns.append(Column(name, [value(r.config.get(name, MISSING)) for r in rows]))
    columns += [metric_column(m, rows) for m in data.metrics]
    if limits:
        columns.append(Column("limits", [_KEPT[r.feasible] for r in rows]))
    if any(r.reason for r in rows):
        columns.append(Column("reason", _reasons(rows)))
    return columns


def _reasons(rows: tuple[Row, ...]) -> list[str]:
    """Why trials ended without a result; of those that failed alike, the first one says it."""
    first: dict[str, int] = {}
    said = []
    for row in rows:
        line = headline(row.reason) if row.reason else ""
        told = first.setdefault(alike(line), row.number) if row.status == "failed" else row.number
        said.append(line if told == row.number else f"as trial {told}")
    return said


def narrow_columns(data: Table) -> list[Column]:
    """The config in one column, and the metrics that are asked for before any others."""
    rows = data.rows
    states = [r.status + _TICKS[r.feasible] for r in rows]
    resource = data.resource if data.fractions else ""
    told = zip(rows, _reasons(rows), strict=True)
    configs = [_config(row, resource, reason) for row, reason in told]
    columns = [_numbers(rows), Column("state", states, wraps=False), Column("config", configs)]
    return columns + [metric_column(m, rows) for m in data.metrics[:METRICS]]


def _numbers(rows: tuple[Row, ...]) -> Column:
    return Column("trial", [str(r.number) for r in rows], right=True, wraps=False)


def _config(row: Row, resource: str, reason: str) -> str:
    parts = [f"{name}={value(v)}" for name, v in row.config.items()]
    parts += [f"{resource}={row.amount}"] if resource else []
    return " ".join(parts) + (f"\n{reason}" if reason else "")


def metric_column(metric: Metric, rows: tuple[Row, ...]) -> Column:
    """What the trials measured of a metric."""
    unit = " (USD)" if metric.unit == "USD" else ""
    shown = amount if metric.unit == "USD" else lambda v: measured(metric, v)
    told = [r.metrics.get(metric.name) for r in rows]
    cells = [MISSING if v is None else shown(v) for v in told]
    return Column(metric.name + unit, cells, right=True, wraps=False)
