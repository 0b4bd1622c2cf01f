"""The tables of a SQL store, and how an opened store gets them.

The tables' names start with `tunewise_`, so a database may be shared with other programs.
A change here needs a migration in `migrations/versions` and a new `VERSION`.
"""

import re

from sqlalchemy import Column, Connection, PrimaryKeyConstraint, String, Table, inspect, select

from tunewise.errors import StorageError
from tunewise.storage.schema.accounts import (
    audit,
    invitations,
    jobs,
    leases,
    members,
    sessions,
    tenants,
    tokens,
)
from tunewise.storage.schema.tables import (
    examples,
    metadata,
    run_events,
    runs,
    studies,
    task_changes,
    task_events,
    task_models,
    tasks,
    trials,
)

__all__ = [
    "VERSION",
    "audit",
    "bring_up_to_date",
    "examples",
    "invitations",
    "is_current",
    "jobs",
    "leases",
    "members",
    "metadata",
    "run_events",
    "runs",
    "schema",
    "sessions",
    "studies",
    "task_changes",
    "task_events",
    "task_models",
    "tasks",
    "tenants",
    "tokens",
    "trials",
]

VERSION = "0010"
"""The newest schema: the name of the last migration."""

_NUMBERED = re.compile("[0-9]{4}")
"""Versions are numbered, so their order is that of their names."""

schema = Table(
    "tunewise_schema",
    metadata,
    # Name and shape are those that alembic gives to its own table.
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="tunewise_schema_pkc"),
)


def is_current(connection: Connection, shown: str) -> bool:
    """Whether the store has the newest schema; one of a newer Tunewise is refused."""
    version = _version(connection)
    if version is not None and not (_NUMBERED.fullmatch(str(version)) and version <= VERSION):
        raise StorageError(
            f"the store {shown} was written by a newer tunewise (schema {version!s:.20}, this one"
            f" knows up to {VERSION}): pip install --upgrade tunewise"
        )
    return version == VERSION


def bring_up_to_date(connection: Connection, shown: str) -> None:
    """Create or migrate the tables, in a transaction that nobody else can be in."""
    if is_current(connection, shown):
        return  # another process was quicker
    if _version(connection) is not None:
        from tunewise.storage.migrations import upgrade

        upgrade(connection)
    else:
        # What the migrations would do, without the time to import them.
        metadata.create_all(connection)
        connection.execute(schema.insert().values(version_num=VERSION))


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(schema.name):
        return None
    return connection.scalar(select(schema.c.version_num))
