"""How often the limits were kept, and by how much."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.format import measured, percent
from tunewise.history import History
from tunewise.problem import Constraint, Metric, Problem
from tunewise.report.layout import theme
from tunewise.report.standing import Standing, feasible

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Share:
    """How many of the trials at a deployed fraction kept all limits, after each of them."""

    numbers: tuple[int, ...]
    kept: tuple[bool, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Margin:
    """A metric against its limit, for each measured trial at a deployed fraction.

    Attributes:
        constraint: The limit.
        metric: What it limits.
        numbers: The trials.
        values: What they measured.
        relative: Whether the bound is above 0, so that parts of it make sense.
        ratios: The values as parts of the bound; the values themselves where not relative.
        limit: Where the limit is among the ratios: 1, or the bound itself where not relative.
    """

    constraint: Constraint
    metric: Metric
    numbers: tuple[int, ...]
    values: tuple[float, ...]
    relative: bool
    ratios: tuple[float, ...]
    limit: float


def share_feasible(problem: Problem, history: History) -> Share:
    """The running share of trials that kept all limits."""
    told = [(t.number, kept) for t in history if (kept := feasible(problem, t)) is not None]
    counts: list[int] = []
    for _, kept in told:
        counts.append((counts[-1] if counts else 0) + kept)
    return Share(
        numbers=tuple(n for n, _ in told),
        kept=tuple(kept for _, kept in told),
        shares=tuple(count / (i + 1) for i, count in enumerate(counts)),
    )


def margins(problem: Problem, history: History) -> tuple[Margin, ...]:
    """For each constraint, how near each trial came to it."""
    return tuple(_margin(problem, history, c) for c in problem.constraints)


def _margin(problem: Problem, history: History, constraint: Constraint) -> Margin:
    told = [
        (t.number, t.metrics[constraint.metric])
        for t in history.complete
        if problem.deployable(t.fraction) and constraint.metric in t.metrics
    ]
    relative = constraint.bound > 0
    per = constraint.bound if relative else 1.0
    return Margin(
        constraint=constraint,
        metric=problem.metrics[constraint.metric],
        numbers=tuple(n for n, _ in told),
        values=tuple(v for _, v in told),
        relative=relative,
        ratios=tuple(v / per for _, v in told),
        limit=1.0 if relative else constraint.bound,
    )


def draw_share(data: Share) -> "go.Figure":
    """The share as a line over trial numbers."""
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": list(data.numbers),
        "y": list(data.shares),
        "line": {"shape": "hv", "width": 2.5, "color": theme.colour("keeps")},
        "hoverinfo": "text",
        "hovertext": [
            f"up to trial {n}: {percent(s)} kept the limits"
            for n, s in zip(data.numbers, data.shares, strict=True)
        ],
    }
    x, y = (
        theme.Axis("Trial"),
        theme.Axis("share kept", share=True, range=(0, 1.03)),
    )
    return theme.figure([line], x, y, legend=False)


def draw_margin(data: Margin) -> "go.Figure":
    """Trials as marks, the limit as a line, and what lies beyond it shaded."""
    told = list(zip(data.numbers, data.values, data.ratios, strict=True))
    kept = [row for row in told if data.constraint.holds(row[1])]
    broken = [row for row in told if not data.constraint.holds(row[1])]
    traces = [_marks(data, kept, Standing.KEEPS), _marks(data, broken, Standing.BREAKS)]
    y = _ratio_axis(data)
    shapes = _beyond(data, y)
    return theme.figure([t for t in traces if t["x"]], theme.Axis("Trial"), y, False, shapes)


def _marks(data: Margin, rows: list[tuple[int, float, float]], stands: Standing) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [number for number, _, _ in rows],
        "y": [ratio for _, _, ratio in rows],
        "marker": theme.marker(stands, crowd=len(data.numbers)),
        "hoverinfo": "text",
        "hovertext": [_hover(data, number, value) for number, value, _ in rows],
        "customdata": [number for number, _, _ in rows],
    }


def _hover(data: Margin, number: int, value: float) -> str:
    bound = measured(data.metric, data.constraint.bound)
    part = f": {percent(value / data.constraint.bound)} of {bound}" if data.relative else ""
    return theme.escaped(f"trial {number}: {data.metric.name} {measured(data.metric, value)}{part}")


def _ratio_axis(data: Margin) -> theme.Axis:
    shown = [*data.ratios, data.limit]
    log = data.relative and theme.spreads(shown)
    title = f"{data.metric.name} / limit" if data.relative else data.metric.name
    unit = "" if data.relative else data.metric.unit
    return theme.Axis(title, unit, log=log, share=data.relative, range=theme.ends(shown, log))


def _beyond(data: Margin, y: theme.Axis) -> list[dict[str, Any]]:
    assert y.range is not None
    end = y.range[1] if data.constraint.sign == "<=" else y.range[0]
    across: dict[str, Any] = {"xref": "paper", "x0": 0, "x1": 1, "y0": data.limit}
    shade = {"color": theme.colour("forbidden")}
    line = {"color": theme.colour("breaks"), "width": 1.6, "dash": "dash"}
    return [
        across | {"type": "rect", "y1": end, "layer": "below", "line": {"width": 0},
                  "fillcolor": shade["color"]},
        across | {"type": "line", "y1": data.limit, "line": line},
    ]  # fmt: skip
