"""What the first strategy of a race saves over each of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tunewise.execution.race import Run
from tunewise.report import theme
from tunewise.report.format import number
from tunewise.report.pace import Spending
from tunewise.report.race import Score, by_strategy, score

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Ratio:
    """How many times as much another strategy spent; at least so much where it never got there."""

    value: float
    at_least: bool = False

    def __str__(self) -> str:
        """As people say it."""
        return f"{'> ' if self.at_least else ''}{number(self.value, 2)}×"


@dataclass(frozen=True)
class Saving:
    """Another strategy's cost and time against those of the first; None where unknown."""

    strategy: str
    cost: Ratio | None
    time: Ratio | None


@dataclass(frozen=True)
class Savings:
    """What the first strategy saves until the mean curve stays above a level.

    Attributes:
        first: The strategy that the others are compared with.
        level: The share of the optimum.
        rivals: The others, in the order of the race; none where the first never gets there.
    """

    first: str
    level: float
    rivals: tuple[Saving, ...]


def savings(runs: Sequence[Run], level: float = 0.9) -> Savings:
    """The savings of the first strategy over each of the others."""
    return compared([score(group) for group in by_strategy(runs)], level)


def compared(scored: Sequence[Score], level: float) -> Savings:
    """The same from scores."""
    first, *others = scored
    if first.cost_to[level] is None:
        return Savings(first.strategy, level, ())
    rivals = [
        Saving(other.strategy, _ratio(first, other, level, "cost"),
               _ratio(first, other, level, "time"))
        for other in others
    ]  # fmt: skip
    return Savings(first.strategy, level, tuple(rivals))


def _ratio(first: Score, other: Score, level: float, kind: Spending) -> Ratio | None:
    own, theirs = (s.cost_to[level] if kind == "cost" else s.time_to[level] for s in (first, other))
    if not own:
        return None
    if theirs is None:
        spent = other.cost if kind == "cost" else other.time
        return Ratio(spent / own, at_least=True)
    return Ratio(theirs / own)


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
