"""What is told of a trial, checked against its problem and completed by its price."""

from collections.abc import Mapping
from typing import Any

from tunewise.errors import MeasurementError, WrongForm, nearest
from tunewise.history.bounds import fewer_metrics, fewer_snapshots
from tunewise.history.outcome import LARGEST, Failure, Measurement, Outcome, checked_metrics
from tunewise.history.trial import BOOKED, RESUMED, Trial
from tunewise.problem import Metrics, Problem
from tunewise.space import Config


def completed(problem: Problem, config: Config, outcome: Outcome) -> Outcome:
    """The outcome with the cost filled in from price and time, and nothing needed missing."""
    metrics = _kept(problem, problem.priced(config, outcome.metrics))
    for name in BOOKED:
        _refuse_impossible(problem, name, metrics.get(name, 0.0))
    _refuse_more_than_all(metrics)
    if not isinstance(outcome, Measurement):
        return type(outcome)(outcome.reason, metrics)
    _refuse_needed_texts(problem, outcome)
    for name, value in metrics.items():
        _refuse_impossible(problem, name, value)
    if missing := [m for m in problem.needed if m not in metrics]:
        raise WrongForm(
            f"the measurement has no {missing[0]!r}, which the problem needs; it has:"
            f" {', '.join(sorted(metrics)) or 'nothing'}"
        )
    if unknown := [m for m in outcome.deviations if m not in (outcome.metrics | metrics)]:
        raise MeasurementError(
            f"there is a deviation of {unknown[0]!r}, which was not measured"
            f"{nearest(unknown[0], sorted(metrics))}"
        )
    for name, deviation in outcome.deviations.items():
        _refuse_huge(problem, name, deviation, "the deviation of ")
    kept = fewer_snapshots(outcome.snapshots, problem.fractions)
    snapshots = {s: _kept(problem, problem.priced(config, m)) for s, m in kept.items()}
    for fraction, passed in snapshots.items():
        _refuse_useless(problem, fraction, passed)
        for name, value in passed.items():
            _refuse_huge(problem, name, value)
    deviations = {k: v for k, v in outcome.deviations.items() if k in metrics}
    return Measurement(metrics, snapshots, deviations, overran=outcome.overran)


def _kept(problem: Problem, metrics: Metrics) -> Metrics:
    return fewer_metrics(metrics, (*problem.needed, *BOOKED, RESUMED))


def _refuse_needed_texts(problem: Problem, outcome: Measurement) -> None:
    """What is no number is ignored only where nobody needs it."""
    for name, told in outcome.ignored.items():
        if name in (*problem.needed, *BOOKED, RESUMED):
            raise WrongForm(f"metric {name!r} is {told}; expected a number")


def _refuse_more_than_all(metrics: Metrics) -> None:
    """What was resumed is a part of the time."""
    resumed, time = metrics.get(RESUMED, 0.0), metrics.get("time", 0.0)
    if not 0 <= resumed <= time:
        raise MeasurementError(
            f"{RESUMED} is {resumed:g}; expected seconds out of the time, which is {time:g}"
        )


def checked_report(problem: Problem, trial: Trial, fraction: float, metrics: Metrics) -> Metrics:
    """The metrics of a snapshot that a running trial told, priced; what can be none is refused."""
    if not 0 < fraction < trial.fraction:
        raise MeasurementError(
            f"trial {trial.number} runs at fraction {trial.fraction:g} and cannot have a snapshot"
            f" at {fraction:g}"
        )
    priced = _kept(problem, problem.priced(trial.config, checked_metrics(metrics)))
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
        raise WrongForm(f"{name} is {value:g}; it lies between 0 and 1{percent}")
    if kind == "positive" and value < 0:
        raise MeasurementError(f"{name} is {value:g}; expected 0 or more")
    _refuse_huge(problem, name, value)


def _refuse_huge(problem: Problem, name: str, value: float, of: str = "") -> None:
    """Refuse what nothing can be learned from, of a metric that is learned."""
    if abs(value) > LARGEST and (name in problem.needed or name in BOOKED):
        raise MeasurementError(
            f"{of}{name} is {value:g}; expected a number between {-LARGEST:g} and {LARGEST:g}: tell"
            " it in a larger unit, or tell a Failure where the training diverged"
        )


def as_outcome(outcome: Any) -> Outcome:
    """What was told, as an outcome; metrics alone are a measurement."""
    if isinstance(outcome, Measurement | Failure):
        return outcome
    if isinstance(outcome, Mapping):
        return Measurement.of(outcome)
    raise MeasurementError(
        f"told {outcome!r}; expected metrics such as {{'accuracy': 0.9}}, a Measurement or a"
        " Failure"
    )


def refuse_larger_snapshots(trial: Trial, measurement: Measurement) -> None:
    """Refuse snapshots at fractions that the trial does not pass."""
    if larger := [s for s in measurement.snapshots if s >= trial.fraction]:
        raise MeasurementError(
            f"trial {trial.number} runs at fraction {trial.fraction:g} and cannot have a snapshot"
            f" at {larger[0]:g}"
        )
