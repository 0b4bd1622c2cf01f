"""Studies and trials as rows of the tables, and back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Row

from tunewise.errors import StorageError, TunewiseError
from tunewise.history import (
    Outcome,
    Trial,
    TrialState,
    checked_metrics,
    outcome_as_json,
    outcome_from_json,
)
from tunewise.storage.codec import plain
from tunewise.study.owner import Owner
from tunewise.study.slots.slot import Slot
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
    """The study of a row; a row that no Tunewise wrote is refused."""
    with _soundness(row, f"study {row.name!r}", _STUDY):
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
        "outcome": None if trial.outcome is None else outcome_as_json(trial.outcome),
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
        "held": slot.held,
        "usd": trial.spent.get("cost", 0.0),
        "seconds": trial.spent.get("time", 0.0),
    }


def slot_of(row: Row[Any]) -> Slot:
    """The trial of a row, and who works on it."""
    with _soundness(row, f"trial {row.number}", _SLOT):
        owner = None if row.owner is None else Owner.parse(row.owner)
        return Slot(
            trial_of(row),
            owner,
            row.lease_until or 0.0,
            bool(row.stop),
            row.ran,
            row.booked or {},
            row.held,
        )


def trial_of(row: Row[Any]) -> Trial:
    """The trial of a row; a row that no Tunewise wrote is refused."""
    with _soundness(row, f"trial {row.number}", _TRIAL):
        state = TrialState(row.state)
        return Trial(
            number=row.number,
            config=row.config,
            fraction=row.fraction,
            snapshots=tuple(float(fraction) for fraction in row.snapshots),
            state=state,
            outcome=None if row.outcome is None else _outcome_of(row.outcome, state),
            lost=checked_metrics(row.lost),
            retried=row.retried,
            reported={float(s): checked_metrics(found) for s, found in row.reported or ()},
            enqueued=row.enqueued,
            asked_at=row.asked_at,
            told_at=row.told_at,
        )


_LATEST = 1e11
"""Seconds since the epoch: some thousand years from now."""
_NUMBER = (int, float)
_STUDY: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "problem": dict,
    "strategy": dict,
    "seed": str,
    "notes": dict,
    "created_at": _NUMBER,
}
_TRIAL: dict[str, type | tuple[type, ...]] = {
    "number": int,
    "config": dict,
    "fraction": _NUMBER,
    "snapshots": list,
    "lost": dict,
    "outcome": (dict, type(None)),
    "asked_at": (*_NUMBER, type(None)),
    "told_at": (*_NUMBER, type(None)),
    "retried": int,
    "reported": (list, type(None)),
}
_SLOT: dict[str, type | tuple[type, ...]] = {
    "owner": (str, type(None)),
    "lease_until": (*_NUMBER, type(None)),
    "ran": _NUMBER,
    "booked": (dict, type(None)),
    "held": (*_NUMBER, type(None)),
}
"""What the columns hold in a row that Tunewise wrote."""


@contextmanager
def _soundness(
    row: Row[Any], what: str, kinds: Mapping[str, type | tuple[type, ...]]
) -> Iterator[None]:
    """Errors inside, and values of another kind, are damages of the row."""
    for column, kind in kinds.items():
        found: Any = getattr(row, column)
        sound = isinstance(found, kind)
        if sound and column.endswith("_at") and found is not None:
            sound = 0 <= found < _LATEST
        if not sound:
            raise StorageError(f"the store is damaged: the {column} of {what} is {found!r:.60}")
    try:
        yield
    except (TunewiseError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"the store is damaged: {what} is not understood: {error}") from error


def _outcome_of(values: dict[str, Any], state: TrialState) -> Outcome:
    return outcome_from_json(values if "kind" in values else _with_kind(values, state))


def _with_kind(values: dict[str, Any], state: TrialState) -> dict[str, Any]:
    """An outcome as stores kept it before it said its kind."""
    if "reason" not in values:
        snapshots = {repr(float(fraction)): found for fraction, found in values["snapshots"]}
        return {**values, "kind": "measurement", "snapshots": snapshots}
    if state is TrialState.CANCELLED:
        return {**values, "kind": "cancelled"}
    return {**values, "kind": "timed out" if values.get("timed_out") else "failure"}
