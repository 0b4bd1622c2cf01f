"""What each parameter alone shows: the objective against its values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tunewise.format import measured, share_of_data, value
from tunewise.history import History
from tunewise.problem import Metric, Problem
from tunewise.report.layout import theme
from tunewise.report.standing import Standing, label, objective, standing
from tunewise.space import Config, Parameter
from tunewise.strategy.strategy import Recommendation

if TYPE_CHECKING:
    import plotly.graph_objects as go

Scale: TypeAlias = Literal["linear", "log", "category"]

NAMED = 24
"""Up to so many numbers in a list each have a place of their own; more become an axis."""


@dataclass(frozen=True)
class Dot:
    """A measured trial: x is the value, or the position of its name on a category axis."""

    number: int
    x: float
    y: float
    stands: Standing
    fraction: float


@dataclass(frozen=True)
class ByParameter:
    """The objective of measured trials against one parameter.

    Attributes:
        parameter: Its name.
        objective: The metric on the y axis.
        scale: How its values are laid out.
        names: The names of the positions on a category axis.
        bounds: The least and the greatest value of a number.
        dots: The measured trials.
        recommended: Where the recommended config is.
        labels: What each standing is called in this problem.
        spread: Whether marks of one value are drawn side by side; numbers stay where they are.
    """

    parameter: str
    objective: Metric
    scale: Scale
    names: tuple[str, ...]
    bounds: tuple[float, float] | None
    dots: tuple[Dot, ...]
    recommended: float | None
    labels: dict[Standing, str]
    spread: bool = False


def by_parameter(
    problem: Problem, history: History, recommendation: Recommendation | None = None
) -> tuple[ByParameter, ...]:
    """One for each parameter of the space, in its order."""
    return tuple(
        _of(problem, history, p, recommendation.config if recommendation else {})
        for p in problem.space.parameters
    )


def _of(problem: Problem, history: History, parameter: Parameter, chosen: Config) -> ByParameter:
    name, scale = parameter.name, scale_of(parameter)
    valued = [(t, y) for t in history if (y := objective(problem, t)) is not None]
    places = _Places(parameter, scale)
    dots = [
        Dot(t.number, places.of(t.config[name]), y, standing(problem, t), t.fraction)
        for t, y in valued
        if name in t.config
    ]
    return ByParameter(
        parameter=name,
        objective=problem.metrics[problem.objective],
        scale=scale,
        recommended=places.of(chosen[name]) if name in chosen else None,
        names=tuple(places.names),
        bounds=_bounds(parameter) if scale != "category" else None,
        dots=tuple(dots),
        labels={s: label(problem, s) for s in Standing},
        spread=scale == "category" and not _numeric(parameter),
    )


def _numeric(parameter: Parameter) -> bool:
    return all(type(v) in (int, float) for v in parameter.values())


def scale_of(parameter: Parameter) -> Scale:
    """How a parameter's values are laid out: listed ones side by side, ranges to scale."""
    described = parameter.describe()
    if "low" in described:
        return "log" if described.get("log") else "linear"
    values = parameter.values()
    if len(values) <= NAMED or not _numeric(parameter):
        return "category"
    return "log" if theme.spreads(values) else "linear"


def _bounds(parameter: Parameter) -> tuple[float, float]:
    described = parameter.describe()
    values = [described["low"], described["high"]] if "low" in described else parameter.values()
    return float(min(values)), float(max(values))


class _Places:
    """Where values go on the axis; values that the space no longer lists come last."""

    def __init__(self, parameter: Parameter, scale: Scale) -> None:
        listed = parameter.values() if scale == "category" else []
        self._category = scale == "category"
        self._at = {_key(v): i for i, v in enumerate(listed)}
        self.names = [value(v) for v in listed]

    def of(self, v: Any) -> float:
        if not self._category:
            return float(v)
        if _key(v) not in self._at:
            self._at[_key(v)] = len(self.names)
            self.names.append(value(v))
        return float(self._at[_key(v)])


def _key(v: Any) -> tuple[bool, Any]:
    """Tells True from 1, as lists of values do not."""
    return isinstance(v, bool), v


def draw_parameter(data: ByParameter) -> "go.Figure":
    """Marks by standing, with a line at the recommended value."""
    y = theme.axis_of(data.objective, [d.y for d in data.dots])
    log = data.scale == "log"
    reach = theme.ends([*(data.bounds or ()), *(d.x for d in data.dots)], log)
    x = theme.Axis(data.parameter, log=log, ticks=data.names, range=None if data.names else reach)
    traces = [
        _trace(data, s, y.per) for s in reversed(Standing) if any(d.stands is s for d in data.dots)
    ]
    return theme.figure(traces, x, y, legend=False, shapes=_recommended(data))


def _trace(data: ByParameter, stands: Standing, per: float) -> dict[str, Any]:
    dots = [d for d in data.dots if d.stands is stands]
    return {
        "type": "scatter",
        "name": data.labels[stands],
        "mode": "markers",
        "x": [d.x + _aside(d.number) if data.spread else d.x for d in dots],
        "y": [d.y / per for d in dots],
        "marker": theme.marker(stands, [d.fraction for d in dots], len(data.dots)),
        "hoverinfo": "text",
        "hovertext": [_hover(data, d) for d in dots],
        "customdata": [d.number for d in dots],
    }


def _aside(number: int) -> float:
    """A small shift that tells trials of equal value apart, the same in every chart."""
    return 0.4 * ((number * 0.618034) % 1 - 0.5)


def _hover(data: ByParameter, dot: Dot) -> str:
    at = data.names[int(dot.x)] if data.names else value(dot.x)
    part = "" if dot.fraction == 1 else f", {share_of_data(dot.fraction)} of the data"
    shown = f"{data.objective.name} {measured(data.objective, dot.y)}"
    return theme.escaped(f"trial {dot.number}: {data.parameter} = {at}, {shown}{part}")


def _recommended(data: ByParameter) -> list[dict[str, Any]]:
    if data.recommended is None:
        return []
    line = {"color": theme.colour("recommended"), "width": 1.6, "dash": "dot"}
    at = data.recommended
    return [{"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1, "line": line}]
