"""Whether whoever asks for trials heeds the limits that they come with."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tunewise.history import PRUNED, Measurement, Outcome, TimedOut, Trial
from tunewise.history.completion import as_outcome
from tunewise.study.run.limits import patience_of
from tunewise.study.run.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Study

_LATE = 1.1
"""A trial that took so many times its limit was not stopped there: less may be a slow hand."""


def heeded(outcome: Outcome, limit: float | None) -> Outcome:
    """The outcome of a trial with this limit, and whether it was stopped there.

    One that was has been pruned: it may run again, for longer. One that went on teaches that
    nobody stops trials.
    """
    seconds = outcome.metrics.get("time")
    if limit is None or seconds is None:
        return outcome
    if isinstance(outcome, Measurement):
        return replace(outcome, overran=seconds > _LATE * limit)
    if type(outcome) is TimedOut and seconds >= limit and not outcome.reason.startswith(PRUNED):
        return replace(outcome, reason=f"{PRUNED}: {outcome.reason}")
    return outcome


class Limits:
    """The limits of the trials that somebody has asked a study for."""

    def __init__(self) -> None:
        """No trial was asked for yet."""
        self._given: dict[int, float | None] = {}

    def given(self, study: "Study", trial: Trial, paid: float) -> Trial:
        """A trial that begins, with its limit; the money lasts for so many seconds."""
        with one_thread():
            limit = patience_of(study.strategy, study.history, trial)
        self._given[trial.number] = limit
        first = min(paid, math.inf if limit is None else limit)
        return replace(trial, limit=first if math.isfinite(first) else None)

    def heeded(self, trial: Trial, outcome: Outcome | Mapping[str, Any]) -> Outcome:
        """What is told of a trial, and whether its limit was heeded."""
        return heeded(as_outcome(outcome), self._given.get(trial.number))


def judged(study: "Study", trial: Trial, reports: Mapping[float, Mapping[str, Any]]) -> str | None:
    """Keep the reports of a running trial, and say why it is better stopped, if it is."""
    for fraction, metrics in sorted(reports.items()):
        study.report(trial, dict(metrics), fraction)
    history = study.history
    now = next(each for each in history if each.number == trial.number)
    with one_thread():
        return study.strategy.pruner.verdict(history, now)
