"""What has been measured: trials, their measurements and snapshots, in order.

Everything here is frozen and checked when it is built, so a `History` that exists is sound.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from numbers import Real
from typing import Any, TypeAlias, overload

import numpy as np

from tunewise.errors import MeasurementError, nearest
from tunewise.format import card, duration, headline, measured, money, share_of_data
from tunewise.format import config as one_line
from tunewise.format import value as shown
from tunewise.problem import KNOWN, Metric, Metrics, Problem
from tunewise.space import Config

BOOKED = ("cost", "time")
"""The metrics that are spent by running a trial, whatever its outcome."""


_SHOWN = 30
"""So many trials, the last ones, are shown in a notebook."""


def _shown(metrics: Metrics) -> dict[str, str]:
    """Metrics as people write them."""
    return {k: measured(KNOWN.get(k, Metric(k)), v) for k, v in metrics.items()}


class TrialState(StrEnum):
    """Where a trial stands. Only `COMPLETE` and `FAILED` are evidence about its config."""

    WAITING = "waiting"  # enqueued: no worker has it yet
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    PREEMPTED = "preempted"  # its machine was taken away: it runs again
    CANCELLED = "cancelled"  # a person stopped it

    @property
    def pending(self) -> bool:
        """Whether a measurement may still come."""
        return self in (TrialState.WAITING, TrialState.RUNNING, TrialState.PREEMPTED)


@dataclass(frozen=True)
class Measurement:
    """What a trial measured.

    Attributes:
        metrics: Named finite numbers, such as `accuracy`, `time` (seconds), `cost` (USD).
        snapshots: Metrics at smaller fractions that the trial passed on its way.
        deviations: Standard deviations of metrics, where the job measured more than once.
    """

    metrics: Metrics
    snapshots: dict[float, Metrics] = field(default_factory=dict)
    deviations: Metrics = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is not a finite number, by name."""
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))
        object.__setattr__(self, "deviations", checked_metrics(self.deviations))
        if not self.metrics:
            raise MeasurementError("a measurement needs at least one metric, got none")
        snapshots = {
            _checked_snapshot_fraction(s): checked_metrics(m) for s, m in self.snapshots.items()
        }
        object.__setattr__(self, "snapshots", dict(sorted(snapshots.items())))
        if negative := [k for k, v in self.deviations.items() if v < 0]:
            wrong = self.deviations[negative[0]]
            raise MeasurementError(
                f"the deviation of {negative[0]!r} is {wrong:g}; expected 0 or more"
            )


@dataclass(frozen=True)
class Failure:
    """A trial that gave no result, with what it cost all the same."""

    reason: str
    metrics: Metrics = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse metrics that are not finite numbers, by name."""
        object.__setattr__(self, "reason", str(self.reason))
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))


class Preempted(Failure):
    """The machine was taken away: the trial runs again, and its config is not to blame."""


class Flaky(Preempted):
    """The attempt failed, but the trial runs again: a failure counts only when it repeats."""


class Cancelled(Failure):
    """A person stopped the trial: it does not run again, and its config is not to blame."""


class Unaffordable(Cancelled):
    """What is left of the budget does not pay for the trial: another is asked for instead."""


class TimedOut(Failure):
    """The trial reached a limit of time or money: its metrics are lower bounds of the full ones."""


HOPELESS = "hopeless"
"""How the reason begins with which a strategy gives a trial up: it may run again, for longer."""

OUTCLASSED = "outclassed"
"""How the reason begins with which a trial is stopped that cannot become the answer any more."""


Outcome: TypeAlias = Measurement | Failure

# What extends another kind comes before it: the first that fits names an outcome.
_FAILURES: dict[str, type[Failure]] = {
    "flaky": Flaky,
    "preempted": Preempted,
    "unaffordable": Unaffordable,
    "cancelled": Cancelled,
    "timed out": TimedOut,
    "failure": Failure,
}


def outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data, for stores, files and messages alike."""
    if isinstance(outcome, Measurement):
        return {
            "kind": "measurement",
            "metrics": outcome.metrics,
            "snapshots": {repr(s): metrics for s, metrics in outcome.snapshots.items()},
            "deviations": outcome.deviations,
        }
    kind = next(k for k, failure in _FAILURES.items() if isinstance(outcome, failure))
    return {"kind": kind, "reason": outcome.reason, "metrics": outcome.metrics}


