"""The charts of a training's page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tunewise.format import config, duration, number
from tunewise.report.layout import theme
from tunewise.report.training.course import Losses, Outcome, Stretch

if TYPE_CHECKING:
    import plotly.graph_objects as go


def draw_losses(losses: Losses, stretches: Sequence[Stretch], target: float | None) -> "go.Figure":
    """The loss over time, with a mark where the setting changed."""
    unit, per = theme.clock(losses.at.tolist())
    x = theme.Axis(f"Time ({unit})", range=(0, float(losses.at[-1]) / per * 1.02))
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": "loss",
        "x": (losses.at / per).tolist(),
        "y": losses.loss.tolist(),
        "line": {"width": 2.2, "color": theme.colour("keeps")},
        "hoverinfo": "text",
        "hovertext": [
            f"loss {number(float(loss))} after {duration(float(at))}"
            for at, loss in zip(losses.at, losses.loss, strict=True)
        ],
    }
    switches = {
        "type": "scatter",
        "mode": "markers",
        "name": "switch",
        "x": [each.begin / per for each in stretches[1:]],
        "y": [before.loss for before in stretches[:-1]],
        "marker": {"size": 8, "color": theme.colour("recommended"), "symbol": "triangle-up"},
        "hoverinfo": "text",
        "hovertext": [theme.escaped(f"to {config(each.setting)}") for each in stretches[1:]],
    }
    shapes = [] if target is None else [_level(target)]
    return theme.figure([line, switches], x, theme.Axis("Loss"), shapes=shapes)


def _level(target: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": target,
        "y1": target,
        "line": {"width": 1, "dash": "dot", "color": theme.colour("failed")},
    }


def draw_outcomes(outcomes: Sequence[Outcome]) -> "go.Figure":
    """What was believed to be left, with its range, and what came true."""
    every = [each.high for each in outcomes] + [each.true or 0.0 for each in outcomes]
    unit, per = theme.clock([each.believed.at for each in outcomes] or [1.0])
    unit_y, per_y = theme.clock(every or [1.0])
    at = [each.believed.at / per for each in outcomes]
    middle = [(each.low * each.high) ** 0.5 / per_y for each in outcomes]
    believed = {
        "type": "scatter",
        "mode": "markers",
        "name": "believed, 10 to 90 %",
        "x": at,
        "y": middle,
        "error_y": {
            "type": "data",
            "array": [e.high / per_y - m for e, m in zip(outcomes, middle, strict=True)],
            "arrayminus": [m - e.low / per_y for e, m in zip(outcomes, middle, strict=True)],
            "color": theme.colour("blue"),
            "thickness": 1.2,
            "width": 2,
        },
        "marker": {"size": 6, "color": theme.colour("blue")},
        "hoverinfo": "text",
        "hovertext": [f"{duration(e.low)} to {duration(e.high)} left" for e in outcomes],
    }
    true = {
        "type": "scatter",
        "mode": "lines",
        "name": "came true",
        "x": at,
        "y": [None if e.true is None else max(e.true, 1e-9) / per_y for e in outcomes],
        "line": {"width": 2, "color": theme.colour("keeps")},
        "hoverinfo": "skip",
    }
    y = theme.Axis(f"Time left ({unit_y})", log=True)
    return theme.figure([believed, true], theme.Axis(f"Time ({unit})"), y)
