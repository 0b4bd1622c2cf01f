"""What a storage has, a row for each study and for each training."""

from contextlib import suppress
from typing import Any

from tunewise.errors import StorageError, StudyError, TunewiseError, nearest
from tunewise.format.printable import pictured, printable
from tunewise.job.loading import problem_of
from tunewise.job.training.stored import head
from tunewise.online.record.stored import stored_course
from tunewise.study import Store, StudyRecord
from tunewise.study.presence import presences


def study_rows(store: Store) -> list[dict[str, Any]]:
    """The studies of a store, the newest first."""
    return [_study(store, record) for record in reversed(store.studies())]


def training_rows(store: Store) -> list[dict[str, Any]]:
    """The trainings of a store, the newest first; none where it keeps none."""
    return [_training(store, name) for name in training_names(store)]


def training_names(store: Store) -> list[str]:
    """The trainings of a store, the newest first; none where it keeps none."""
    try:
        return list(reversed(store.runs().names()))
    except StorageError:
        return []


def is_training(store: Store, name: str) -> bool:
    """Whether a name means a training: where one has it, and no study does.

    Raises:
        StudyError: Neither has it, in a store that has trainings; the sentence names what there is.
    """
    with suppress(StudyError):
        store.load(name)
        return False
    trainings = training_names(store)
    if trainings and name not in trainings:
        known = [*(each.name for each in store.studies()), *trainings]
        raise StudyError(f"there is no study or training {name!r}{nearest(name, known)}")
    return bool(trainings)


def as_listed(store: Store, name: str) -> str:
    """The name of what a list prints so: control characters are printed as pictures."""
    if not pictured(name):
        return name
    names = dict.fromkeys([*(r.name for r in store.studies()), *training_names(store)])
    meant = [] if name in names else [each for each in names if printable(each) == name]
    return meant[0] if len(meant) == 1 else name


def _study(store: Store, record: StudyRecord) -> dict[str, Any]:
    history = store.history(record.name)
    present = presences(store, record, history)
    row: dict[str, Any] = {
        "name": record.name,
        "created_at": record.created_at,
        "strategy": record.strategy.get("name"),
        "trials": len(history),
        "complete": len(history.complete),
        "failed": len(history.failed),
        "running": sum(len(each.trials) for each in present if each.alive),
        "spent": history.spent,
        "stopped": record.noted.stopped,
    }
    try:
        problem = problem_of(record)
    except TunewiseError as error:
        # One study that cannot be understood must not hide the others.
        return {**row, "objective": None, "best": None, "error": str(error)}
    best = history.best(problem)
    return {
        **row,
        "objective": problem.objective,
        "best": None if best is None else best.metrics[problem.objective],
    }


def _training(store: Store, name: str) -> dict[str, Any]:
    try:
        return head(name, stored_course(store.runs(), name))
    except TunewiseError as error:
        return {"name": name, "error": str(error)}
