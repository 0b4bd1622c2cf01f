"""Whether whoever asks for trials heeds the limits that they come with."""

from dataclasses import replace

from tunewise.history import HOPELESS, Measurement, Outcome, TimedOut

_LATE = 1.1
"""A trial that took so many times its limit was not stopped there: less may be a slow hand."""


def heeded(outcome: Outcome, limit: float | None) -> Outcome:
    """The outcome of a trial with this limit, and whether it was stopped there.

    One that was has been given up: it may run again, for longer. One that went on teaches that
    nobody stops trials.
    """
    seconds = outcome.metrics.get("time")
    if limit is None or seconds is None:
        return outcome
    if isinstance(outcome, Measurement):
        return replace(outcome, overran=seconds > _LATE * limit)
    if type(outcome) is TimedOut and seconds >= limit and not outcome.reason.startswith(HOPELESS):
        return replace(outcome, reason=f"{HOPELESS}: {outcome.reason}")
    return outcome
