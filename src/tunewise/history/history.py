"""The trials of a study in order, and what they say of each metric."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from tunewise.format import duration, money
from tunewise.history.outcome import LARGEST, TimedOut
from tunewise.history.trial import BOOKED, Trial, TrialState, table_of
from tunewise.problem import Metrics, Problem
from tunewise.space import Config


@dataclass(frozen=True)
class Observations:
    """One metric as arrays: n configs, their fractions (n,), values (n,) and deviations (n,).

    A deviation that was not told is NaN.
    """

    configs: list[Config]
    fractions: np.ndarray
    values: np.ndarray
    deviations: np.ndarray

    def __len__(self) -> int:
        """How many values there are."""
        return len(self.configs)


class History(Sequence[Trial]):
    """The trials of a study, by number."""

    def __init__(self, trials: Iterable[Trial] = ()) -> None:
        """Keep the trials, ordered by number."""
        self._trials = tuple(sorted(trials, key=lambda t: t.number))

    @overload
    def __getitem__(self, index: int) -> Trial: ...
    @overload
    def __getitem__(self, index: slice) -> "History": ...
    def __getitem__(self, index: int | slice) -> "Trial | History":
        """One trial by place, or a part of the history."""
        found = self._trials[index]
        return found if isinstance(found, Trial) else History(found)

    def __len__(self) -> int:
        """How many trials there are, whatever their state."""
        return len(self._trials)

    def __iter__(self) -> Iterator[Trial]:
        """The trials in order."""
        return iter(self._trials)

    def __eq__(self, other: object) -> bool:
        """Histories are equal when their trials are (clocks are not compared)."""
        return isinstance(other, History) and self._trials == other._trials

    def __hash__(self) -> int:
        """Agrees with equality."""
        return hash(tuple((t.number, t.state) for t in self._trials))

    def __repr__(self) -> str:
        """Short, for people."""
        spent = self.spent
        told = [f"{len(self)} trials", f"{len(self.complete)} complete"]
        told += [money(spent["cost"])] if spent["cost"] else []
        told += [duration(spent["time"])] if spent["time"] else []
        return f"History({', '.join(told)})"

    def _repr_html_(self) -> str:
        """For notebooks: the last trials, each in a row."""
        title = repr(self) if len(self) != 1 else f"Trial {self[0].number}"
        return table_of(self._trials, title)

    def of(self, *states: TrialState) -> "History":
        """The trials in one of the states."""
        return History(t for t in self._trials if t.state in states)

    @property
    def complete(self) -> "History":
        """Trials with a measurement."""
        return self.of(TrialState.COMPLETE)

    @property
    def full(self) -> "History":
        """Trials on the full data."""
        return History(t for t in self._trials if t.fraction == 1.0)

    @property
    def failed(self) -> "History":
        """Trials whose config failed."""
        return self.of(TrialState.FAILED)

    @property
    def pending(self) -> "History":
        """Trials whose measurement may still come."""
        return History(t for t in self._trials if t.state.pending)

    @property
    def ended(self) -> "History":
        """Trials with their final outcome."""
        return History(trial for trial in self if not trial.state.pending)

    @property
    def unstopped(self) -> bool:
        """Whether nobody stops trials at their limits, by the last one that had passed its own."""
        for trial in reversed(self._trials):
            if trial.pruned or (trial.measurement is not None and trial.measurement.overran):
                return not trial.pruned
        return False

    @property
    def spent(self) -> Metrics:
        """Cost and time booked over all trials, failed, preempted and cancelled ones too."""
        return {name: math.fsum(t.spent.get(name, 0.0) for t in self._trials) for name in BOOKED}

    def best(self, problem: Problem) -> Trial | None:
        """The best feasible complete trial that could be deployed as it is."""
        sign = 1 if problem.maximize else -1
        return max(
            self.deployable(problem),
            key=lambda t: sign * t.metrics[problem.objective],
            default=None,
        )

    def front(self, problem: Problem) -> "list[Trial]":
        """The Pareto front: deployable trials that no other one dominates, best objective first.

        Of trials with the same values of all objectives, the earliest.
        """
        found: list[Trial] = []
        seen: set[tuple[float, ...]] = set()
        deployable = self.deployable(problem)
        for trial in deployable:
            values = tuple(trial.metrics[o.metric] for o in problem.objectives)
            beaten = any(problem.dominates(t.metrics, trial.metrics) for t in deployable)
            if not beaten and values not in seen:
                seen.add(values)
                found.append(trial)
        first = problem.objectives[0]
        return sorted(found, key=lambda t: first.loss(t.metrics[first.metric]))

    def within(self, problem: Problem) -> "History":
        """The trials that a problem is about: its space, its fractions, and what it needs.

        What the others have spent is booked as a loss of the first of these, so that it stays paid.
        """
        kept = [trial for trial in self._trials if _concerns(problem, trial)]
        if not kept or len(kept) == len(self):
            return History(kept)
        numbers = {trial.number for trial in kept}
        apart = History(t for t in self._trials if t.number not in numbers).spent
        lost = {k: kept[0].lost.get(k, 0.0) + apart[k] for k in BOOKED}
        first = replace(kept[0], lost={name: spent for name, spent in lost.items() if spent})
        return History([first, *kept[1:]])

    def deployable(self, problem: Problem) -> "list[Trial]":
        """Complete trials that keep the limits at a fraction that may be deployed."""
        return [
            t
            for t in self.complete
            if problem.feasible(t.metrics)
            and problem.deployable(t.fraction)
            and all(o.metric in t.metrics for o in problem.objectives)
        ]

    @property
    def timed_out(self) -> "History":
        """Trials that a limit stopped before they could measure anything."""
        return History(t for t in self._trials if isinstance(t.outcome, TimedOut))

    def censored(self, metric: str) -> Observations:
        """What timed-out trials had spent of a metric when they were stopped: lower bounds.

        Of several of one config at one fraction the longest, none where another one completed.
        """
        longest: dict[tuple[object, ...], Trial] = {}
        for trial in (t for t in self.timed_out if metric in t.metrics):
            key = (*sorted(trial.config.items()), trial.fraction)
            if key not in longest or trial.metrics[metric] > longest[key].metrics[metric]:
                longest[key] = trial
        for trial in self.complete if longest else ():
            longest.pop((*sorted(trial.config.items()), trial.fraction), None)
        told = list(longest.values())
        return Observations(
            [t.config for t in told],
            np.array([t.fraction for t in told], dtype=float),
            np.clip(np.array([t.metrics[metric] for t in told], dtype=float), -LARGEST, LARGEST),
            np.full(len(told), math.nan),
        )

    def observations(self, metric: str, snapshots: bool = True) -> Observations:
        """All values of one metric, in trial order, snapshots before their trial's own value.

        What is too large to learn from counts as the largest that is not: older stores may have it.
        """
        rows: list[tuple[Config, float, float, float]] = []
        for trial in self._trials:
            rows += _rows(trial, metric, snapshots)
        columns = np.array([row[1:] for row in rows], dtype=float).reshape(-1, 3)
        columns = np.clip(columns, -LARGEST, LARGEST)
        return Observations([row[0] for row in rows], columns[:, 0], columns[:, 1], columns[:, 2])


def _concerns(problem: Problem, trial: Trial) -> bool:
    measured = trial.measurement is None or all(m in trial.metrics for m in problem.needed)
    return measured and trial.fraction in problem.fractions and trial.config in problem.space


def _rows(
    trial: Trial, metric: str, snapshots: bool
) -> Iterator[tuple[Config, float, float, float]]:
    measurement = trial.measurement
    if snapshots:
        passed = trial.reported if measurement is None else measurement.snapshots
        for fraction, metrics in sorted(passed.items()):
            if metric in metrics:
                yield trial.config, fraction, metrics[metric], math.nan
    if measurement is not None and metric in measurement.metrics:
        deviation = measurement.deviations.get(metric, math.nan)
        yield trial.config, trial.fraction, measurement.metrics[metric], deviation
