"""All trials at a glance, by how good they were and what they took."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tunewise.format import measured, share_of_data, value
from tunewise.history import History, Trial, TrialState
from tunewise.problem import Metric, Problem
from tunewise.report.layout import theme
from tunewise.report.standing import Standing, label, objective, standing
from tunewise.space import Config
from tunewise.strategy.strategy import Recommendation

if TYPE_CHECKING:
    import plotly.graph_objects as go

Against: TypeAlias = Literal["cost", "time"]


@dataclass(frozen=True)
class Mark:
    """One trial in the plane; y is None where it ended without a result."""

    number: int
    x: float
    y: float | None
    stands: Standing
    fraction: float
    config: Config


@dataclass(frozen=True)
class Expected:
    """What the recommended config is predicted to give, with standard deviations."""

    x: float
    y: float
    x_std: float
    y_std: float


@dataclass(frozen=True)
class Scatter:
    """The objective of trials against what each of them took.

    Attributes:
        objective: The metric on the y axis.
        against: The metric on the x axis.
        marks: The ended trials whose x is known.
        limits: Bounds of constraints on x and y, as (metric, bound).
        recommended: The prediction for the recommended config.
        labels: What each standing is called in this problem.
    """

    objective: Metric
    against: Metric
    marks: tuple[Mark, ...]
    limits: tuple[tuple[str, float], ...]
    recommended: Expected | None
    labels: dict[Standing, str]


def scatter(
    problem: Problem,
    history: History,
    recommendation: Recommendation | None = None,
    against: Against = "cost",
) -> Scatter:
    """The ended trials, by their objective and what they took."""
    marks = [
        Mark(t.number, t.metrics[against], y, standing(problem, t), t.fraction, t.config)
        for t in history
        if against in t.metrics and ((y := objective(problem, t)) is not None or _ended_badly(t))
    ]
    return Scatter(
        objective=problem.metrics[problem.objective],
        against=problem.metrics[against],
        marks=tuple(marks),
        limits=tuple((c.metric, c.bound) for c in problem.constraints),
        recommended=_expected(recommendation, against, problem.objective),
        labels={s: label(problem, s) for s in Standing},
    )


def _ended_badly(trial: Trial) -> bool:
    return trial.state in (TrialState.FAILED, TrialState.CANCELLED)


def _expected(recommendation: Recommendation | None, x: str, y: str) -> Expected | None:
    if recommendation is None or not {x, y} <= recommendation.predicted.keys():
        return None
    at_x, at_y = recommendation.predicted[x], recommendation.predicted[y]
    return Expected(float(at_x.mean), float(at_y.mean), float(at_x.std), float(at_y.std))


def draw_scatter(data: Scatter) -> "go.Figure":
    """Marks by standing (colour and symbol) and fraction (size); failures along the bottom.

    The most telling ones lie on top.
    """
    x = theme.axis_of(data.against, _extent(data, data.against, [m.x for m in data.marks]))
    heights = [m.y for m in data.marks if m.y is not None]
    y = theme.axis_of(data.objective, _extent(data, data.objective, heights))
    traces = [_marks(data, s, x, y) for s in reversed(Standing)]
    traces.append(_prediction(data, x, y))
    drawn = theme.figure([t for t in traces if t["x"]], x, y, shapes=_limits(data, x, y))
    bottom = {"overlaying": "y", "range": [-0.03, 1], "visible": False, "fixedrange": True}
    return drawn.update_layout(yaxis2=bottom)


def _extent(data: Scatter, metric: Metric, values: list[float]) -> list[float]:
    """What an axis has to show: values, limits and the prediction."""
    at = data.recommended
    predicted = [] if at is None else [at.x if metric is data.against else at.y]
    return values + predicted + [bound for name, bound in data.limits if name == metric.name]


def _marks(data: Scatter, stands: Standing, x: theme.Axis, y: theme.Axis) -> dict[str, Any]:
    marks = [m for m in data.marks if m.stands is stands]
    lost = stands in (Standing.FAILED, Standing.CANCELLED)
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": data.labels[stands],
        "mode": "markers",
        "x": [m.x / x.per for m in marks],
        "y": [0 if m.y is None else m.y / y.per for m in marks],
        "hoverinfo": "text",
        "hovertext": [_hover(data, m) for m in marks],
        "customdata": [m.number for m in marks],
    }
    if marks and stands is not Standing.PENDING:
        trace["marker"] = theme.marker(
            stands, None if lost else [m.fraction for m in marks], len(data.marks)
        )
    # Without an objective a trial has no height: it stands on an axis of its own, at the bottom.
    return trace | {"yaxis": "y2", "cliponaxis": False} if lost else trace


def _prediction(data: Scatter, x: theme.Axis, y: theme.Axis) -> dict[str, Any]:
    at = data.recommended
    if at is None:
        return {"x": []}
    shade = theme.colour("recommended")
    bar = {"type": "data", "color": shade, "thickness": 1.4, "width": 0}
    return {
        "type": "scatter",
        "name": "recommended (predicted)",
        "mode": "markers",
        "x": [at.x / x.per],
        "y": [at.y / y.per],
        "error_x": bar | {"array": [at.x_std / x.per]},
        "error_y": bar | {"array": [at.y_std / y.per]},
        "marker": {"symbol": "star", "size": 15, "color": shade},
        "hoverinfo": "text",
        "hovertext": ["the recommended config, as predicted"],
    }


def _limits(data: Scatter, x: theme.Axis, y: theme.Axis) -> list[dict[str, Any]]:
    dash = {"color": theme.colour("breaks"), "width": 1.4, "dash": "dash"}
    upright = [b / x.per for m, b in data.limits if m == data.against.name]
    level = [b / y.per for m, b in data.limits if m == data.objective.name]
    return [
        {"type": "line", "x0": b, "x1": b, "yref": "paper", "y0": 0, "y1": 1, "line": dash}
        for b in upright
    ] + [
        {"type": "line", "y0": b, "y1": b, "xref": "paper", "x0": 0, "x1": 1, "line": dash}
        for b in level
    ]


def _hover(data: Scatter, mark: Mark) -> str:
    lines = [f"<b>trial {mark.number}</b> · {data.labels[mark.stands]}"]
    if mark.y is not None:
        lines.append(theme.escaped(f"{data.objective.name} {measured(data.objective, mark.y)}"))
    lines.append(theme.escaped(f"{data.against.name} {measured(data.against, mark.x)}"))
    if mark.fraction != 1:
        lines.append(f"{share_of_data(mark.fraction)} of the data")
    lines += [theme.escaped(f"{k} = {value(v)}") for k, v in mark.config.items()]
    return "<br>".join(lines)
