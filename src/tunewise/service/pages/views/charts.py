"""The charts of a study as data for the browser: few enough points, short enough numbers."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from tunewise.errors import ProblemError, StudyError
from tunewise.report.charts import by_parameter, curves, feasibility, importance, parallel, strands
from tunewise.report.charts import trials as plane
from tunewise.report.digest import Digest
from tunewise.report.layout import theme
from tunewise.report.what_if.answer import measured_points, what_if
from tunewise.report.what_if.asked import DEFAULT, varied_limits
from tunewise.report.what_if.page import draw_what_if
from tunewise.service.pages.views.looks import POINTS, Look

if TYPE_CHECKING:
    import plotly.graph_objects as go

CONFIGS = 300
"""Up to so many trials a chart says the whole config of each one that is pointed at."""

_DIGITS = 6


def chart(look: Look, key: str) -> dict[str, Any]:
    """A chart by its key, as plotly reads it; `empty` says why there is none.

    Raises:
        StudyError: There is no such chart.
    """
    kind, _, which = key.partition("-")
    draw = _CHARTS.get(key) or _CHARTS.get(kind)
    if draw is None:
        raise StudyError("there is no such chart")
    try:
        figure = draw(look, which)
    except (ProblemError, IndexError, ValueError) as error:
        return {"empty": str(error) if isinstance(error, ProblemError) else "Nothing to draw yet."}
    return {"empty": "Nothing to draw yet."} if figure is None else light(figure)


def light(figure: "go.Figure", short: bool = False) -> dict[str, Any]:
    """A figure with numbers of so many digits as anyone can see."""
    told = json.loads(figure.to_json())
    points = sum(len(trace.get("x") or ()) for trace in told["data"])
    for trace in told["data"] if short or points > CONFIGS else ():
        hover = trace.get("hovertext")
        if isinstance(hover, list):
            trace["hovertext"] = [str(each).split("<br>")[0] for each in hover]
    return {"data": _rounded(told["data"]), "layout": _rounded(told["layout"])}


def _rounded(told: Any) -> Any:
    if isinstance(told, float):
        return float(f"{told:.{_DIGITS}g}") if math.isfinite(told) else None
    if isinstance(told, list):
        return [_rounded(each) for each in told]
    if isinstance(told, dict):
        return {name: _rounded(each) for name, each in told.items()}
    return told


def _best(look: Look, effort: str) -> "go.Figure | None":
    known = next((e for e in ("cost", "time", "trials") if e == effort), None)
    if known is None:
        return None
    curve = look.digest.curve(known, POINTS)
    return curves.draw_best_so_far(curve) if curve.points else None


def _plane(look: Look, against: str) -> "go.Figure | None":
    known = "time" if against == "time" else "cost"
    given = look.noted or look.measured
    data = plane.scatter(look.problem, look.sample, given, known)  # type: ignore[arg-type]
    return plane.draw_scatter(data) if data.marks else None


def _parameter(look: Look, which: str) -> "go.Figure | None":
    every = by_parameter.by_parameter(look.problem, look.sample, look.noted or look.measured)
    data = every[int(which)]
    return by_parameter.draw_parameter(data) if data.dots else None


def _parallel(look: Look, which: str) -> "go.Figure | None":
    data = parallel.lines(look.problem, look.sample)
    return strands.draw_strands(data) if data.numbers else None


def _importance(look: Look, which: str) -> "go.Figure | None":
    found = importance.importance(look.problem, look.sample)
    return importance.draw_importance(found) if found else None


def _margin(look: Look, which: str) -> "go.Figure | None":
    data = feasibility.margins(look.problem, look.sample)[int(which)]
    return feasibility.draw_margin(data) if data.numbers else None


def _share(look: Look, which: str) -> "go.Figure | None":
    data = feasibility.share_feasible(look.problem, look.sample)
    return feasibility.draw_share(data) if data.numbers else None


def _what_if(look: Look, which: str) -> "go.Figure | None":
    problem = look.problem
    points = list(measured_points(problem, look.sample))
    objective = None if problem.maximize else problem.metrics[problem.objective]
    names = varied_limits(DEFAULT, problem.metrics, problem.constraints)
    return draw_what_if(what_if(points, names, problem.constraints, objective))


_CHARTS: dict[str, Callable[[Look, str], "go.Figure | None"]] = {
    "best": _best,
    "plane": _plane,
    "parameter": _parameter,
    "parallel": _parallel,
    "importance": _importance,
    "margin": _margin,
    "share": _share,
    "what-if": _what_if,
}


def compared(named: Sequence[tuple[str, Digest]], effort: str) -> dict[str, Any]:
    """The best so far of several studies in one chart."""
    by = next((e for e in ("cost", "time", "trials") if e == effort), "trials")
    found = [(name, digest.curve(by, 0)) for name, digest in named]  # type: ignore[arg-type]
    some = [(name, curve) for name, curve in found if curve.steps]
    if not some:
        return {"empty": "None of these studies has a trial that keeps all limits."}
    first = max((curve for _, curve in some), key=lambda curve: curve.end)
    x = curves.effort_axis(first)
    y = theme.axis_of(first.objective, [p.y for _, curve in some for p in curve.steps])
    roles: Iterator[int] = count()
    traces = [_line(name, curve, x.per, y.per, next(roles)) for name, curve in some]
    return light(theme.figure(traces, x, y))


def _line(name: str, curve: curves.Curve, per: float, per_y: float, at: int) -> dict[str, Any]:
    shade = theme.colour(theme.SERIES[at % len(theme.SERIES)])
    last = curve.steps[-1]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": theme.escaped(name),
        "x": [p.x / per for p in curve.steps] + [curve.end / per],
        "y": [p.y / per_y for p in curve.steps] + [last.y / per_y],
        "line": {"shape": "hv", "width": 2.2, "color": shade},
        "marker": {"size": 6, "color": shade},
        "hoverinfo": "name+x+y",
    }
