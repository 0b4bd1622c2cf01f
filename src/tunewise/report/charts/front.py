"""The Pareto front in a plane: one objective against another, with what the front is made of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.format import measured
from tunewise.history import History, Trial
from tunewise.problem import Metric, Problem
from tunewise.report.charts.by_parameter import Dot
from tunewise.report.layout import theme
from tunewise.report.standing import Standing, label, standing

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Plane:
    """Two objectives of the measured trials.

    Attributes:
        x: The metric on the x axis.
        y: The metric on the y axis, the first objective.
        front: The trials of the front, in the order of x.
        others: The other measured trials.
        line: Whether the front is a line: that is so for two objectives, not for more.
        labels: What each standing is called in this problem.
    """

    x: Metric
    y: Metric
    front: tuple[Dot, ...]
    others: tuple[Dot, ...]
    line: bool
    labels: dict[Standing, str]


def planes(problem: Problem, history: History) -> tuple[Plane, ...]:
    """The first objective against each other one; none with a single objective."""
    first, *rest = (o.metric for o in problem.objectives)
    chosen = {t.number for t in history.front(problem)} if rest else set()
    return tuple(_plane(problem, history, first, other, chosen) for other in rest)


def _plane(problem: Problem, history: History, y: str, x: str, chosen: set[int]) -> Plane:
    def point(trial: Trial) -> Dot:
        place = trial.metrics[x], trial.metrics[y]
        return Dot(trial.number, *place, standing(problem, trial), trial.fraction)

    points = [point(t) for t in history.complete if x in t.metrics and y in t.metrics]
    return Plane(
        problem.metrics[x],
        problem.metrics[y],
        tuple(sorted((p for p in points if p.number in chosen), key=lambda p: p.x)),
        tuple(p for p in points if p.number not in chosen),
        len(problem.objectives) == 2,
        {s: label(problem, s) for s in Standing},
    )


def draw_plane(data: Plane) -> "go.Figure":
    """All trials as marks by standing; those of the front larger, with a line through them."""
    points = [*data.front, *data.others]
    x = theme.axis_of(data.x, [p.x for p in points])
    y = theme.axis_of(data.y, [p.y for p in points])
    traces = [
        _trace(data, [p for p in data.others if p.stands is s], x, y)
        | {"name": data.labels[s], "marker": theme.marker(s, None, len(points))}
        for s in reversed(Standing)
        if any(p.stands is s for p in data.others)
    ]
    shade = theme.colour("recommended")
    on_it = {"symbol": "circle", "size": 11, "color": shade}
    traces.append(
        _trace(data, list(data.front), x, y)
        | {"name": "Pareto front", "marker": on_it}
        | {"mode": "lines+markers" if data.line else "markers"}
        | {"line": {"color": shade, "width": 1.6, "dash": "dot"}}
    )
    return theme.figure([t for t in traces if t["x"]], x, y)


def _trace(data: Plane, points: list[Dot], x: theme.Axis, y: theme.Axis) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [p.x / x.per for p in points],
        "y": [p.y / y.per for p in points],
        "hoverinfo": "text",
        "hovertext": [
            theme.escaped(
                f"trial {p.number}: {data.y.name} {measured(data.y, p.y)},"
                f" {data.x.name} {measured(data.x, p.x)}"
            )
            for p in points
        ],
        "customdata": [p.number for p in points],
    }
