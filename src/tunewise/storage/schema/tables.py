"""The tables of studies, trainings and tasks."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

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
    Column("changed_at", Double, nullable=False, server_default="0"),
    UniqueConstraint("namespace", "name", name="tunewise_studies_namespace_name_key"),
    Index("tunewise_studies_changed_at", "changed_at"),
    Index("tunewise_studies_namespace_id", "namespace", "id"),
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
    Column("usd", Double, nullable=False, server_default="0"),  # booked until now
    Column("seconds", Double, nullable=False, server_default="0"),
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
    Column("revision", Integer, nullable=False, server_default="0"),
    Column("changed_at", Double, nullable=False, server_default="0"),
    UniqueConstraint("namespace", "name", name="tunewise_runs_namespace_name_key"),
    Index("tunewise_runs_changed_at", "changed_at"),
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
    Column("revision", Integer, nullable=False, server_default="0"),
    Column("changed_at", Double, nullable=False, server_default="0"),
    Column("seconds", Double, nullable=False, server_default="0"),  # of trainings that have ended
    Column("held", Double, nullable=False, server_default="0"),  # of those that run, at most
    UniqueConstraint("namespace", "name", name="tunewise_tasks_namespace_name_key"),
    Index("tunewise_tasks_changed_at", "changed_at"),
    Index("tunewise_tasks_namespace_id", "namespace", "id"),
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
