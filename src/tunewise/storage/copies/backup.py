"""A store with its tasks' files in one file, made while others write, and brought back.

The tables are always kept as SQLite, whatever they came from: so a back-up of one kind of store may
be brought back into the other. Files are named after their content and written before the rows that
name them: whatever is in the tables, its file is there when files are copied after the tables.
"""

import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL, Connection, Table, func, insert, select

from tunewise.errors import StorageError
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url
from tunewise.storage.schema import metadata, schema
from tunewise.storage.tasks.opening import files_beside

TABLES, FILES = "store.db", "tasks"
_AT_ONCE = 1000
"""Rows of one statement."""


def back_up(url: str, target: Path) -> int:
    """Write a store into a file, whole or not at all: its bytes."""
    parsed = _checked(url)
    if target.exists():
        raise StorageError(f"{str(target)!r} is there already; expected a new file")
    passing = target.with_name(f".{target.name}.part")
    with tempfile.TemporaryDirectory(prefix="tunewise-", dir=target.absolute().parent) as folder:
        copy = Path(folder, TABLES)
        _copy_tables(parsed, copy)
        try:
            passing.unlink(missing_ok=True)
            passing.touch(0o600)  # it holds all that the store does
            with tarfile.open(passing, "w") as archive:
                archive.add(copy, TABLES)
                for file in _files(files_beside(url)):
                    archive.add(file, f"{FILES}/{file.relative_to(files_beside(url))}")
            with passing.open("rb") as written:
                os.fsync(written.fileno())
            passing.replace(target)
        finally:
            passing.unlink(missing_ok=True)
    return target.stat().st_size


def restore(file: Path, url: str) -> None:
    """Bring a back-up back into a store that is empty or not there yet."""
    parsed = _checked(url)
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        try:
            with tarfile.open(file) as archive:
                archive.extract(TABLES, folder, filter="data")
                source = Database(URL.create("sqlite", database=str(Path(folder, TABLES))))
                with closing(source), closing(Database(parsed)) as target:
                    _refuse_full(target)
                    _extract_files(archive, files_beside(url))
                    _put_tables(source, target)
        except (tarfile.TarError, KeyError, OSError) as error:
            raise StorageError(f"{str(file)!r} is no back-up ({error!s:.100})") from error


def _checked(url: str) -> URL:
    parsed = parsed_url(url)
    if parsed is None:
        raise StorageError("there is no store to back up; expected 'sqlite:///FILE.db' or a URL")
    return parsed


def _copy_tables(url: URL, copy: Path) -> None:
    if url.get_backend_name() == "sqlite":
        source = Path(url.database or "")
        if not source.is_file():
            raise StorageError(f"there is no store {source.name!r}")
        # Pages that change meanwhile are copied again, so the copy is of one moment.
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(copy)) as new:
            old.backup(new)
        return
    target = Database(URL.create("sqlite", database=str(copy)))
    with closing(target), closing(Database(url)) as database:
        database.read_at_one_moment(lambda connection: _pour(connection, target))


def _put_tables(source: Database, target: Database) -> None:
    source.read(lambda connection: _pour(connection, target))
    target.write(_set_counters)


def _pour(connection: Connection, target: Database) -> None:
    """Copy all rows, in one transaction of the target."""

    def work(into: Connection) -> None:
        for table in _tables():
            for rows in _portions(connection, table):
                into.execute(insert(table), rows)

    target.write(work)


def _portions(connection: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    found = connection.execution_options(yield_per=_AT_ONCE).execute(select(table)).mappings()
    for some in found.partitions(_AT_ONCE):
        yield [dict(row) for row in some]


def _tables() -> list[Table]:
    return [table for table in metadata.sorted_tables if table is not schema]


def _refuse_full(target: Database) -> None:
    def full(connection: Connection) -> str | None:
        for table in _tables():
            if connection.scalar(select(func.count()).select_from(table)):
                return table.name
        return None

    found = target.read(full)
    if found is not None:
        raise StorageError(f"the store {target.shown} holds rows of {found}; expected an empty one")


def _set_counters(connection: Connection) -> None:
    """Numbers go on after the largest that was brought back."""
    if connection.dialect.name != "postgresql":
        return  # SQLite sees to it by itself
    for table in _tables():
        if "id" in table.c:
            last = connection.scalar(select(func.max(table.c.id))) or 0
            place = func.pg_get_serial_sequence(table.name, "id")
            connection.execute(select(func.setval(place, max(last, 1), last > 0)))


def _files(folder: Path) -> Iterator[Path]:
    """Files that are whole: one that is being written begins with a dot."""
    yield from (
        file
        for file in sorted(folder.glob("*/*/*"))
        if file.is_file() and not file.name.startswith(".")
    )


def _extract_files(archive: tarfile.TarFile, folder: Path) -> None:
    for member in archive:
        if member.isfile() and member.name.startswith(f"{FILES}/"):
            member.name = member.name.removeprefix(f"{FILES}/")
            folder.mkdir(parents=True, exist_ok=True)
            archive.extract(member, folder, filter="data")
