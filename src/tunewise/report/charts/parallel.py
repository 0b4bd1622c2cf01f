"""Whole configs side by side: a line for each measured trial through all its values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.charts.by_parameter import ByParameter, by_parameter
from tunewise.report.layout import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Scale:
    """One upright axis: what it shows, where each line crosses it, and the names of its places."""

    name: str
    values: tuple[float, ...]
    log: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lines:
    """The measured trials as lines: an axis for each parameter, and the objective last.

    Attributes:
        numbers: The trials.
        scales: The axes, each with a value for every trial.
        maximize: Whether more of the objective is better.
    """

    numbers: tuple[int, ...]
    scales: tuple[Scale, ...]
    maximize: bool


def lines(problem: Problem, history: History) -> Lines:
    """The measured trials; those that lack a parameter's value are left out."""
    cut = by_parameter(problem, history)
    placed = [{dot.number: dot for dot in each.dots} for each in cut]
    shared = set(placed[0]).intersection(*placed[1:]) if placed else set()
    numbers = tuple(sorted(shared))
    scales = [
        _scale(each, [dots[n].x for n in numbers]) for each, dots in zip(cut, placed, strict=True)
    ]
    heights = tuple(placed[0][n].y for n in numbers)
    metric = problem.metrics[problem.objective]
    log = metric.kind == "positive" and theme.spreads(heights)
    return Lines(numbers, (*scales, Scale(problem.objective, heights, log)), problem.maximize)


def _scale(each: ByParameter, values: Sequence[float]) -> Scale:
    return Scale(each.parameter, tuple(values), each.scale == "log", each.names)


def draw_lines(data: Lines) -> "go.Figure":
    """The lines, coloured by the objective."""
    import plotly.graph_objects as go

    last = data.scales[-1]
    line = {
        "color": list(last.values),
        "colorscale": [[0, theme.colour("grid")], [1, theme.colour("keeps")]],
        "reversescale": not data.maximize,
        "showscale": False,
    }
    drawn = go.Figure(
        go.Parcoords(line=line, dimensions=[_dimension(scale) for scale in data.scales])
    )
    font = {"family": "system-ui, sans-serif", "size": 12.5, "color": theme.colour("muted")}
    return drawn.update_layout(template="none", font=font, margin={"l": 70, "r": 50, "t": 60})


def _dimension(scale: Scale) -> dict[str, Any]:
    if scale.names:
        ticks = {"tickvals": list(range(len(scale.names))), "ticktext": list(scale.names)}
        reach = [-0.2, len(scale.names) - 0.8]
        return {"label": scale.name, "values": list(scale.values), "range": reach, **ticks}
    if not scale.log:
        return {"label": scale.name, "values": list(scale.values)}
    powers = [math.log10(v) for v in scale.values]
    low, high = math.floor(min(powers)), math.ceil(max(powers))
    ticks = {"tickvals": list(range(low, high + 1)),
             "ticktext": [f"{10.0**p:g}" for p in range(low, high + 1)]}  # fmt: skip
    return {"label": scale.name, "values": powers, "range": [low, high], **ticks}
