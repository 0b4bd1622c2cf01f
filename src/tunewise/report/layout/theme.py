"""How charts look: one palette with a light and a dark side, one layout, safe texts."""

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.problem import Metric
from tunewise.report.standing import Standing

if TYPE_CHECKING:
    import plotly.graph_objects as go

PALETTE: dict[str, tuple[str, str]] = {
    "ink": ("#1f2733", "#e4e8ee"),
    "muted": ("#5d6878", "#98a3b3"),
    "grid": ("#e6e9ee", "#2a3340"),
    "line": ("#c3cad4", "#465264"),
    "surface": ("#ffffff", "#171d26"),
    "keeps": ("#0f7c74", "#3cc9bb"),
    "breaks": ("#d9730d", "#f59f4a"),
    "partial": ("#8592a6", "#7c8aa0"),
    "failed": ("#cf2f3f", "#f4727f"),
    "recommended": ("#6d3fd1", "#b79bff"),
    "forbidden": ("#fbeee2", "#31261c"),
    "blue": ("#2a6fd1", "#74aaf7"),
    "pink": ("#b83289", "#f08cc9"),
    "olive": ("#79760f", "#cbc64f"),
    "brown": ("#8a5a33", "#cf9f74"),
}
"""Colours by role, for light and dark surfaces. Figures are drawn light; pages swap the sides."""

_ROLES = {
    Standing.KEEPS: "keeps",
    Standing.BREAKS: "breaks",
    Standing.PARTIAL: "partial",
    Standing.FAILED: "failed",
    Standing.CANCELLED: "partial",
    Standing.PENDING: "partial",
}
_SYMBOLS = {
    Standing.KEEPS: "circle",
    Standing.BREAKS: "diamond",
    Standing.PARTIAL: "circle-open",
    Standing.FAILED: "x-thin",
    Standing.CANCELLED: "cross-thin",
}
SERIES = ("keeps", "breaks", "recommended", "blue", "failed", "olive", "pink", "brown", "partial")
"""Roles whose colours tell lines of one chart apart."""

SPREAD = 20.0
"""From this ratio of largest to smallest value on, a positive metric is shown on a log axis."""


@dataclass(frozen=True)
class Axis:
    """What an axis shows, in what unit and on which scale; ticks where positions have names.

    Values are divided by `per` to be in the unit.
    """

    title: str
    unit: str = ""
    per: float = 1.0
    log: bool = False
    share: bool = False
    ticks: tuple[str, ...] = ()
    range: tuple[float, float] | None = None


def colour(role: str) -> str:
    """The light side of a role's colour."""
    return PALETTE[role][0]


def escaped(text: object) -> str:
    """Text that charts show as it is, although they understand some tags."""
    return html.escape(str(text), quote=False).replace("\n", " ")


_CLOCK = (("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86400.0))


def axis_of(metric: Metric, values: Iterable[float]) -> Axis:
    """The axis for values of a metric: log where a positive one spreads wide."""
    listed = list(values)
    unit, per = clock(listed) if metric.unit == "s" else (metric.unit, 1.0)
    log = metric.kind == "positive" and spreads(listed)
    return Axis(metric.name, unit, per, log, range=ends([v / per for v in listed], log))


def ends(values: Sequence[float], log: bool) -> tuple[float, float] | None:
    """Where an axis starts and ends, with room around the values; None where there are none."""
    if not values:
        return None
    low, high = min(values), max(values)
    if log:
        room = max((high / low) ** 0.05, 1.1)
        return low / room, high * room
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def clock(seconds: Sequence[float]) -> tuple[str, float]:
    """The unit in which time spans are easily read, and its seconds."""
    largest = max(seconds, default=0.0)
    return next(((u, s) for u, s in reversed(_CLOCK) if largest >= 2 * s), _CLOCK[0])


def spreads(values: Iterable[float]) -> bool:
    """Whether all values are positive and a linear axis would squeeze the small ones."""
    listed = list(values)
    return bool(listed) and min(listed) > 0 and max(listed) / min(listed) >= SPREAD


def size(fraction: float) -> float:
    """The diameter of a mark: less data, smaller mark."""
    return 4.5 + 5.0 * math.sqrt(fraction)


def crowded(count: int) -> float:
    """How much smaller marks get among many: 1 up to a hundred or so, never below a half."""
    return max(0.5, min(1.0, math.sqrt(math.sqrt(150 / max(count, 1)))))


def marker(
    stands: Standing, fractions: Sequence[float] | None = None, crowd: int = 0
) -> dict[str, Any]:
    """The mark of trials of one standing, in a chart of `crowd` trials."""
    shrink = crowded(crowd)
    thin = stands in (Standing.FAILED, Standing.CANCELLED)
    shade = colour(_ROLES[stands])
    edge = shade if thin or stands is Standing.PARTIAL else colour("surface")
    return {
        "color": shade,
        "symbol": _SYMBOLS[stands],
        "opacity": 0.85 * shrink,
        "size": 8 * shrink if fractions is None else [size(s) * shrink for s in fractions],
        "line": {"width": 1.6 if edge == shade else 0.8, "color": edge},
    }


def figure(
    traces: Sequence[dict[str, Any]],
    x: Axis,
    y: Axis,
    legend: bool = True,
    shapes: Sequence[dict[str, Any]] = (),
) -> "go.Figure":
    """A chart of traces in the house style."""
    import plotly.graph_objects as go

    layout = {
        "template": "none",
        "autosize": True,
        "showlegend": legend,
        "margin": {"l": 64, "r": 16, "t": 34 if legend else 12, "b": 48},
        "font": {"family": "system-ui, sans-serif", "size": 12.5, "color": colour("muted")},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "hoverlabel": _hover_label(),
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": colour("line"),
            "activecolor": colour("muted"),
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "xanchor": "left",
            "traceorder": "reversed",
        },
        "xaxis": _axis(x),
        "yaxis": _axis(y),
        "shapes": list(shapes),
    }
    return go.Figure(data=list(traces), layout=layout)


def _hover_label() -> dict[str, Any]:
    return {
        "bgcolor": colour("surface"),
        "bordercolor": colour("line"),
        "font": {"color": colour("ink"), "size": 12.5},
        "align": "left",
    }


def _axis(axis: Axis) -> dict[str, Any]:
    unit = f" ({escaped(axis.unit)})" if axis.unit else ""
    drawn: dict[str, Any] = {
        "title": {"text": escaped(axis.title) + unit, "standoff": 10},
        "type": "log" if axis.log else "linear",
        "gridcolor": colour("grid"),
        "linecolor": colour("line"),
        "zeroline": False,
        "automargin": True,
        "nticks": 7,
    }
    if axis.share:
        drawn["tickformat"] = ".0%"
    if axis.log:
        drawn |= {"tickformat": drawn.get("tickformat", "~g"), "nticks": _log_ticks(axis)}
    if axis.ticks:
        drawn |= {
            "tickvals": list(range(len(axis.ticks))),
            "ticktext": [escaped(t) for t in axis.ticks],
            "range": [-0.6, len(axis.ticks) - 0.4],
            "autotickangles": [0, -35, -70],
        }
    if axis.range:
        drawn["range"] = [math.log10(v) for v in axis.range] if axis.log else list(axis.range)
    return drawn


def _log_ticks(axis: Axis) -> int:
    """So few ticks that a short axis shows 1, 2 and 5 of each power of ten, not all digits."""
    decades = math.log10(axis.range[1] / axis.range[0]) if axis.range else 4.0
    return min(5, max(1, int(decades / 0.31)))
