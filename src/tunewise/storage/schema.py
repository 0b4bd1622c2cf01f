"""The tables of a SQL store, and how an opened store gets them.

The tables' names start with `tunewise_`, so a database may be shared with other programs.
A change here needs a migration in `migrations/versions` and a new `VERSION`.
"""

import re

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
)

from tunewise.errors import StorageError

VERSION = "0008"
"""The newest schema: the name of the last migration."""

_NUMBERED = re.compile("[0-9]{4}")
"""Versions are numbered, so their order is that of their names."""

metadata = MetaData()

schema = Table(
    "tunewise_schema",
    metadata,
    # Name and shape are those that alembic gives to its own table.
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="tunewise_schema_pkc"),
)

studies = Table(
    "tunewise_studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("problem", JSON, nullable=False),
    Column("strategy", JSON, nullable=False),
    Column("seed", Text, nullable=False),  # a whole number of any size
    Column("notes", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("asker", Text),
    Column("asker_until", Double),
    Column("namespace", Text, nullable=False, server_default=""),
    Column("revision", Integer, nullable=False, server_default="0"),  # rises with each change
    UniqueConstraint("namespace", "name", name="tunewise_studies_namespace_name_key"),
    sqlite_autoincrement=True,
)

trials = Table(
    "tunewise_trials",
    metadata,
    Column("study_id", Integer, ForeignKey("tunewise_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("config", JSON, nullable=False),
    Column("fraction", Double, nullable=False),
    Column("snapshots", JSON, nullable=False),
    Column("enqueued", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("outcome", JSON(none_as_null=True)),
    Column("lost", JSON, nullable=False),
    Column("asked_at", Double),
    Column("told_at", Double),
    Column("owner", Text),
    Column("lease_until", Double),
    Column("stop", Boolean, nullable=False),
    Column("retried", Integer, nullable=False, server_default="0"),
    Column("reported", JSON(none_as_null=True)),
    Column("ran", Double, nullable=False, server_default="0"),
    Column("booked", JSON(none_as_null=True)),
    Column("held", Double),
    Column("revision", Integer, nullable=False, server_default="0"),  # the study's, of its change
    Index("tunewise_trials_revision", "study_id", "revision"),
)

runs = Table(
    "tunewise_runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("namespace", Text, nullable=False, server_default=""),
    Column("name", Text, nullable=False),
    Column("described", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("owner", Text),
    Column("owned_until", Double),
    UniqueConstraint("namespace", "name", name="tunewise_runs_namespace_name_key"),
    sqlite_autoincrement=True,
)

run_events = Table(
    "tunewise_run_events",
    metadata,
    Column("run_id", Integer, ForeignKey("tunewise_runs.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("events", JSON, nullable=False),  # several, the first of which has this number
)

tasks = Table(
    "tunewise_tasks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("namespace", Text, nullable=False, server_default=""),
    Column("name", Text, nullable=False),
    Column("program", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("version", Integer, nullable=False, server_default="0"),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("namespace", "name", name="tunewise_tasks_namespace_name_key"),
    sqlite_autoincrement=True,
)

examples = Table(
    "tunewise_examples",
    metadata,
    Column("task_id", Integer, ForeignKey("tunewise_tasks.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", String(64), nullable=False),
    Column("input", String(64), nullable=False),
    Column("file", String(64), nullable=False),
    Column("place", Integer, nullable=False),
    Column("label", Text),
    Column("source", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("fed_at", Double, nullable=False),
    Column("fed_in", Integer, nullable=False),
    Column("on", Boolean, nullable=False),
    UniqueConstraint("task_id", "content", name="tunewise_examples_content_key"),
)

task_changes = Table(
    "tunewise_task_changes",
    metadata,
    Column("task_id", Integer, ForeignKey("tunewise_tasks.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("change", JSON, nullable=False),
    Column("at", Double, nullable=False),
)

task_models = Table(
    "tunewise_task_models",
    metadata,
    Column("task_id", Integer, ForeignKey("tunewise_tasks.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("card", JSON, nullable=False),
    Column("at", Double, nullable=False),
)

task_events = Table(
    "tunewise_task_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("event", JSON, nullable=False),  # who joined, what was picked, told, given up
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
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
