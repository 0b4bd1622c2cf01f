"""How often things have changed: whoever shows one asks again when its number is another."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from tunewise.storage.database import Database
from tunewise.storage.schema import run_events, runs, studies, task_models, tasks

MOST = 40
"""Topics that may be asked about at once."""


def revisions(database: Database, namespace: str, topics: Sequence[str]) -> dict[str, int]:
    """The revision of each topic of a namespace; -1 for what is not there.

    A topic is "study:NAME", "training:NAME" or "task:NAME", or all of them: "studies",
    "trainings", "tasks". Unknown words are left out.
    """

    def work(connection: Connection) -> dict[str, int]:
        found = {}
        for topic in topics[:MOST]:
            kind, _, name = topic.partition(":")
            ask = (_ONE if name else _ALL).get(kind)
            if ask is not None:
                told = connection.execute(ask(namespace, name)).scalar()
                found[topic] = -1 if told is None else int(told)
        return found

    return database.read(work)


def _own(table: Table, namespace: str, name: str = "") -> Any:
    here = table.c.namespace == namespace
    return here & (table.c.name == name) if name else here


def _study(namespace: str, name: str) -> Select[Any]:
    return select(studies.c.revision).where(_own(studies, namespace, name))


def _studies(namespace: str, _: str) -> Select[Any]:
    # A change raises a revision, a new study the last number; one that is gone lowers the count.
    counted = func.sum(studies.c.revision) + func.max(studies.c.id) + func.count()
    return select(counted).where(_own(studies, namespace))


def _runs(namespace: str, name: str) -> Select[Any]:
    told = func.count(run_events.c.number) + func.coalesce(func.sum(run_events.c.number), 0)
    joined = runs.outerjoin(run_events, run_events.c.run_id == runs.c.id)
    here = _own(runs, namespace, name)
    # Without a training there is nothing to add up, and the sum is of no row.
    return select(told + func.max(runs.c.id)).select_from(joined).where(here)


def _tasks(namespace: str, name: str) -> Select[Any]:
    trained = select(func.count()).select_from(task_models)
    trained = trained.where(task_models.c.task_id == tasks.c.id).correlate(tasks)
    told = func.sum(tasks.c.version + trained.scalar_subquery()) + func.max(tasks.c.id)
    return select(told).where(_own(tasks, namespace, name))


_ONE: dict[str, Callable[[str, str], Select[Any]]] = {
    "study": _study,
    "training": _runs,
    "task": _tasks,
}
_ALL: dict[str, Callable[[str, str], Select[Any]]] = {
    "studies": _studies,
    "trainings": _runs,
    "tasks": _tasks,
}
