"""What has been measured: trials, their measurements and snapshots, in order.

Everything here is frozen and checked when it is built, so a `History` that exists is sound.
"""

from tunewise.history.completion import checked_report, completed
from tunewise.history.history import History, Observations
from tunewise.history.outcome import (
    ITSELF,
    LARGEST,
    OUTCLASSED,
    PRUNED,
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Misused,
    Outcome,
    Preempted,
    TimedOut,
    Unaffordable,
    alike,
    checked_metrics,
    numbers_of,
    outcome_as_json,
    outcome_from_json,
)
from tunewise.history.trial import BOOKED, RESUMED, Trial, TrialState

__all__ = [
    "BOOKED",
    "Cancelled",
    "Failure",
    "Flaky",
    "History",
    "ITSELF",
    "LARGEST",
    "Measurement",
    "Misused",
    "OUTCLASSED",
    "Observations",
    "Outcome",
    "PRUNED",
    "Preempted",
    "RESUMED",
    "TimedOut",
    "Trial",
    "TrialState",
    "Unaffordable",
    "alike",
    "checked_metrics",
    "checked_report",
    "completed",
    "numbers_of",
    "outcome_as_json",
    "outcome_from_json",
]
