"""The section with the table of all trials, which the page's script can sort and filter."""

from collections.abc import Sequence

from tunewise.format import MISSING, headline, measured, value
from tunewise.history import TrialState
from tunewise.problem import Metric
from tunewise.report.layout.markup import Child, Markup, tag
from tunewise.report.layout.parts import empty, section
from tunewise.report.sections.subject import Subject
from tunewise.report.table import Row, Table, table

LONGEST = 2000
"""Reasons are cut to so many characters in the table; the failures tell all."""


def trials(subject: Subject) -> Markup:
    """The table of all trials."""
    advice = subject.seen.advice
    data = table(subject.problem, subject.history)
    limited, chosen = bool(subject.problem.constraints), advice.trial if advice else None
    body = _table(data, limited, chosen) if data.rows else empty("No trial has been asked yet.")
    return section("table", "Trials", body)


def _table(data: Table, limits: bool, chosen: int | None) -> Markup:
    """The table; `chosen` is the trial that measured the recommended config."""
    reasons = any(row.reason for row in data.rows)
    head = ["trial", "state", *[data.resource] * data.fractions, *data.parameters]
    head += [m.name for m in data.metrics] + ["limits"] * limits + ["reason"] * reasons
    body = [_row(data, row, limits, reasons, row.number == chosen) for row in data.rows]
    drawn = tag(
        "table",
        tag("thead", tag("tr", [_head(name) for name in head])),
        tag("tbody", body),
        class_="trials sortable",
    )
    return tag("div", _tools(data.rows), tag("div", drawn, class_="scroll", tabindex="0"))


def _head(name: str) -> Markup:
    return tag("th", tag("button", name, type="button"), scope="col", aria_sort="none")


def _tools(rows: Sequence[Row]) -> Markup:
    states = [s for s in TrialState if any(row.state is s for row in rows)]
    chips = [_toggle("all", "", True), *(_toggle(s.value, s.value, False) for s in states)]
    search = tag("input", type="search", placeholder="Filter, e.g. adam or oom",
                 aria_label="Filter the trials")  # fmt: skip
    shown = tag("span", f"{len(rows):,} shown", class_="note", role="status")
    return tag("div", search, tag("div", chips, class_="segments"), shown, class_="tools")


def _toggle(name: str, state: str, pressed: bool) -> Markup:
    return tag("button", name, type="button", data_state=state,
               aria_pressed="true" if pressed else "false")  # fmt: skip


def _row(data: Table, row: Row, limits: bool, reasons: bool, chosen: bool) -> Markup:
    star = tag("span", " ★", title="the recommended config") if chosen else None
    cells: list[Child] = [tag("th", row.number, star, scope="row", data_v=row.number)]
    cells.append(tag("td", tag("i", class_=f"dot {row.state}"), row.status))
    if data.fractions:
        cells.append(tag("td", row.amount, data_v=row.fraction, class_="n"))
    cells += [_value(row.config.get(name, MISSING)) for name in data.parameters]
    cells += [_metric(metric, row.metrics.get(metric.name)) for metric in data.metrics]
    if limits:
        kept = {True: "kept", False: "broken", None: MISSING}[row.feasible]
        cells.append(tag("td", kept, class_={"broken": "broken"}.get(kept)))
    if reasons:
        cells.append(_reason(row.reason))
    return tag("tr", cells, data_state=row.state, data_number=row.number,
               class_="chosen" if chosen else None)  # fmt: skip


def _value(v: object) -> Markup:
    numeric = isinstance(v, int | float) and not isinstance(v, bool)
    if not numeric:
        return tag("td", value(v))
    return tag("td", value(v), data_v=repr(v), title=repr(v), class_="n")


def _metric(metric: Metric, v: float | None) -> Markup:
    if v is None:
        return tag("td", MISSING, class_="n")
    return tag("td", measured(metric, v), data_v=repr(v), title=repr(v), class_="n")


def _reason(reason: str) -> Markup:
    if not reason:
        return tag("td")
    return tag("td", headline(reason)[:LONGEST], title=reason[:LONGEST], class_="reason")
