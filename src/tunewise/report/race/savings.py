"""What the first strategy of a race saves over each of the others, as bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tunewise.benchmark.measures.savings import Ratio, Savings
from tunewise.report.layout import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw_savings(data: Savings) -> "go.Figure":
    """Two bars for each of the others, from 1: to the right the first saves, to the left it loses.

    Paler bars are those that never got there: they show what had been spent in vain.
    """
    rivals = data.rivals[::-1]
    every = [r.value for s in rivals for r in (s.cost, s.time) if r]
    span = (min([0.8, *(v / 1.3 for v in every)]), max([2.0, *(v * 1.6 for v in every)]))
    x = theme.Axis(f"times what {data.first} spends", log=True, range=span)
    y = theme.Axis("", ticks=tuple(s.strategy for s in rivals))
    bars = [
        _bars("time", [s.time for s in rivals], "blue"),
        _bars("cost", [s.cost for s in rivals], "keeps"),
    ]
    even = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 1, "x1": 1,
            "line": {"color": theme.colour("muted"), "width": 1}}  # fmt: skip
    drawn = theme.figure(bars, x, y, shapes=[even])
    return drawn.update_layout(barmode="group", bargap=0.35, margin_l=150)


def _bars(name: str, ratios: Sequence[Ratio | None], role: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(range(len(ratios))),
        "x": [r.value - 1 if r else None for r in ratios],
        "base": 1,
        "text": [str(r) if r else "" for r in ratios],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [f"{r} the {name}" if r else "" for r in ratios],
        "marker": {
            "color": theme.colour(role),
            "opacity": [0.45 if r and r.at_least else 0.95 for r in ratios],
        },
    }
