"""The same lines as in `parallel`, drawn without WebGL, which strict pages do not allow."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tunewise.report.charts.parallel import Lines, dimension
from tunewise.report.layout import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

_BINS = 6
"""Shades; the best sixth of the trials stands out most."""

_TICKS = 6


def draw_strands(data: Lines) -> "go.Figure":
    """A line for each trial through all its values; the better, the clearer."""
    axes = [_axis(dimension(scale)) for scale in data.scales]
    heights = np.array([axis["heights"] for axis in axes])
    rank = np.argsort(np.argsort(heights[-1])) / max(len(data.numbers) - 1, 1)
    shade = rank if data.maximize else 1 - rank
    bins = np.minimum((shade * _BINS).astype(int), _BINS - 1)
    traces = [_strands(data, heights, np.flatnonzero(bins == b), b) for b in range(_BINS)]
    drawn = theme.figure(
        [trace for trace in traces if trace["x"]],
        theme.Axis("", ticks=tuple(axis["label"] for axis in axes)),
        theme.Axis(""),
        legend=False,
        shapes=[_upright(at) for at in range(len(axes))],
    )
    notes = [note for at, axis in enumerate(axes) for note in _notes(at, axis)]
    drawn.update_layout(annotations=notes, margin={"l": 30, "r": 30, "t": 20, "b": 48})
    drawn.update_xaxes(range=[-0.35, len(axes) - 0.65], showgrid=False)
    return drawn.update_yaxes(range=[-0.04, 1.04], visible=False)


def _axis(told: dict[str, Any]) -> dict[str, Any]:
    """Heights from 0 to 1, and the names of some."""
    values = np.array(told["values"], float)
    low, high = told.get("range") or (float(values.min()), float(values.max()))
    width = (high - low) or 1.0
    at = told.get("tickvals") or np.linspace(low, high, 5).tolist()
    names = told.get("ticktext") or [f"{tick:.3g}" for tick in at]
    step = -(-len(at) // _TICKS)
    ticks = [((t - low) / width, name) for t, name in zip(at, names, strict=True)][::step]
    return {"label": told["label"], "heights": (values - low) / width, "ticks": ticks}


def _strands(data: Lines, heights: Any, which: Any, shade: int) -> dict[str, Any]:
    """The lines of one shade as one trace, with gaps between them."""
    x: list[float | None] = []
    y: list[float | None] = []
    numbers: list[int | None] = []
    for trial in which:
        x += [*range(len(heights)), None]
        y += [*heights[:, trial].tolist(), None]
        numbers += [data.numbers[int(trial)]] * (len(heights) + 1)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "opacity": 0.12 + 0.83 * (shade / (_BINS - 1)) ** 2,
        "line": {"width": 1.0 + 1.2 * (shade == _BINS - 1), "color": theme.colour("keeps")},
        "customdata": numbers,
        "hovertemplate": "trial %{customdata}<extra></extra>",
    }


def _upright(at: int) -> dict[str, Any]:
    line = {"width": 1, "color": theme.colour("line")}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line}


def _notes(at: int, axis: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "x": at,
            "y": height,
            "text": theme.escaped(name),
            "showarrow": False,
            "xanchor": "left",
            "xshift": 4,
            "bgcolor": theme.colour("surface"),
            "opacity": 0.85,
            "font": {"size": 11.5, "color": theme.colour("muted")},
        }
        for height, name in axis["ticks"]
    ]
