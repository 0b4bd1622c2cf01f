"""What a part of the data saves under other limits: the cheapest trial for every pair of limits.

This is figure 6.8 of the thesis on Nephele, as how many times cheaper instead of as a difference.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tunewise.errors import ProblemError, nearest
from tunewise.history import History
from tunewise.problem import KNOWN, Constraint, Metric, Metrics, Problem
from tunewise.report.what_if.round_limits import round_limits
from tunewise.space import Config

Array: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
Sign: TypeAlias = Literal["<=", ">="]
NOTHING = -1


@dataclass(frozen=True)
class Point:
    """A config that was measured at a fraction."""

    config: Config
    fraction: float
    metrics: Metrics


@dataclass(frozen=True)
class Varied:
    """A limit that is varied: on which metric, in which direction, to which bounds, ascending."""

    metric: Metric
    sign: Sign
    bounds: tuple[float, ...]

    def limit(self, place: int) -> Constraint:
        """The limit at one of the bounds."""
        return Constraint(self.metric.name, self.sign, self.bounds[place])


@dataclass(frozen=True)
class WhatIf:
    """The cheapest point at any fraction, and at the full data, for every pair of limits.

    Attributes:
        objective: What is minimised.
        rows: The limit that differs from row to row, r bounds.
        columns: The limit that differs from column to column, c bounds.
        points: What was measured and keeps all other limits.
        best: The place of the cheapest point that keeps both limits, (r, c); -1 is nothing.
        full: The same among the points at the full data.
        saving: How many times cheaper `best` is than `full`, (r, c): NaN where nothing keeps the
            limits, infinite where only a part of the data does.
        own: The row and the column of the limits that were really set, where both were.
    """

    objective: Metric
    rows: Varied
    columns: Varied
    points: tuple[Point, ...]
    best: Places
    full: Places
    saving: Array
    own: tuple[int, int] | None = None

    @property
    def less(self) -> str:
        """How a smaller objective is said: of time it is faster, of all else cheaper."""
        return "faster" if self.objective.unit == "s" else "cheaper"

    @property
    def least(self) -> str:
        """How the smallest objective is said."""
        return "fastest" if self.objective.unit == "s" else "cheapest"


def measured_points(problem: Problem, history: History) -> Iterator[Point]:
    """Everything that a study has measured, the snapshots that trials passed on their way too."""
    for trial in history.complete:
        assert trial.measurement is not None
        for fraction, metrics in trial.measurement.snapshots.items():
            yield Point(trial.config, fraction, problem.priced(trial.config, metrics))
        yield Point(trial.config, trial.fraction, problem.priced(trial.config, trial.metrics))


def what_if(
    points: Iterable[Point],
    names: Sequence[tuple[Metric, Sign]],
    constraints: Sequence[Constraint] = (),
    objective: Metric | None = None,
) -> WhatIf:
    """The answer for every pair of limits on two metrics.

    Args:
        points: What was measured.
        names: The metric and the direction of the rows' limit, then those of the columns'.
        constraints: The limits that are really set: those on other metrics stay in force.
        objective: What is minimised; when not given the cost in USD, or the time where nothing
            has a cost.
    """
    points = list(points)
    objective = objective or _spent(points)
    varied = [(metric.name, sign) for metric, sign in names]
    others = [c for c in constraints if (c.metric, c.sign) not in varied]
    kept = _usable(points, [objective.name, *(name for name, _ in varied)], others)
    rows, columns = (
        Varied(metric, sign, _bounds(metric, sign, kept, constraints)) for metric, sign in names
    )
    prices = np.array([p.metrics[objective.name] for p in kept])
    whole = np.array([p.fraction == 1.0 for p in kept])
    best = _cheapest(kept, prices, rows, columns)
    full = _cheapest(kept, np.where(whole, prices, np.inf), rows, columns)
    own = _own(rows, columns, constraints)
    return WhatIf(objective, rows, columns, kept, best, full, _saving(prices, best, full), own)


def _spent(points: Iterable[Point]) -> Metric:
    """What trials spend: money, or only time where nobody knows what it costs."""
    known = {name for point in points for name in point.metrics}
    return KNOWN["time" if "cost" not in known and "time" in known else "cost"]


def strictest(data: WhatIf, cells: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Of several cells, (r, c), the row and the column of that with the strictest limits."""
    places = np.argwhere(cells)
    towards = [1 if varied.sign == ">=" else -1 for varied in (data.rows, data.columns)]
    row, column = places[int(np.argmax(places @ towards))]
    return int(row), int(column)


