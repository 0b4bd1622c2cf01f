"""One study or one training as a store of its own: a file to take elsewhere."""

from pathlib import Path

from sqlalchemy import URL, Connection, Table, insert, select

from tunewise.errors import StudyError
from tunewise.storage.database import Database
from tunewise.storage.schema import run_events, runs, studies, trials

_AT_ONCE = 500
"""Rows of one statement."""

_KINDS = {"study": (studies, trials, "study_id"), "training": (runs, run_events, "run_id")}


def copy_one(database: Database, namespace: str, kind: str, name: str, file: Path) -> None:
    """Write a study or a training with all that belongs to it into a new SQLite file."""
    table, parts, key = _KINDS[kind]
    copy = Database(URL.create("sqlite", database=str(file)))

    def work(connection: Connection) -> None:
        here = (table.c.namespace == namespace) & (table.c.name == name)
        row = connection.execute(select(table).where(here)).one_or_none()
        if row is None:
            raise StudyError(f"there is no {kind} {name!r}")
        _add(copy, table, [{**row._mapping, "namespace": ""}])
        own = select(parts).where(parts.c[key] == row.id)
        found = connection.execution_options(yield_per=_AT_ONCE).execute(own)
        for some in found.mappings().partitions(_AT_ONCE):
            _add(copy, parts, [dict(each) for each in some])

    try:
        database.read(work)
    finally:
        copy.close()


def _add(copy: Database, table: Table, rows: list[dict[str, object]]) -> None:
    copy.write(lambda connection: connection.execute(insert(table), rows))
