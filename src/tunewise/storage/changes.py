"""What changed lately, of whatever kind: one view over studies, trainings and tasks."""

from dataclasses import dataclass

from sqlalchemy import Connection, literal, select, union_all

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