def outcome_from_json(data: Any) -> Outcome:
    """The outcome that `outcome_as_json` described; anything else is a MeasurementError."""
    try:
        if data["kind"] == "measurement":
            snapshots = {float(s): metrics for s, metrics in data["snapshots"].items()}
            return Measurement(data["metrics"], snapshots, data["deviations"])
        return _FAILURES[data["kind"]](data["reason"], data["metrics"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MeasurementError(f"expected an outcome as JSON, got {data!r}") from error


@dataclass(frozen=True, repr=False)
class Trial:
    """One config at one fraction, with its state and what it measured.

    Attributes:
        number: Its place in the history, from 0.
        config: The value of each parameter.
        fraction: The share of the training data, in (0, 1].
        snapshots: Smaller fractions that the strategy would like reported on the way.
        state: Where it stands.
        outcome: What was told, if anything was.
        lost: What attempts have spent that were preempted, killed or repeated.
        retried: How many attempts failed and were repeated.
        reported: Snapshots by fraction that it told while it ran.
        enqueued: Whether a person asked for it.
        asked_at: When it was last given out, in seconds since the epoch.
        told_at: When its outcome was told.
    """

    number: int
    config: Config
    fraction: float = 1.0
    snapshots: tuple[float, ...] = ()
    state: TrialState = TrialState.RUNNING
    outcome: Outcome | None = None
    lost: Metrics = field(default_factory=dict)
    retried: int = 0
    reported: dict[float, Metrics] = field(default_factory=dict)
    enqueued: bool = False
    asked_at: float | None = field(default=None, compare=False)
    told_at: float | None = field(default=None, compare=False)

    @property
    def metrics(self) -> Metrics:
        """The metrics that were told, empty before that."""
        return self.outcome.metrics if self.outcome is not None else {}

    def __repr__(self) -> str:
        """Short, for people."""
        part = "" if self.fraction == 1 else f" on {share_of_data(self.fraction)} of the data"
        result = ", ".join(f"{name} {text}" for name, text in _shown(self.metrics).items())
        if isinstance(self.outcome, Failure):
            result = headline(self.outcome.reason)
        told = f"{self.state}{f': {result}' if result else ''}"
        return f"Trial({self.number}: {one_line(self.config)}{part}; {told})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        return History([self])._repr_html_()

    @property
    def given_up(self) -> bool:
        """Whether its strategy stopped it, so that it may run again for longer."""
        return isinstance(self.outcome, TimedOut) and self.outcome.reason.startswith(HOPELESS)

    @property
    def measurement(self) -> Measurement | None:
        """The measurement of a complete trial."""
        return self.outcome if isinstance(self.outcome, Measurement) else None

    @property
    def spent(self) -> Metrics:
        """Cost and time booked for this trial, over all its attempts."""
        return {
            name: self.lost.get(name, 0.0) + self.metrics.get(name, 0.0)
            for name in BOOKED
            if name in self.lost or name in self.metrics
        }

    def told(self, outcome: Outcome, at: float | None = None) -> "Trial":
        """This trial with its outcome."""
        if isinstance(outcome, Preempted):
            lost = {k: self.lost.get(k, 0.0) + outcome.metrics.get(k, 0.0) for k in BOOKED}
            return replace(
                self,
                state=TrialState.PREEMPTED,
                lost={k: v for k, v in lost.items() if v},
                retried=self.retried + isinstance(outcome, Flaky),
            )
        state = TrialState.COMPLETE if isinstance(outcome, Measurement) else TrialState.FAILED
        if isinstance(outcome, Cancelled):
            state = TrialState.CANCELLED
        return replace(self, state=state, outcome=self.with_reports(outcome), told_at=at)

    def with_reports(self, outcome: Outcome) -> Outcome:
        """A measurement with the snapshots that were reported before, where it has none there."""
        if not isinstance(outcome, Measurement) or not self.reported:
            return outcome
        return replace(outcome, snapshots={**self.reported, **outcome.snapshots})


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
        last = self._trials[-_SHOWN:]
        names = list(dict.fromkeys(name for t in last for name in t.config))
        metrics = list(dict.fromkeys(name for t in last for name in t.metrics))
        head = ["trial", "state", "data", *names, *metrics]
        rows = [
            [str(t.number), t.state.value, share_of_data(t.fraction)]
            + [shown(t.config[name]) if name in t.config else "" for name in names]
            + [_shown(t.metrics).get(name, "") for name in metrics]
            for t in last
        ]
        earlier = len(self) - len(last)
        title = repr(self) if len(self) != 1 else f"Trial {self[0].number}"
        return card(title, {"earlier trials": str(earlier) if earlier else ""}, head, rows)

    def of(self, *states: TrialState) -> "History":
        """The trials in one of the states."""
        return History(t for t in self._trials if t.state in states)

    @property
    def complete(self) -> "History":
        """Trials with a measurement."""
        return self.of(TrialState.COMPLETE)

    @property
    def failed(self) -> "History":
        """Trials whose config failed."""
        return self.of(TrialState.FAILED)

    @property
    def pending(self) -> "History":
        """Trials whose measurement may still come."""
        return History(t for t in self._trials if t.state.pending)

    @property
    def spent(self) -> Metrics:
        """Cost and time booked over all trials, failed, preempted and cancelled ones too."""
        return {name: math.fsum(t.spent.get(name, 0.0) for t in self._trials) for name in BOOKED}

    def best(self, problem: Problem) -> Trial | None:
        """The best feasible complete trial that could be deployed as it is."""
        sign = 1 if problem.maximize else -1
        return max(
            self._deployable(problem),
            key=lambda t: sign * t.metrics[problem.objective],
            default=None,
        )

    def front(self, problem: Problem) -> "list[Trial]":
        """The Pareto front: deployable trials that no other one dominates, best objective first.

        Of trials with the same values of all objectives, the earliest.
        """
        found: list[Trial] = []
        seen: set[tuple[float, ...]] = set()
        deployable = self._deployable(problem)
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

    def _deployable(self, problem: Problem) -> "list[Trial]":
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
            np.array([t.metrics[metric] for t in told], dtype=float),
            np.full(len(told), math.nan),
        )

    def observations(self, metric: str, snapshots: bool = True) -> Observations:
        """All values of one metric, in trial order, snapshots before their trial's own value."""
        rows: list[tuple[Config, float, float, float]] = []
        for trial in self._trials:
            rows += _rows(trial, metric, snapshots)
        columns = np.array([row[1:] for row in rows], dtype=float).reshape(-1, 3)
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


def completed(problem: Problem, config: Config, outcome: Outcome) -> Outcome:
    """The outcome with the cost filled in from price and time, and nothing needed missing."""
    metrics = problem.priced(config, outcome.metrics)
    for name in BOOKED:
        _refuse_impossible(problem, name, metrics.get(name, 0.0))
    if not isinstance(outcome, Measurement):
        return type(outcome)(outcome.reason, metrics)
    for name, value in metrics.items():
        _refuse_impossible(problem, name, value)
    if missing := [m for m in problem.needed if m not in metrics]:
        raise MeasurementError(
            f"the measurement has no {missing[0]!r}, which the problem needs; it has:"
            f" {', '.join(sorted(metrics)) or 'nothing'}"
        )
    if unknown := [m for m in outcome.deviations if m not in metrics]:
        raise MeasurementError(
            f"there is a deviation of {unknown[0]!r}, which was not measured"
            f"{nearest(unknown[0], sorted(metrics))}"
        )
    snapshots = {s: problem.priced(config, m) for s, m in outcome.snapshots.items()}
    for fraction, passed in snapshots.items():
        _refuse_useless(problem, fraction, passed)
    return Measurement(metrics, snapshots, outcome.deviations)


def checked_report(problem: Problem, trial: Trial, fraction: float, metrics: Metrics) -> Metrics:
    """The metrics of a snapshot that a running trial told, priced; what can be none is refused."""
    if not 0 < fraction < trial.fraction:
        raise MeasurementError(
            f"trial {trial.number} runs at fraction {trial.fraction:g} and cannot have a snapshot"
            f" at {fraction:g}"
        )
    priced = problem.priced(trial.config, checked_metrics(metrics))
    for name, value in priced.items():
        _refuse_impossible(problem, name, value)
    _refuse_useless(problem, fraction, priced)
    return priced


def _refuse_useless(problem: Problem, fraction: float, metrics: Metrics) -> None:
    """A snapshot with nothing that the problem needs has mostly a misspelt name.

    What was spent until then is of use by itself.
    """
    others = [name for name in metrics if name not in BOOKED]
    if any(name in problem.needed for name in metrics) or (metrics and not others):
        return
    has = ", ".join(map(repr, others)) or "no metric"
    raise MeasurementError(
        f"the snapshot at fraction {fraction:g} has {has}, and nothing that the problem needs"
        f"{nearest(others[0] if others else '', problem.needed)}"
    )


def _refuse_impossible(problem: Problem, name: str, value: float) -> None:
    """A share lies in [0, 1], and nothing costs or takes less than nothing."""
    kind = problem.metrics[name].kind if name in problem.metrics else "real"
    if kind == "share" and not 0 <= value <= 1:
        percent = f"; a percentage is told as {value / 100:g}" if 1 < value <= 100 else ""
        raise MeasurementError(f"{name} is {value:g}; it lies between 0 and 1{percent}")
    if kind == "positive" and value < 0:
        raise MeasurementError(f"{name} is {value:g}; expected 0 or more")


def checked_metrics(metrics: Mapping[str, Any]) -> Metrics:
    """The metrics as plain floats; what is not a finite number is refused by name."""
    if not isinstance(metrics, Mapping):
        raise MeasurementError(f"expected metrics as a mapping of name to number, got {metrics!r}")
    return {str(name): _finite(name, value) for name, value in metrics.items()}


def _finite(name: object, value: Any) -> float:
    number = getattr(value, "item", lambda: value)() if np.ndim(value) == 0 else value
    if isinstance(number, bool) or not isinstance(number, Real):
        raise MeasurementError(f"metric {name!r} is {value!r}; expected a number")
    if not math.isfinite(number):
        raise MeasurementError(
            f"metric {name!r} is {float(number)}; expected a finite number"
            " (a training that diverged has failed: it has no measurement)"
        )
    return float(number)


def _checked_snapshot_fraction(fraction: Any) -> float:
    if isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0 < float(fraction) < 1:
        raise MeasurementError(
            f"snapshot at fraction {fraction!r}; expected a number above 0 and below 1"
        )
    return float(fraction)
