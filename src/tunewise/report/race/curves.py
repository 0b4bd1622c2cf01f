"""The mean curves of a race, drawn as steps with a band of one standard error."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tunewise.benchmark.measures.mean_curves import MeanCurve
from tunewise.benchmark.measures.pace import Spending
from tunewise.benchmark.measures.score import LEVELS
from tunewise.format import duration, money
from tunewise.report.layout import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

View: TypeAlias = Literal["share", "distance"]

CLOSEST = 1e-3
"""Distances from the optimum are drawn down to this one, since a log axis has no zero."""


_TITLES: dict[Spending, str] = {
    "cost": "Search cost",
    "time": "Search time",
    "trials": "Trials",
    "total": "Search time and the strategy's own",
}
_AMOUNTS: dict[Spending, Callable[[float], str]] = {
    "cost": money,
    "time": duration,
    "trials": lambda count: f"{count:.0f} trials",
    "total": duration,
}


def draw_mean_curves(
    curves: Sequence[MeanCurve], kind: Spending, objective: str, view: View = "share"
) -> "go.Figure":
    """The curves as steps with a band of one standard error, dashed during the bootstrap."""
    floor = _floor(curves)
    x = _spending_axis(curves, kind, floor if view == "share" else 0.0)
    low = CLOSEST if view == "distance" else None
    title = "distance from the optimum" if view == "distance" else "share of the optimum"
    span = (CLOSEST / 1.15, 1.1) if view == "distance" else (floor, 1.02)
    y = theme.Axis(f"{objective}, {title}", log=view == "distance", share=True, range=span)
    traces: list[dict[str, Any]] = []
    for place, curve in enumerate(curves):
        again, role = divmod(place, len(theme.SERIES))
        look = _Look(theme.colour(theme.SERIES[role]), "dot" if again else "solid", low)
        traces += [_band(curve, x.per, look), *_lines(curve, x.per, look, kind)]
    drawn = theme.figure(traces, x, y, shapes=[_level(level, view) for level in LEVELS])
    return drawn.update_layout(legend_traceorder="normal", yaxis_tickformat="~%")


def _spending_axis(curves: Sequence[MeanCurve], kind: Spending, floor: float) -> theme.Axis:
    """The axis of what was spent, from where the first curve comes into sight."""
    pairs = [pair for c in curves for pair in zip(c.spent, c.mean, strict=True) if pair[0] > 0]
    every = [spent for spent, mean in pairs if mean >= floor]
    unit, per = {"cost": ("USD", 1.0), "trials": ("", 1.0)}.get(kind) or theme.clock(every)
    log = kind != "trials"
    ends = theme.ends([v / per for v in every], log)
    return theme.Axis(_TITLES[kind], unit, per, log=log, range=ends)


def _floor(curves: Sequence[MeanCurve]) -> float:
    """Where the axis of shares starts: at 0, or higher where nothing of interest lies below."""
    # At the very start many seeds have no recommendation: that says nothing of the rest.
    settled = [m for curve in curves for m, s in zip(curve.mean, curve.spent, strict=True)
               if s >= curve.bootstrap]  # fmt: skip
    return max(0.0, math.floor(10 * min(settled, default=0.0)) / 10 - 0.02)


def _level(level: float, view: View) -> dict[str, Any]:
    at = 1 - level if view == "distance" else level
    line = {"color": theme.colour("line"), "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at, "line": line,
            "layer": "below"}  # fmt: skip


@dataclass(frozen=True)
class _Look:
    """How a curve is drawn: where colours begin again, dots tell lines apart."""

    colour: str
    dash: str
    low: float | None

    def seen(self, share: float) -> float:
        """A share as the view shows it: itself, or its distance from the optimum."""
        return share if self.low is None else max(1.0 - share, self.low)


def _band(curve: MeanCurve, per: float, look: _Look) -> dict[str, Any]:
    x = [s / per for s in curve.spent]
    upper = [min(m + e, 1.0) for m, e in zip(curve.mean, curve.error, strict=True)]
    lower = [max(m - e, 0.0) for m, e in zip(curve.mean, curve.error, strict=True)]
    over, under = _stairs(x, upper), _stairs(x, lower)[::-1]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [at for at, _ in over + under],
        "y": [look.seen(share) for _, share in over + under],
        "fill": "toself",
        "fillcolor": look.colour,
        "opacity": 0.16,
        "line": {"width": 0, "color": look.colour},
        "legendgroup": curve.name,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _stairs(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
    """The corners of a step function."""
    corners = [(x[0], y[0])]
    for i in range(1, len(x)):
        corners += [(x[i], y[i - 1]), (x[i], y[i])]
    return corners


def _lines(curve: MeanCurve, per: float, look: _Look, kind: Spending) -> list[dict[str, Any]]:
    split = sum(s <= curve.bootstrap for s in curve.spent)
    parts = [("dash", 0, split), (look.dash, max(split - 1, 0), len(curve.spent))]
    amount = _AMOUNTS[kind]
    text = [
        theme.escaped(f"{curve.name}: {m:.1%} ± {e:.1%} of the optimum for {amount(s)}")
        for s, m, e in zip(curve.spent, curve.mean, curve.error, strict=True)
    ]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": theme.escaped(curve.name),
            "x": [s / per for s in curve.spent[begin:end]],
            "y": [look.seen(m) for m in curve.mean[begin:end]],
            "line": {"shape": "hv", "width": 2.2, "color": look.colour, "dash": dash},
            "legendgroup": curve.name,
            "showlegend": dash == look.dash,
            "hoverinfo": "text",
            "hovertext": text[begin:end],
        }
        for dash, begin, end in parts
    ]
