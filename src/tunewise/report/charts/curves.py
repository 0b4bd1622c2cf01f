"""How good the best measured config was, against what had been spent on finding it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tunewise.format import duration, measured, money
from tunewise.history import History, Trial
from tunewise.problem import Metric, Problem
from tunewise.report.layout import theme
from tunewise.report.standing import Standing, objective, standing

if TYPE_CHECKING:
    import plotly.graph_objects as go

Effort: TypeAlias = Literal["cost", "time", "trials"]


@dataclass(frozen=True)
class Point:
    """A trial that could have been deployed: what had been spent when it was told, its value."""

    number: int
    x: float
    y: float
    keeps: bool


@dataclass(frozen=True)
class Curve:
    """The best feasible objective so far, as steps.

    Attributes:
        objective: The metric on the y axis.
        effort: What the x axis counts: booked cost, booked time, or trials that ended.
        steps: The trials that bettered the best so far, in order.
        points: All measured trials at a deployed fraction, in order.
        end: All that was spent.
    """

    objective: Metric
    effort: Effort
    steps: tuple[Point, ...]
    points: tuple[Point, ...]
    end: float


def best_so_far(problem: Problem, history: History, effort: Effort = "cost") -> Curve:
    """The curve of the best feasible trial at a deployed fraction.

    Every ended trial adds to what was spent, on a part of the data or failed ones too.
    """
    points: list[Point] = []
    steps: list[Point] = []
    spent = 0.0
    for trial in in_order_told(history):
        spent += 1.0 if effort == "trials" else trial.spent.get(effort, 0.0)
        y, stands = objective(problem, trial), standing(problem, trial)
        if y is None or stands not in (Standing.KEEPS, Standing.BREAKS):
            continue
        point = Point(trial.number, spent, y, stands is Standing.KEEPS)
        points.append(point)
        if point.keeps and (not steps or problem.better(y, steps[-1].y)):
            steps.append(point)
    end = spent if effort == "trials" else history.spent[effort]
    return Curve(problem.metrics[problem.objective], effort, tuple(steps), tuple(points), end)


def in_order_told(history: History) -> list[Trial]:
    """The ended trials in the order in which their outcomes came; by number where unknown."""
    ended = [t for t in history if t.outcome is not None]
    if any(t.told_at is None for t in ended):
        return ended
    return sorted(ended, key=lambda t: (t.told_at or 0.0, t.number))


def draw_best_so_far(curve: Curve) -> "go.Figure":
    """The curve as steps, over the trials it was made from."""
    x = effort_axis(curve)
    y = theme.axis_of(curve.objective, [p.y for p in curve.points])
    rest = [p for p in curve.points if p not in set(curve.steps)]
    traces = [
        _dots([p for p in rest if p.keeps], Standing.KEEPS, "other trials", curve),
        _dots([p for p in rest if not p.keeps], Standing.BREAKS, "breaks a limit", curve),
        _stairs(curve),
    ]
    drawn = [_scaled(t, x.per, y.per) for t in traces if t["x"]]
    return theme.figure(drawn, x, y)


def effort_axis(curve: Curve) -> theme.Axis:
    """What the axis of an effort shows."""
    titles = {"cost": "Booked cost", "time": "Booked time", "trials": "Trials ended"}
    unit, per = {"cost": ("USD", 1.0), "trials": ("", 1.0)}.get(
        curve.effort, theme.clock([curve.end])
    )
    range_ = (0.0, 1.02 * curve.end / per) if curve.end else None
    return theme.Axis(titles[curve.effort], unit, per, range=range_)


def _scaled(trace: dict[str, Any], x: float, y: float) -> dict[str, Any]:
    return trace | {"x": [v / x for v in trace["x"]], "y": [v / y for v in trace["y"]]}


def _stairs(curve: Curve) -> dict[str, Any]:
    last = curve.steps[-1:]
    return {
        "type": "scatter",
        "name": "best so far",
        "mode": "lines+markers",
        "x": [p.x for p in curve.steps] + [curve.end for _ in last],
        "y": [p.y for p in curve.steps] + [p.y for p in last],
        "line": {"shape": "hv", "width": 2.5, "color": theme.colour("keeps")},
        "marker": {
            "size": [9 for _ in curve.steps] + [0 for _ in last],
            "color": theme.colour("keeps"),
            "line": {"width": 1.5, "color": theme.colour("surface")},
        },
        "hoverinfo": "text",
        "hovertext": [_hover(p, curve) for p in curve.steps] + ["" for _ in last],
        "customdata": [p.number for p in curve.steps] + [None for _ in last],
    }


def _dots(points: list[Point], stands: Standing, name: str, curve: Curve) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": "markers",
        "x": [p.x for p in points],
        "y": [p.y for p in points],
        "opacity": 0.45,
        "marker": theme.marker(stands) | {"size": 6},
        "hoverinfo": "text",
        "hovertext": [_hover(p, curve) for p in points],
        "customdata": [p.number for p in points],
    }


def _hover(point: Point, curve: Curve) -> str:
    spent = {"cost": money, "time": duration}.get(curve.effort, _trials)
    value = f"{curve.objective.name} {measured(curve.objective, point.y)}"
    return theme.escaped(f"trial {point.number}: {value}, after {spent(point.x)}")


def _trials(count: float) -> str:
    return f"{count:.0f} trials"
