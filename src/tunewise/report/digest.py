"""A study in numbers, kept up to date by what is new: what lists and charts of many trials need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.history import TrialState
from tunewise.history.trial import BOOKED
from tunewise.problem import KNOWN, Constraint, Metric, parse_constraint
from tunewise.report.charts.curves import Curve, Effort, Point
from tunewise.storage.looking.glance import Glance

Floats = NDArray[np.float64]
STATES = tuple(TrialState)


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
        return tuple(dict.fromkeys([self.objective, *limited, *BOOKED]))


class Digest:
    """Columns of numbers, one row a trial, at one revision; it never changes."""

    def __init__(self, aim: Aim) -> None:
        """Of no trial yet."""
        self.aim, self.revision = aim, 0
        names = ("state", "fraction", "told", "usd", "seconds", *aim.metrics)
        self._columns = {name: np.empty(0) for name in names}

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self._columns["state"])

    def updated(self, glance: Glance, study: int) -> "Digest":
        """The study as it is now; trials that did not change are not read again."""
        found = glance.points(study, self.aim.metrics, self.revision)
        if found.revision < self.revision:  # it was deleted and made anew
            return Digest(self.aim).updated(glance, study)
        now = Digest(self.aim)
        now.revision = found.revision
        now._columns = self._with(found.rows) if found.rows else self._columns
        return now

    def _with(self, rows: Sequence[Sequence[Any]]) -> dict[str, Floats]:
        numbers, states, *columns = zip(*rows, strict=True)
        at = np.array(numbers, np.intp)
        size = max(len(self), int(at.max()) + 1)
        order = {state.value: float(i) for i, state in enumerate(STATES)}
        told = [[order.get(state, 0.0) for state in states], *columns]
        made = {}
        for (name, before), values in zip(self._columns.items(), told, strict=True):
            made[name] = np.full(size, np.nan)
            made[name][: len(before)] = before
            made[name][at] = np.array(values, np.float64)
        return made

    def column(self, name: str) -> Floats:
        """A metric, or "fraction", "told" or "state", by trial; NaN where it is not known."""
        return self._columns[name]

    def of(self, state: TrialState) -> NDArray[np.bool_]:
        """Which trials have a state."""
        return np.equal(self.column("state"), float(STATES.index(state)))

    @property
    def counts(self) -> dict[TrialState, int]:
        """How many trials have each state, those that any has."""
        counted = {state: int(self.of(state).sum()) for state in STATES}
        return {state: count for state, count in counted.items() if count}

    def spent(self, name: str) -> Floats:
        """What was booked for each trial, over all its attempts: "cost" in USD, or "time"."""
        return self.column("usd" if name == "cost" else "seconds")

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which trials measured the objective of a config that could be deployed as it is."""
        fits = self.aim.any_fraction | (self.column("fraction") == 1.0)
        known = ~np.isnan(self.column(self.aim.objective))
        return np.asarray(self.of(TrialState.COMPLETE) & fits & known, bool)

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
        each = np.ones(len(self)) if effort == "trials" else self.spent(effort)
        spent = np.zeros(len(self))
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
        every = np.arange(len(self))
        if len(self) <= most:
            return every
        return np.unique(np.concatenate([thinned(self.steps(), most // 2), thinned(every, most)]))


def thinned(numbers: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many of them, evenly spread."""
    if len(numbers) <= most:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, most).astype(np.intp)]
