"""What differs between the databases behind a SQL store."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Double,
    Engine,
    cast,
    create_engine,
    event,
    extract,
    func,
    literal,
)
from sqlalchemy.exc import InvalidatePoolError

from tunewise.storage.codec import restored

BUSY_SECONDS = 60
"""How long to wait for another process's write before giving up."""

CONNECT_SECONDS = 10
"""How long to wait for a server to answer."""

_TRUSTED = 1.0
"""Seconds for which a connection that has answered is taken to be there still."""

_OPENING = 7_881_231_174
"""The number of the lock under which a PostgreSQL store gets its tables."""


def clock_of(dialect: str) -> ColumnElement[float]:
    """The time by which all processes measure, as a SQL expression."""
    if dialect == "sqlite":
        return literal(time.time(), Double)
    return cast(extract("epoch", func.clock_timestamp()), Double)


@dataclass(frozen=True)
class Backend:
    """A database: connections for reading and for writing, its clock, its lock.

    Attributes:
        reader: Every statement stands for itself.
        writer: A transaction that is on the disk when it was committed.
        hasty: A transaction that others see at once, but that a power cut may undo.
        clock: The time by which leases of all processes are measured, as a SQL expression.
        lock_schema: Makes others wait who would change the tables too.
    """

    reader: Engine
    writer: Engine
    hasty: Engine
    clock: Callable[[], ColumnElement[float]]
    lock_schema: Callable[[Connection], object]

    def dispose(self, close: bool = True) -> None:
        """Close all connections, or only forget them: they are another process's."""
        self.writer.dispose(close)  # the three share one pool


def backend(url: URL) -> Backend:
    """The backend for a URL."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)


def _sqlite(url: URL) -> Backend:
    frozen = _read_only(url)
    _make_private(Path(url.database or ""))
    engine = create_engine(
        frozen or url, json_deserializer=restored, connect_args={"timeout": BUSY_SECONDS}
    )
    event.listen(engine, "connect", _on_sqlite_connect if frozen is None else _on_read_only_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return Backend(
        reader=engine,
        writer=engine.execution_options(tunewise_synchronous="FULL"),
        hasty=engine.execution_options(tunewise_synchronous="NORMAL"),
        clock=lambda: clock_of("sqlite"),
        lock_schema=lambda connection: None,  # every write has the whole file to itself
    )


def _make_private(file: Path) -> None:
    """Make a file that only its owner reads, where there is none yet; others take over its mode."""
    with suppress(OSError):  # where it cannot be made, the database says why
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _read_only(url: URL) -> URL | None:
    """The URL of a file that can only be read, such as one on a read-only mount; else None."""
    file = Path(url.database or "")
    if not file.is_file() or (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        return None
    log = file.with_name(f"{file.name}-wal")
    # Nobody can write what others are about to change here, unless they have begun to.
    still = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return url.set(database=f"file:{quote(str(file))}?mode=ro{still}", query={"uri": "true"})


def _on_read_only_connect(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None


def _postgresql(url: URL) -> Backend:
    patience = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    engine = create_engine(
        url,
        json_deserializer=restored,
        isolation_level="READ COMMITTED",  # what the row locks are made for
        connect_args=patience,
    )
    event.listen(engine, "connect", _on_postgresql_connect)
    event.listen(engine, "checkout", partial(_on_postgresql_checkout, engine))
    event.listen(engine, "begin", _on_postgresql_begin)
    return Backend(
        reader=engine.execution_options(isolation_level="AUTOCOMMIT"),
        writer=engine,
        hasty=engine.execution_options(tunewise_hasty=True),
        clock=lambda: clock_of("postgresql"),
        lock_schema=lambda connection: connection.execute(
            func.pg_advisory_xact_lock(_OPENING).select()
        ),
    )


def _on_sqlite_connect(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where the driver does
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Two processes that turn a fresh file to WAL at once: SQLite does not wait here.
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _on_sqlite_begin(connection: Connection) -> None:
    wanted = connection.get_execution_options().get("tunewise_synchronous")
    if wanted is None:
        return
    if connection.info.get("synchronous") != wanted:
        connection.exec_driver_sql(f"PRAGMA synchronous = {wanted}")
        connection.info["synchronous"] = wanted
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _on_postgresql_connect(connection: Any, _: Any) -> None:
    # A server may be set to answer before a commit is on its disk; ours must be there.
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') = 'off'"
    )
    connection.commit()


def _on_postgresql_checkout(engine: Engine, connection: Any, record: Any, _: Any) -> None:
    """Ask whether a connection is still there, but not again within a moment.

    One that breaks meanwhile fails its first statement, and the work is done again.
    """
    now = time.monotonic()
    if now - record.info.get("asked", -_TRUSTED) >= _TRUSTED:
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError("the server has closed the connection") from error
        record.info["asked"] = now


def _on_postgresql_begin(connection: Connection) -> None:
    if connection.get_execution_options().get("tunewise_hasty"):
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")