def _usable(
    points: Iterable[Point], needed: Sequence[str], others: Sequence[Constraint]
) -> tuple[Point, ...]:
    listed = list(points)
    known = sorted({name for point in listed for name in point.metrics})
    if missing := [name for name in needed if name not in known]:
        raise ProblemError(f"nothing has measured {missing[0]!r}{nearest(missing[0], known)}")
    measured = [p for p in listed if all(name in p.metrics for name in needed)]
    if not any(p.fraction < 1 for p in measured):
        raise ProblemError(
            "everything was measured at the full data; to say what a part of it saves, some"
            " trials must use a fraction below 1"
        )
    if free := [p for p in measured if p.metrics[needed[0]] <= 0]:
        raise ProblemError(
            f"{needed[0]} is {free[0].metrics[needed[0]]:g} for {free[0].config}; expected more"
            " than 0: nothing can be saved of what costs nothing"
        )
    keeping = [
        p for p in measured
        if all(c.metric in p.metrics and c.holds(p.metrics[c.metric]) for c in others)
    ]  # fmt: skip
    if not keeping:
        raise ProblemError(f"no trial keeps {' and '.join(map(str, others))}; loosen that")
    return tuple(keeping)


def _bounds(
    metric: Metric, sign: Sign, points: Sequence[Point], constraints: Sequence[Constraint]
) -> tuple[float, ...]:
    """Round bounds, and those that are really set."""
    own = _set_bounds(metric, sign, constraints)
    rungs = round_limits(metric, [p.metrics[metric.name] for p in points] + own)
    return tuple(sorted({*rungs, *own}))


def _set_bounds(metric: Metric, sign: Sign, constraints: Sequence[Constraint]) -> list[float]:
    """The bounds that are really set, the strictest first."""
    set_ = (c.bound for c in constraints if (c.metric, c.sign) == (metric.name, sign))
    return sorted(set_, reverse=sign == ">=")


def _own(
    rows: Varied, columns: Varied, constraints: Sequence[Constraint]
) -> tuple[int, int] | None:
    row, column = (_set_bounds(v.metric, v.sign, constraints) for v in (rows, columns))
    if not row or not column:
        return None
    return rows.bounds.index(row[0]), columns.bounds.index(column[0])


def _cheapest(points: Sequence[Point], prices: Array, rows: Varied, columns: Varied) -> Places:
    """The place of the cheapest point within each pair of limits, (r, c); -1 is nothing.

    Each point falls into the cell of the strictest limits that it keeps; a cell has what its
    stricter neighbours have.
    """
    fractions = np.array([p.fraction for p in points])
    order = np.lexsort((-fractions, prices))  # of equal prices, the one with more data
    order = order[np.isfinite(prices[order])]
    ranks = np.full((len(rows.bounds), len(columns.bounds)), len(order))
    at = [_strictest(v, np.array([points[i].metrics[v.metric.name] for i in order]))
          for v in (rows, columns)]  # fmt: skip
    inside = (at[0] >= 0) & (at[1] >= 0)
    np.minimum.at(ranks, (at[0][inside], at[1][inside]), np.flatnonzero(inside))
    for axis, varied in enumerate((rows, columns)):
        along = np.flip(ranks, axis) if varied.sign == ">=" else ranks
        along = np.minimum.accumulate(along, axis)
        ranks = np.flip(along, axis) if varied.sign == ">=" else along
    return np.asarray(np.append(order, NOTHING)[ranks])


def _strictest(varied: Varied, values: Array) -> Places:
    """The place of the strictest bound that each value keeps, (n,); -1 where it keeps none."""
    bounds = np.array(varied.bounds)
    if varied.sign == ">=":
        return np.searchsorted(bounds, values, side="right") - 1
    at = np.searchsorted(bounds, values, side="left")
    return np.where(at < len(bounds), at, NOTHING)


def _saving(prices: Array, best: Places, full: Places) -> Array:
    saving = prices[full] / prices[best]
    saving[full == NOTHING] = np.inf
    saving[best == NOTHING] = np.nan
    return saving
