"""How much of the differences in the objective each parameter explains on its own.

The objective's ranks (within each fraction, so that more data is not mistaken for a better config)
are averaged over groups of similar values of one parameter. The part of the variance that lies
between the groups is what the parameter explains. Chance alone explains some of it too: how much is
found by shuffling the objective, and taken off.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunewise.format import percent
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.report.charts.by_parameter import scale_of
from tunewise.report.layout import theme
from tunewise.report.standing import objective
from tunewise.space import Parameter

if TYPE_CHECKING:
    import plotly.graph_objects as go

FEWEST = 10
"""With fewer measured trials, nothing honest can be said."""
SHUFFLES = 200
GROUPS = 8
"""Groups of similar numbers, at most."""
MEMBERS = 3
"""Trials in a group: with five, ten trials make two halves, and a peak between them hides."""


@dataclass(frozen=True)
class Importance:
    """What one parameter explains.

    Attributes:
        parameter: Its name.
        share: The part of the variance it explains beyond chance, in [0, 1]; of a conditional
            parameter, among the trials that it applies to.
        chance: The part that shuffled objectives let it explain, on average.
        clear: Whether fewer than 1 in 20 shuffles explained as much.
    """

    parameter: str
    share: float
    chance: float
    clear: bool


def importance(problem: Problem, history: History) -> tuple[Importance, ...]:
    """What each parameter explains, most first; empty with fewer than `FEWEST` measured trials."""
    valued = [(t, y) for t in history if (y := objective(problem, t)) is not None]
    if len(valued) < FEWEST:
        return ()
    found = [_of(p, valued) for p in problem.space.parameters]
    return tuple(sorted(found, key=lambda i: -i.share))


def _of(parameter: Parameter, valued: list[tuple[Trial, float]]) -> Importance:
    if parameter.when:
        valued = [(t, y) for t, y in valued if parameter.name in t.config]
        if len(valued) < FEWEST:
            return Importance(parameter.name, share=0.0, chance=0.0, clear=False)
    trials = [t for t, _ in valued]
    ranks = _ranks_within(np.array([y for _, y in valued]), np.array([t.fraction for t in trials]))
    shuffled = np.random.default_rng(0).permuted(np.tile(ranks, (SHUFFLES, 1)), axis=1)
    groups = _groups(parameter, [t.config.get(parameter.name) for t in trials])
    explained = float(_explained(ranks[None, :], groups)[0])
    by_chance = _explained(shuffled, groups)
    chance = float(by_chance.mean())
    share = max(0.0, (explained - chance) / (1 - chance)) if chance < 1 else 0.0
    clear = bool((by_chance >= explained - 1e-12).mean() < 0.05)
    return Importance(parameter.name, min(share, 1.0), chance, clear)


def _ranks_within(
    values: NDArray[np.float64], fractions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ranks of values (n,) among those of the same fraction, ties shared, centred around 0."""
    ranks = np.zeros(len(values))
    for fraction in np.unique(fractions):
        of = fractions == fraction
        ranks[of] = _tied_ranks(values[of]) / of.sum()
        ranks[of] -= ranks[of].mean()
    return ranks


def _tied_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place.reshape(-1)], float)


def _groups(parameter: Parameter, values: list[Any]) -> NDArray[np.intp]:
    """The group of each value: its category, or its bin of about equally many trials."""
    if scale_of(parameter) == "category" or not all(type(v) in (int, float) for v in values):
        return _coded([repr(v) for v in values])
    numbers = np.array(values, float)
    if len(np.unique(numbers)) <= GROUPS:
        return _coded(values)
    bins = min(GROUPS, max(2, len(numbers) // MEMBERS))
    within = (_tied_ranks(numbers) - 0.5) / len(numbers)
    return np.asarray((within * bins).clip(0, bins - 1), np.intp)


def _coded(values: list[Any]) -> NDArray[np.intp]:
    places = {v: i for i, v in enumerate(dict.fromkeys(values))}
    return np.array([places[v] for v in values], np.intp)


def _explained(rows: NDArray[np.float64], groups: NDArray[np.intp]) -> NDArray[np.float64]:
    """For each of (m, n) rows the part of its variance that lies between the groups (n,)."""
    members = np.eye(int(groups.max()) + 1)[groups]
    members = members[:, members.sum(axis=0) > 0]
    centred = rows - rows.mean(axis=1, keepdims=True)
    total = (centred**2).sum(axis=1)
    between = ((centred @ members) ** 2 / members.sum(axis=0)).sum(axis=1)
    return np.asarray(np.divide(between, total, out=np.zeros_like(total), where=total > 0))


def draw_importance(data: tuple[Importance, ...]) -> "go.Figure":
    """Bars, longest on top; those that chance could explain are pale."""
    rising = sorted(data, key=lambda i: i.share)
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [i.share for i in rising],
        "y": list(range(len(rising))),
        "width": 0.6,
        "marker": {
            "color": [theme.colour("keeps" if i.clear else "line") for i in rising],
            "line": {"width": 0},
        },
        "text": [percent(i.share) if i.clear else "not clear" for i in rising],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [_hover(i) for i in rising],
    }
    top = max((i.share for i in data), default=0.0)
    x = theme.Axis("explained on its own", share=True, range=(0, min(1.18, max(0.1, 1.25 * top))))
    y = theme.Axis("", ticks=tuple(i.parameter for i in rising))
    return theme.figure([bars], x, y, legend=False)


def _hover(data: Importance) -> str:
    doubt = "" if data.clear else " (chance could explain this)"
    chance = f"shuffled results explain {percent(data.chance)}"
    return theme.escaped(
        f"{data.parameter}: {percent(data.share)} of the differences{doubt}; {chance}"
    )
