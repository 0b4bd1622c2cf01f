"""The tables of a service: tenants and their members, what lets them in, what they did."""

from sqlalchemy import (
    JSON,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from tunewise.storage.schema.tables import metadata

tenants = Table(
    "tunewise_tenants",
    metadata,
    Column("namespace", Text, primary_key=True),
    Column("created_at", Double, nullable=False),
    Column("usd", Double),  # that its studies may spend in all; none: no limit
    Column("seconds", Double),  # that its tasks may be trained in all
    Column("bytes", Double),  # that its tasks' files may take
    Column("weight", Double, nullable=False, server_default="1"),
    # What was used by studies and tasks that are deleted.
    Column("usd_before", Double, nullable=False, server_default="0"),
    Column("seconds_before", Double, nullable=False, server_default="0"),
)

members = Table(
    "tunewise_members",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("namespace", Text, ForeignKey("tunewise_tenants.namespace"), nullable=False),
    Column("name", Text, nullable=False),
    Column("password", Text, nullable=False),
    Column("role", String(16), nullable=False),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("namespace", "name", name="tunewise_members_namespace_name_key"),
    sqlite_autoincrement=True,
)

invitations = Table(
    "tunewise_invitations",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("namespace", Text, ForeignKey("tunewise_tenants.namespace"), nullable=False),
    Column("role", String(16), nullable=False),
    Column("by", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("until", Double, nullable=False),
)

sessions = Table(
    "tunewise_sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("member_id", Integer, ForeignKey("tunewise_members.id"), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("until", Double, nullable=False),
    Index("tunewise_sessions_member_id", "member_id"),
)

tokens = Table(
    "tunewise_tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("member_id", Integer, ForeignKey("tunewise_members.id"), nullable=False),
    Column("number", Integer, nullable=False),  # counts the tokens of a tenant
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("prefix", String(16), nullable=False),
    Column("scope", Text),  # such as "task:clothes"; none: all that the member may
    Column("created_at", Double, nullable=False),
    Column("until", Double),
    Column("used_at", Double),
    Column("made_by", Integer),  # the number of the token that made it; none: a person did
    UniqueConstraint("namespace", "number", name="tunewise_tokens_namespace_number_key"),
    Index("tunewise_tokens_member_id", "member_id"),
)

audit = Table(
    "tunewise_audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("namespace", Text, nullable=False),
    Column("number", Integer, nullable=False),  # counts the entries of a tenant
    Column("at", Double, nullable=False),
    Column("member", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    UniqueConstraint("namespace", "number", name="tunewise_audit_namespace_number_key"),
    sqlite_autoincrement=True,
)

jobs = Table(
    "tunewise_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),  # of the study
    Column("text", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("member", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("said", Text),
    Column("created_at", Double, nullable=False),
    Column("owner", Text),
    Column("owned_until", Double),
    Index("tunewise_jobs_state", "state", "id"),
    Index("tunewise_jobs_namespace", "namespace", "id"),
    sqlite_autoincrement=True,
)

leases = Table(
    "tunewise_leases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("until", Double, nullable=False),
)
