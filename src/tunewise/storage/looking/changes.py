"""What changed lately, of whatever kind: one view over studies, trainings and tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, literal, select, union_all

from tunewise.storage.database import Database
from tunewise.storage.schema import runs, studies, tasks

OVERLAP = 10.0
"""Seconds that are looked at again: a change may be seen so long after its time was noted."""

_KINDS = {"study": studies, "training": runs, "task": tasks}


@dataclass(frozen=True)
class Change:
    """Something that has changed.

    Attributes:
        namespace: Whose it is.
        kind: "study", "training" or "task".
        name: Of the study, training or task.
        revision: Of it, which rises with each change.
        at: When, by the database's time.
    """

    namespace: str
    kind: str
    name: str
    revision: int
    at: float


def changes(database: Database, since: float) -> list[Change]:
    """What has changed after a moment, and a little before it, oldest first."""
    parts = [
        select(
            table.c.namespace,
            literal(kind).label("kind"),
            table.c.name,
            table.c.revision,
            table.c.changed_at.label("at"),
        ).where(table.c.changed_at > since - OVERLAP)
        for kind, table in _KINDS.items()
    ]
    every = union_all(*parts).order_by("at")

    def work(connection: Connection) -> list[Change]:
        return [Change(*row) for row in connection.execute(every)]

    return database.read(work)


def of_list(at: float) -> int:
    """The revision of a list whose last change was then."""
    return int(at * 1000)


def revisions(
    database: Database, topics: Sequence[tuple[str, str]], lists: dict[str, str]
) -> dict[tuple[str, str], int]:
    """Where topics stand: `study:NAME` of a namespace, or one of the lists; 0 for what is gone."""
    kinds = {name: kind for kind, name in lists.items()}

    def look(connection: Connection, namespace: str, topic: str) -> int:
        kind, colon, name = topic.partition(":")
        table = _KINDS[kind if colon else kinds[topic]]
        if colon:
            own = (table.c.namespace == namespace) & (table.c.name == name)
            return int(connection.scalar(select(table.c.revision).where(own)) or 0)
        last = select(func.max(table.c.changed_at)).where(table.c.namespace == namespace)
        return of_list(connection.scalar(last) or 0.0)

    return database.read(lambda c: {topic: look(c, *topic) for topic in topics})


def now(database: Database) -> float:
    """The database's time."""
    clock = select(database.now())
    return database.read(lambda connection: float(connection.scalar(clock) or 0.0))
