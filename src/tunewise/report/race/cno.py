"""The part of a race's page that shows CNO: its percentiles as curves, and what levels took."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.cno import (
    CNO_LEVELS,
    EFFORTS,
    PERCENTILES,
    CnoCurve,
    CnoScore,
    Effort,
    cno_curves,
    cno_scores,
    yardstick,
)
from tunewise.benchmark.race import Run
from tunewise.format import amount, duration, money, number
from tunewise.report.layout import theme
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import empty, plot, section, tabs
from tunewise.report.race.measures import NEVER, cell

if TYPE_CHECKING:
    import plotly.graph_objects as go

_TITLES: dict[Effort, str] = {"cost": "Search cost", "time": "Search time", "trials": "Trials"}
_HEADS: dict[Effort, str] = {"cost": "USD", "time": "time", "trials": "trials"}
_SHOWN: dict[Effort, Callable[[float], str]] = {
    "cost": money,
    "time": duration,
    "trials": lambda count: f"{count:.0f} trial{'' if count == 1 else 's'}",
}
_DASHES = {50: ("solid", "dashdot"), 90: ("dash", "dot")}
"""By percentile how its lines are drawn, and how where colours begin again."""


def cno_section(contest: Contest, runs: Sequence[Run]) -> Markup | None:
    """CNO against cost, time and trials, and its table; None where it makes no sense."""
    optimum = yardstick(contest)
    if optimum is None:
        return None
    objective = contest.problem.objective
    scored = cno_scores(runs, optimum)
    panels = [
        (f"by {effort}", _panel(cno_curves(runs, optimum, effort), effort, objective, scored))
        for effort in EFFORTS
    ]
    note = (
        f"The {objective} of the best measured trial that keeps all limits, over that of the"
        " optimum. Solid: half of the seeds are there or below; dashed: 90 % of them. A line begins"
        " where so many seeds have found any such trial."
    )
    title = f"CNO: {objective} of the incumbent over that of the optimum"
    return section("cno-section", title, tabs(panels), note=note)


def _panel(
    curves: Sequence[CnoCurve], effort: Effort, objective: str, scored: Sequence[CnoScore]
) -> Markup:
    if not any(math.isfinite(curve.final[PERCENTILES[0]]) for curve in curves):
        drawn = empty("In less than half of the seeds anything that keeps all limits was found.")
    else:
        told = ", ".join(f"{c.strategy} {number(c.final[50], 3)}" for c in curves)
        about = f"CNO against search {effort}; median at the end: {told}"
        drawn = plot(f"cno-{effort}", draw_cno(curves, effort, objective), about, "tall")
    return tag("div", drawn, cno_table(scored, effort))


def draw_cno(curves: Sequence[CnoCurve], effort: Effort, objective: str) -> "go.Figure":
    """Median and 90th percentile of each strategy as steps, on a log axis."""
    pairs = [pair for curve in curves for row in curve.at.values()
             for pair in zip(curve.spent, row, strict=True) if math.isfinite(pair[1])]  # fmt: skip
    spent, top = [s for s, _ in pairs if s > 0], max(cno for _, cno in pairs)
    x = _axis(effort, spent)
    y = theme.Axis(f"CNO of {objective}", log=True, range=(0.95, max(2.0, 1.1 * top)))
    traces = [
        _line(curve, place, percentile, x.per, effort)
        for place, curve in enumerate(curves)
        for percentile in PERCENTILES
    ]
    drawn = theme.figure(traces, x, y, shapes=[_level(level) for level in CNO_LEVELS])
    return drawn.update_layout(legend_traceorder="normal")


def _axis(effort: Effort, spent: Sequence[float]) -> theme.Axis:
    unit, per = theme.clock(spent) if effort == "time" else ("USD" * (effort == "cost"), 1.0)
    log = effort != "trials"
    return theme.Axis(
        _TITLES[effort], unit, per, log, range=theme.ends([s / per for s in spent], log)
    )


def _line(
    curve: CnoCurve, place: int, percentile: int, per: float, effort: Effort
) -> dict[str, Any]:
    again, role = divmod(place, len(theme.SERIES))
    found = [(s, cno) for s, cno in zip(curve.spent, curve.at[percentile], strict=True)
             if math.isfinite(cno)]  # fmt: skip
    text = [
        f"{curve.strategy}: {percentile} % of the seeds at {number(cno, 3)} or below after"
        f" {_SHOWN[effort](s)}"
        for s, cno in found
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": theme.escaped(curve.strategy),
        "x": [s / per for s, _ in found],
        "y": [cno for _, cno in found],
        "line": {
            "shape": "hv",
            "width": 2.4 if percentile == PERCENTILES[0] else 1.6,
            "color": theme.colour(theme.SERIES[role]),
            "dash": _DASHES[percentile][min(again, 1)],
        },
        "legendgroup": curve.strategy,
        "showlegend": percentile == PERCENTILES[0],
        "hoverinfo": "text",
        "hovertext": [theme.escaped(line) for line in text],
    }


def _level(level: float) -> dict[str, Any]:
    line = {"color": theme.colour("line"), "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": level, "y1": level,
            "line": line, "layer": "below"}  # fmt: skip


def cno_table(scored: Sequence[CnoScore], effort: Effort) -> Markup:
    """Final CNO, and what each level took; the best of each column is marked."""
    groups = [tag("th"), tag("th", "final CNO", colspan=len(PERCENTILES))]
    groups += [
        tag("th", f"{_HEADS[effort]} until CNO ≤ {level:g}", colspan=len(PERCENTILES))
        for level in CNO_LEVELS
    ]
    names = [f"{percentile} %" for percentile in PERCENTILES] * (1 + len(CNO_LEVELS))
    columns = [_column([s.final[p] for s in scored], lambda v: number(v, 3)) for p in PERCENTILES]
    shown = amount if effort == "cost" else duration if effort == "time" else number
    for level in CNO_LEVELS:
        for p in PERCENTILES:
            took = [getattr(s, f"{effort}_to")[level][p] for s in scored]
            columns.append(_column([math.inf if v is None else v for v in took], shown))
    rows = [
        tag("tr", tag("th", s.strategy, scope="row"), [column[i] for column in columns])
        for i, s in enumerate(scored)
    ]
    titles = tag("tr", [tag("th", text, scope="col") for text in ("strategy", *names)])
    table = tag("table", tag("thead", tag("tr", groups), titles), tag("tbody", rows))
    return tag("div", table, class_="measures", tabindex="0")


def _column(values: Sequence[float], shown: Callable[[float], str]) -> list[Markup]:
    texts = [shown(v) if math.isfinite(v) else NEVER for v in values]
    least = min(values)
    best = shown(least) if math.isfinite(least) else None
    return [cell(text, best=text == best) for text in texts]
