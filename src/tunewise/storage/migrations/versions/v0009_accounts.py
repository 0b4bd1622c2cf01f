"""Keep tenants and their members; count what studies and tasks have used, and when they changed."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from tunewise.storage.migrations.columns import columns, numbered

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ADDED = {
    "studies": "changed_at:double=0",
    "trials": "usd:double=0 seconds:double=0",
    "runs": "revision:whole=0 changed_at:double=0",
    "tasks": "revision:whole=0 changed_at:double=0 seconds:double=0 held:double=0",
}
_NEW = ("leases", "jobs", "audit", "tokens", "sessions", "invitations", "members", "tenants")


def upgrade() -> None:
    """Add tables and columns; fill in what trials have used."""
    for table, words in _ADDED.items():
        for column in columns(words):
            op.add_column(f"tunewise_{table}", column)
    for table in ("studies", "runs", "tasks"):
        op.create_index(f"tunewise_{table}_changed_at", f"tunewise_{table}", ["changed_at"])
    for table in ("studies", "tasks"):
        op.create_index(f"tunewise_{table}_namespace_id", f"tunewise_{table}", ["namespace", "id"])
    _fill(op.get_bind())
    _add_accounts()
    _add_work()


def _add_accounts() -> None:
    quotas = columns("created_at:double usd:double? seconds:double? bytes:double? weight:double=1")
    before = columns("usd_before:double=0 seconds_before:double=0")
    key = sa.Column("namespace", sa.Text(), primary_key=True)
    op.create_table("tunewise_tenants", key, *quotas, *before)
    op.create_table(
        "tunewise_members",
        *(numbered(), _of_tenant()),
        *columns("name:text password:text role:word created_at:double"),
        sa.UniqueConstraint("namespace", "name", name="tunewise_members_namespace_name_key"),
        sqlite_autoincrement=True,
    )
    said = columns("role:word by:text created_at:double until:double")
    op.create_table("tunewise_invitations", _hash(), _of_tenant(), *said)
    lasts = columns("created_at:double until:double")
    op.create_table("tunewise_sessions", _hash(), _of_member(), *lasts)
    op.create_table(
        "tunewise_tokens",
        *(_hash(), _of_member()),
        *columns("number:whole namespace:text name:text prefix:word scope:text?"),
        *columns("created_at:double until:double? used_at:double?"),
        sa.UniqueConstraint("namespace", "number", name="tunewise_tokens_namespace_number_key"),
    )
    for table in ("sessions", "tokens"):
        op.create_index(f"tunewise_{table}_member_id", f"tunewise_{table}", ["member_id"])


def _add_work() -> None:
    op.create_table(
        "tunewise_audit",
        numbered(),
        *columns("namespace:text number:whole at:double member:text action:text subject:text"),
        sa.UniqueConstraint("namespace", "number", name="tunewise_audit_namespace_number_key"),
        sqlite_autoincrement=True,
    )
    asked = columns("namespace:text name:text text:text settings:json member:text state:word")
    kept = columns("said:text? created_at:double owner:text? owned_until:double?")
    op.create_table("tunewise_jobs", numbered(), *asked, *kept, sqlite_autoincrement=True)
    op.create_index("tunewise_jobs_state", "tunewise_jobs", ["state", "id"])
    op.create_index("tunewise_jobs_namespace", "tunewise_jobs", ["namespace", "id"])
    name = sa.Column("name", sa.Text(), primary_key=True)
    op.create_table("tunewise_leases", name, *columns("owner:text fence:whole until:double"))


def downgrade() -> None:
    """Forget them."""
    for table in _NEW:
        op.drop_table(f"tunewise_{table}")
    for table in ("studies", "tasks"):
        op.drop_index(f"tunewise_{table}_namespace_id", f"tunewise_{table}")
    for table in ("studies", "runs", "tasks"):
        op.drop_index(f"tunewise_{table}_changed_at", f"tunewise_{table}")
    for table, words in _ADDED.items():
        for column in columns(words):
            op.drop_column(f"tunewise_{table}", column.name)


def _hash() -> sa.Column[Any]:
    return sa.Column("hash", sa.String(64), primary_key=True)


def _of_tenant() -> sa.Column[Any]:
    key = sa.ForeignKey("tunewise_tenants.namespace")
    return sa.Column("namespace", sa.Text(), key, nullable=False)


def _of_member() -> sa.Column[Any]:
    return sa.Column(
        "member_id", sa.Integer(), sa.ForeignKey("tunewise_members.id"), nullable=False
    )


def _fill(connection: sa.Connection) -> None:
    """What each trial has used until now, as its outcome and its lost attempts say."""
    rows = connection.execute(
        sa.text("SELECT study_id, number, outcome, lost FROM tunewise_trials")
    ).all()
    change = sa.text(
        "UPDATE tunewise_trials SET usd = :cost, seconds = :time"
        " WHERE study_id = :study AND number = :number"
    )
    values = [
        {"study": row.study_id, "number": row.number, **_used(row.outcome, row.lost)}
        for row in rows
    ]
    if values:
        connection.execute(change, values)


def _used(outcome: Any, lost: Any) -> dict[str, float]:
    told = _read(outcome).get("metrics")
    metrics, gone = told if isinstance(told, dict) else {}, _read(lost)
    time, resumed = _amount(metrics, "time"), _amount(metrics, "resumed")
    new = 1.0 - min(resumed / time, 1.0) if time > 0 else 1.0
    return {k: _amount(gone, k) + new * _amount(metrics, k) for k in ("cost", "time")}


def _read(value: Any) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}  # whoever reads the trial is told that it is damaged
    return found if isinstance(found, dict) else {}


def _amount(values: dict[str, Any], name: str) -> float:
    found = values.get(name, 0.0)
    return float(found) if isinstance(found, int | float) else 0.0
