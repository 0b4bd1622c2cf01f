"""Whole configs side by side: a line for each measured trial through all its values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.charts.by_parameter import ByParameter, by_parameter
from tunewise.report.layout import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Axis:
    """One upright axis: what it shows, where each line crosses it, and the names of its places.

    A value is None where the parameter does not apply to the trial.
    """

    name: str
    values: tuple[float | None, ...]
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
    scales: tuple[Axis, ...]
    maximize: bool


def lines(problem: Problem, history: History) -> Lines:
    """The measured trials; a parameter that applies to none of them has no axis."""
    cut = by_parameter(problem, history)
    heights = {dot.number: dot.y for each in cut for dot in each.dots}
    numbers = tuple(sorted(heights))
    scales = [_scale(each, numbers) for each in cut if each.dots]
    ends = tuple(heights[n] for n in numbers)
    metric = problem.metrics[problem.objective]
    log = metric.kind == "positive" and theme.spreads(ends)
    return Lines(numbers, (*scales, Axis(problem.objective, ends, log)), problem.maximize)


def _scale(each: ByParameter, numbers: Sequence[int]) -> Axis:
    at = {dot.number: dot.x for dot in each.dots}
    values = tuple(at.get(number) for number in numbers)
    return Axis(each.parameter, values, each.scale == "log", each.names)


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
        go.Parcoords(line=line, dimensions=[dimension(scale) for scale in data.scales])
    )
    font = {"family": "system-ui, sans-serif", "size": 12.5, "color": theme.colour("muted")}
    return drawn.update_layout(template="none", font=font, margin={"l": 70, "r": 50, "t": 60})


def dimension(scale: Axis) -> dict[str, Any]:
    """An upright axis: where lines cross it, and what stands beside it."""
    if scale.names:
        ends = (0.0, len(scale.names) - 1.0)
        return _axis(
            scale,
            scale.values,
            {float(i): name for i, name in enumerate(scale.names)},
            ends,
            room=0.2,
        )
    known = [v for v in scale.values if v is not None]
    if scale.log:
        powers = [None if v is None else math.log10(v) for v in scale.values]
        first, last = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
        ticks = {float(power): f"{10.0**power:g}" for power in range(first, last + 1)}
        return _axis(scale, powers, ticks, (first, last))
    if len(known) == len(scale.values):
        return {"label": scale.name, "values": known}
    low, high = min(known), max(known)
    steps = [low + (high - low) * part for part in (0, 0.25, 0.5, 0.75, 1)]
    return _axis(scale, scale.values, {step: f"{step:.3g}" for step in steps}, (low, high))


def _axis(
    scale: Axis,
    places: Sequence[float | None],
    ticks: Mapping[float, str],
    ends: tuple[float, float],
    room: float = 0.0,
) -> dict[str, Any]:
    """An axis with named ticks; below them one more for trials without a value, if there are any.

    Args:
        scale: What the axis shows.
        places: Where each line crosses it, None for one without a value.
        ticks: The names of places.
        ends: The least and the greatest place.
        room: What is left free beyond both.
    """
    low, high = ends
    if None in places:
        low -= (high - low) / max(len(ticks) - 1, 1) or 1.0
        ticks = {low: "none", **ticks}
    return {
        "label": scale.name,
        "values": [low if place is None else place for place in places],
        "range": [low - room, high + room],
        "tickvals": list(ticks),
        "ticktext": list(ticks.values()),
    }
