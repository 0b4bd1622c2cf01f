"""What is booked for a trial that did not tell it, or told what cannot be."""

import math
from dataclasses import replace

from tunewise.errors import MeasurementError, WrongJob
from tunewise.history import (
    BOOKED,
    LARGEST,
    RESUMED,
    Failure,
    History,
    Measurement,
    Misused,
    Outcome,
    Trial,
)
from tunewise.problem import Problem
from tunewise.space import Config


def booked_at_least(outcome: Outcome, error: MeasurementError, seconds: float) -> Failure:
    """A failure in place of an outcome that was refused, booked by the clock if it told nonsense.

    A preempted or cancelled trial stays one.
    """
    kind = Misused if isinstance(error, WrongJob) else Failure
    kind = type(outcome) if isinstance(outcome, Failure) else kind
    reason = f"{outcome.reason} ({error})" if isinstance(outcome, Failure) else str(error)
    told = {k: v for k, v in outcome.metrics.items() if k in BOOKED and 0 <= v <= LARGEST}
    return kind(reason, {"time": max(seconds, 0.0), **told})


def by_the_clock(
    problem: Problem, outcome: Outcome, seconds: float, config: Config | None = None
) -> Outcome:
    """The outcome of a trial that ran but says it took no time, with the clock's.

    What runs costs money: a job that never took any time would never spend its budget. Nor is a
    cost believed that is below the price of the time that the job ran. A time that it tells is:
    its start may not be part of the training.
    """
    told = outcome.metrics
    if config is not None and problem.price is not None and told.get("cost", -1.0) >= 0:
        least = problem.priced(config, {"time": max(seconds, 0.0)})["cost"]
        if told["cost"] < least:
            return replace(outcome, metrics={**told, "cost": least})
    ended = isinstance(outcome, Measurement) or type(outcome) is Failure
    if problem.price is None or not ended or "cost" in told or told.get("time") != 0:
        return outcome
    return replace(outcome, metrics={**told, "time": max(seconds, 0.0)})


def paid_once(history: History, trial: Trial, outcome: Outcome) -> tuple[Outcome, str | None]:
    """The outcome, with no more resumed than was booked before it; and what to say of that.

    Attempts at the same config and fraction count. Else a job would be free by its own word, or
    run up a bill for what nobody has trained. What can be no part of the time that the job tells
    is left, to be refused.
    """
    told, resumed = outcome.metrics, outcome.metrics.get(RESUMED, 0.0)
    if resumed <= 0:
        return outcome, None
    alike = [t for t in history if t.fraction == trial.fraction and t.config == trial.config]
    paid = math.fsum(t.spent.get("time", 0.0) for t in alike)
    clocked = outcome.clocked if isinstance(outcome, Measurement) else None
    if resumed <= paid or (clocked is None and resumed > told.get("time", 0.0)):
        return outcome, None
    changed = {RESUMED: paid} if clocked is None else {RESUMED: paid, "time": clocked + paid}
    said = f"{RESUMED} is {resumed:g}, but earlier attempts have booked {paid:g} s: no more counts"
    return replace(outcome, metrics={**told, **changed}), said


def with_estimated_cost(problem: Problem, history: History, outcome: Outcome) -> Outcome:
    """A failure with its cost judged by its time, where there is a budget but no price.

    The dearest second of any trial is taken: a budget that is kept so is kept in truth.
    """
    told = outcome.metrics
    if problem.budget is None or problem.price is not None or not isinstance(outcome, Failure):
        return outcome
    if "cost" in told or not told.get("time"):
        return outcome
    rate = dearest_second(history)
    return replace(outcome, metrics={**told, "cost": rate * told["time"]}) if rate else outcome


def dearest_second(history: History) -> float | None:
    """USD per second of the trial that was the dearest by its time; None while none told both."""
    rates = [
        t.metrics["cost"] / t.metrics["time"]
        for t in history
        if t.metrics.get("time", 0.0) > 0 and t.metrics.get("cost", 0.0) > 0
    ]
    return max(rates, default=None)


def dearest_trial(history: History, fraction: float) -> float | None:
    """What a trial at the fraction costs at most, by the dearest one seen; None while none told it.

    Trials with less data are held to cost more in proportion to it. Only while there is none of
    them do those with more data count, as they are.
    """
    seen = [(t.fraction, t.metrics["cost"]) for t in history.complete if "cost" in t.metrics]
    smaller = [usd * fraction / s for s, usd in seen if s <= fraction]
    return max(smaller or [usd for _, usd in seen], default=None)
