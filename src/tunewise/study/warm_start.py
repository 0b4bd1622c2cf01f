"""Gathers what a new study learns from: other studies, by name or as histories."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from tunewise.errors import StudyError
from tunewise.history import History
from tunewise.history.prior import Prior
from tunewise.problem import Problem
from tunewise.study.record import Notes, StudyRecord
from tunewise.study.store import Store

WarmStart: TypeAlias = str | History | Iterable[str | History]
"""Names of studies in the same store, or histories of studies that are elsewhere."""

Sources: TypeAlias = dict[str, str | History]
"""The same by name; histories are numbered."""


def sources(warm_start: WarmStart) -> Sources:
    """The studies to learn from, by name."""
    single = isinstance(warm_start, str | History)
    listed = [warm_start] if single else _listed(warm_start)
    named: Sources = {}
    for place, source in enumerate(listed, 1):
        if not isinstance(source, str | History):
            raise StudyError(
                f"warm_start has {source!r}; expected the name of a study or its history"
            )
        named[source if isinstance(source, str) else f"history {place}"] = source
    return named


def gathered(store: Store, problem: Problem, study: str, wanted: Sources) -> dict[str, Any]:
    """What a new study's record keeps: what the others measured until now.

    Nothing for a study that exists: it has kept that already, and the others may be gone.

    Raises:
        StudyError: There is no such study, or nothing it measured can be used.
    """
    if not wanted or _exists(store, study):
        return {}
    if problem.discovers:
        raise StudyError(
            f"study {study!r} finds its space by its trainings and cannot learn from another before"
            " it has; give its Problem a Space"
        )
    histories = {name: _history(store, source) for name, source in wanted.items()}
    prior = Prior.of(problem, histories)
    return Notes(prior={"sources": list(wanted), **prior.describe()}).changed("prior")


def prior_of(record: StudyRecord) -> Prior:
    """What a study was given to learn from when it was created."""
    return Prior.from_description(record.noted.prior)


def refuse_other(record: StudyRecord, wanted: Sources) -> None:
    """A study that exists goes on with what it was given, or not at all."""
    given = (record.noted.prior or {}).get("sources", [])
    if wanted and sorted(wanted) != sorted(given):
        raise StudyError(
            f"study {record.name!r} exists with warm start from {given}, not {list(wanted)};"
            " choose another name, or delete it first"
        )


def _listed(warm_start: Any) -> list[Any]:
    if isinstance(warm_start, Iterable):
        return list(warm_start)
    hint = ""
    if type(warm_start).__module__.startswith("optuna."):
        hint = "; of an Optuna study: tunewise.integrations.optuna.history_of(study, 'loss')"
    raise StudyError(f"warm_start is {warm_start!r}; expected names of studies, or histories{hint}")


def _exists(store: Store, study: str) -> bool:
    try:
        store.load(study)
    except StudyError:
        return False
    return True


def _history(store: Store, source: str | History) -> History:
    if isinstance(source, History):
        return source
    store.load(source)  # refuses an unknown name with the nearest one
    return store.history(source)
