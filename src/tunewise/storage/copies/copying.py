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
        last = -1
        while True:  # no cursor: those of PostgreSQL want a transaction
            own = (parts.c[key] == row.id) & (parts.c.number > last)
            page = select(parts).where(own).order_by(parts.c.number).limit(_AT_ONCE)
            some = [dict(each) for each in connection.execute(page).mappings()]
            if not some:
                return
            _add(copy, parts, some)
            last = some[-1]["number"]

    try:
        database.read(work)
    finally:
        copy.close()


def _add(copy: Database, table: Table, rows: list[dict[str, object]]) -> None:
    copy.write(lambda connection: connection.execute(insert(table), rows))
