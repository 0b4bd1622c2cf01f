"""Keep declared tasks: what was fed, what was trained, and what the scheduler did."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_KINDS: dict[str, Any] = {
    "text": sa.Text,
    "json": sa.JSON,
    "double": sa.Double,
    "whole": sa.Integer,
    "sum": lambda: sa.String(64),
    "truth": sa.Boolean,
}
_OF_TASK = {
    "examples": "number content:sum input:sum file:sum place:whole label:text? source:text by:text"
    " fed_at:double fed_in:whole on:truth",
    "task_changes": "version change:json at:double",
    "task_models": "number card:json at:double",
}
"""The columns of tables with a row's number within its task; the first is that number."""


def upgrade() -> None:
    """Add the tables."""
    own = sa.UniqueConstraint("namespace", "name", name="tunewise_tasks_namespace_name_key")
    named = _columns("name:text program:text settings:json")
    begun = sa.Column("version", sa.Integer(), nullable=False, server_default="0")
    whose = sa.Column("namespace", sa.Text(), nullable=False, server_default="")
    rest = (*named, begun, *_columns("created_at:double"), own)
    op.create_table("tunewise_tasks", _numbered(), whose, *rest, sqlite_autoincrement=True)
    for name, words in _OF_TASK.items():
        first, _, others = words.partition(" ")
        task = sa.Column(
            "task_id", sa.Integer(), sa.ForeignKey("tunewise_tasks.id"), primary_key=True
        )
        number = sa.Column(first, sa.Integer(), primary_key=True, autoincrement=False)
        once = sa.UniqueConstraint("task_id", "content", name="tunewise_examples_content_key")
        extra = (once,) if name == "examples" else ()
        op.create_table(f"tunewise_{name}", task, number, *_columns(others), *extra)
    happened = _columns("event:json at:double")
    op.create_table("tunewise_task_events", _numbered(), *happened, sqlite_autoincrement=True)


def downgrade() -> None:
    """Forget them."""
    for name in ("task_events", *reversed(_OF_TASK), "tasks"):
        op.drop_table(f"tunewise_{name}")


def _numbered() -> sa.Column[Any]:
    return sa.Column("id", sa.Integer(), primary_key=True)


def _columns(words: str) -> list[sa.Column[Any]]:
    """Columns such as `label:text?`, where the mark says that there may be none."""
    made = []
    for word in words.split():
        name, _, kind = word.partition(":")
        made.append(sa.Column(name, _KINDS[kind.rstrip("?")](), nullable=kind.endswith("?")))
    return made
