"""Studies and trials as rows of the tables, and back."""

from typing import Any

from sqlalchemy import Row

from tunewise.history import (
    Cancelled,
    Failure,
    Measurement,
    Outcome,
    TimedOut,
    Trial,
    TrialState,
)
from tunewise.storage.codec import plain
from tunewise.storage.slot import Slot
from tunewise.study.owner import Owner
from tunewise.study.store import StudyRecord


def study_values(record: StudyRecord) -> dict[str, Any]:
    """The columns of a new study, but for when it was created."""
    return {
        "name": record.name,
        "problem": plain(record.problem, "problem"),
        "strategy": plain(record.strategy, "strategy"),
        "seed": str(int(record.seed)),
        "notes": plain(record.notes, "notes"),
    }


def record_of(row: Row[Any]) -> StudyRecord:
    """The study of a row."""
    return StudyRecord(
        row.name, row.problem, row.strategy, int(row.seed), row.notes, created_at=row.created_at
    )


def trial_values(slot: Slot) -> dict[str, Any]:
    """The columns of a new trial, but for its study's."""
    trial = slot.trial
    return {
        "number": trial.number,
        "config": plain(trial.config, "config"),
        "fraction": float(trial.fraction),
        "snapshots": [float(fraction) for fraction in trial.snapshots],
        "enqueued": trial.enqueued,
        **changing_values(slot),
    }


def changing_values(slot: Slot) -> dict[str, Any]:
    """The columns that may change after a trial was added."""
    trial = slot.trial
    return {
        "state": trial.state.value,
        "outcome": _outcome_values(trial.outcome),
        "lost": trial.lost,
        "retried": trial.retried,
        "reported": [[fraction, found] for fraction, found in trial.reported.items()] or None,
        "asked_at": trial.asked_at,
        "told_at": trial.told_at,
        "owner": None if slot.owner is None else str(slot.owner),
        "lease_until": None if slot.owner is None else slot.until,
        "stop": slot.stop,
        "ran": slot.ran,
        "booked": slot.booked or None,
    }


def slot_of(row: Row[Any]) -> Slot:
    """The trial of a row, and who works on it."""
    owner = None if row.owner is None else Owner.parse(row.owner)
    return Slot(trial_of(row), owner, row.lease_until or 0.0, row.stop, row.ran, row.booked or {})


def trial_of(row: Row[Any]) -> Trial:
    """The trial of a row."""
    state = TrialState(row.state)
    return Trial(
        number=row.number,
        config=row.config,
        fraction=row.fraction,
        snapshots=tuple(row.snapshots),
        state=state,
        outcome=None if row.outcome is None else _outcome_of(row.outcome, state),
        lost=row.lost,
        retried=row.retried,
        reported={fraction: found for fraction, found in row.reported or ()},
        enqueued=row.enqueued,
        asked_at=row.asked_at,
        told_at=row.told_at,
    )


def _outcome_values(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    if isinstance(outcome, Failure):
        values = {"reason": outcome.reason, "metrics": outcome.metrics}
        return {**values, "timed_out": True} if isinstance(outcome, TimedOut) else values
    return {
        "metrics": outcome.metrics,
        "snapshots": [[fraction, found] for fraction, found in outcome.snapshots.items()],
        "deviations": outcome.deviations,
    }


def _outcome_of(values: dict[str, Any], state: TrialState) -> Outcome:
    if "reason" in values:
        return _failure_kind(values, state)(values["reason"], values["metrics"])
    return Measurement(
        values["metrics"],
        snapshots={fraction: found for fraction, found in values["snapshots"]},
        deviations=values["deviations"],
    )


def _failure_kind(values: dict[str, Any], state: TrialState) -> type[Failure]:
    if state is TrialState.CANCELLED:
        return Cancelled
    return TimedOut if values.get("timed_out") else Failure
