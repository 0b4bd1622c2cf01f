"""A study in numbers, kept up to date by what is new: what lists and charts of many trials need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.history import TrialState
from tunewise.history.trial import BOOKED, RESUMED
from tunewise.problem import KNOWN, Constraint, Metric, parse_constraint
from tunewise.report.charts.curves import Curve, Effort, Point
from tunewise.storage.glance import Glance

Floats = NDArray[np.float64]
STATES = tuple(TrialState)

_GROWS_BY = 1.5


@dataclass(frozen=True)
class Aim:
    """What a study wants, without its space.

    Attributes:
        objective: The first metric that is wanted.
        maximize: Whether more of it is better.
        constraints: The limits.
        any_fraction: Whether a config may be deployed on a part of the data.
        metric: The objective's name, kind and unit.
    """

    objective: str
    maximize: bool
    constraints: tuple[Constraint, ...]
    any_fraction: bool
    metric: Metric

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> "Aim":
        """Read the description of a problem."""
        metrics = {n: Metric(n, kind) for n, kind in (described.get("metrics") or {}).items()}
        metrics = {**KNOWN, **metrics}
        maximize = bool(described.get("maximize"))
        named = described["maximize" if maximize else "minimize"]
        objective = named if isinstance(named, str) else named[0]
        limits = described.get("subject_to") or ()
        return cls(
            objective,
            maximize,
            tuple(parse_constraint(limit, metrics) for limit in limits),
            described.get("deploy") == "any",
            metrics.get(objective, Metric(objective)),
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """What has to be read of each trial."""
        limited = (c.metric for c in self.constraints)
        return tuple(dict.fromkeys([self.objective, *limited, *BOOKED, RESUMED]))


class Digest:
    """Columns of numbers, one row a trial; trials that changed are read again, and no others."""

    def __init__(self, aim: Aim) -> None:
        """Of no trial yet."""
        self.aim, self.revision, self._size = aim, 0, 0
        names = ("state", "fraction", "told", "lost cost", "lost time", *aim.metrics)
        self._columns = {name: np.full(64, np.nan) for name in names}

    def __len__(self) -> int:
        """How many trials there are."""
        return self._size

    def update(self, glance: Glance, study: int) -> bool:
        """Read what is new; whether anything was."""
        found = glance.points(study, self.aim.metrics, self.revision)
        if self.revision and found.revision < self.revision:  # it was deleted and made anew
            self.__init__(self.aim)  # type: ignore[misc] # begins again
            return self.update(glance, study)
        changed, self.revision = found.revision != self.revision, found.revision
        self._put(found.rows)
        return changed

    def _put(self, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        numbers, states, *columns = zip(*rows, strict=True)
        at = np.array(numbers, np.intp)
        self._size = max(self._size, int(at.max()) + 1)
        for name, column in self._columns.items():
            if len(column) < self._size:
                longer = np.full(int(self._size * _GROWS_BY), np.nan)
                longer[: len(column)] = column
                self._columns[name] = longer
        order = {state.value: float(i) for i, state in enumerate(STATES)}
        values = [[order.get(state, 0.0) for state in states], *columns]
        for column, told in zip(self._columns.values(), values, strict=True):
            column[at] = np.array(told, np.float64)

    def column(self, name: str) -> Floats:
        """A metric, or "fraction", "told" or "state", by trial; NaN where it is not known."""
        return self._columns[name][: self._size]

    def of(self, state: TrialState) -> NDArray[np.bool_]:
        """Which trials have a state."""
        return self.column("state") == float(STATES.index(state))

    @property
    def counts(self) -> dict[TrialState, int]:
        """How many trials have each state, those that any has."""
        counted = {state: int(self.of(state).sum()) for state in STATES}
        return {state: count for state, count in counted.items() if count}

    def spent(self, name: str) -> Floats:
        """USD or seconds that were booked for each trial, over all its attempts."""
        time, resumed = self.column("time"), self.column(RESUMED)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(time > 0, 1 - np.minimum(resumed / time, 1), 1.0)
        new = np.where(np.isnan(share), 1.0, share) * self.column(name)
        return np.nan_to_num(new) + np.nan_to_num(self.column(f"lost {name}"))

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which trials measured the objective of a config that could be deployed as it is."""
        fits = self.aim.any_fraction | (self.column("fraction") == 1.0)
        return self.of(TrialState.COMPLETE) & fits & ~np.isnan(self.column(self.aim.objective))

    @property
    def keeps(self) -> NDArray[np.bool_]:
        """Which of them keep all limits."""
        kept = self.measured
        for limit in self.aim.constraints:
            found = self.column(limit.metric)
            kept = kept & (found <= limit.bound if limit.sign == "<=" else found >= limit.bound)
        return kept

    @property
    def best(self) -> int | None:
        """The number of the best trial that keeps all limits, the first of equals."""
        kept = np.flatnonzero(self.keeps)
        if not len(kept):
            return None
        values = self.column(self.aim.objective)[kept] * (1 if self.aim.maximize else -1)
        return int(kept[int(np.argmax(values))])

    def in_order_told(self) -> NDArray[np.intp]:
        """The trials with an outcome, in the order in which it came."""
        told = self.column("told")
        ended = np.flatnonzero(~np.isnan(told))
        return ended[np.argsort(told[ended], kind="stable")]

    def steps(self) -> NDArray[np.intp]:
        """The trials that bettered the best so far, in order."""
        order = self.in_order_told()
        order = order[self.keeps[order]]
        values = self.column(self.aim.objective)[order] * (1 if self.aim.maximize else -1)
        before = np.concatenate([[-np.inf], np.maximum.accumulate(values)[:-1]])
        return order[values > before] if len(order) else order

    def curve(self, effort: Effort, points: int) -> Curve:
        """The best so far against what was spent by then, with at most so many points."""
        order = self.in_order_told()
        each = np.ones(self._size) if effort == "trials" else self.spent(effort)
        spent = np.zeros(self._size)
        spent[order] = np.cumsum(each[order])
        values, keeps, steps = self.column(self.aim.objective), self.keeps, self.steps()
        shown = np.unique(np.concatenate([steps, thinned(order[self.measured[order]], points)]))

        def point(number: int) -> Point:
            at = int(number)
            return Point(at, float(spent[at]), float(values[at]), bool(keeps[at]))

        end = float(spent[order].max(initial=0.0)) if effort == "trials" else float(each.sum())
        some, every = tuple(map(point, steps)), tuple(map(point, shown))
        return Curve(self.aim.metric, effort, some, every, end)

    def sample(self, most: int) -> NDArray[np.intp]:
        """At most about so many trials, evenly spread, with all that bettered the best."""
        every = np.arange(self._size)
        if self._size <= most:
            return every
        return np.unique(np.concatenate([thinned(self.steps(), most // 2), thinned(every, most)]))


def thinned(numbers: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many of them, evenly spread."""
    if len(numbers) <= most:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, most).astype(np.intp)]
