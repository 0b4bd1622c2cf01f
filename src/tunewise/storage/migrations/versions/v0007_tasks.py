"""Keep declared tasks: what was fed, what was trained, and what the scheduler did."""

import sqlalchemy as sa
from alembic import op

from tunewise.storage.migrations.columns import columns, numbered

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

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
    named = columns("name:text program:text settings:json")
    begun = sa.Column("version", sa.Integer(), nullable=False, server_default="0")
    whose = sa.Column("namespace", sa.Text(), nullable=False, server_default="")
    rest = (*named, begun, *columns("created_at:double"), own)
    op.create_table("tunewise_tasks", numbered(), whose, *rest, sqlite_autoincrement=True)
    for name, words in _OF_TASK.items():
        first, _, others = words.partition(" ")
        task = sa.Column(
            "task_id", sa.Integer(), sa.ForeignKey("tunewise_tasks.id"), primary_key=True
        )
        number = sa.Column(first, sa.Integer(), primary_key=True, autoincrement=False)
        once = sa.UniqueConstraint("task_id", "content", name="tunewise_examples_content_key")
        extra = (once,) if name == "examples" else ()
        op.create_table(f"tunewise_{name}", task, number, *columns(others), *extra)
    happened = columns("event:json at:double")
    op.create_table("tunewise_task_events", numbered(), *happened, sqlite_autoincrement=True)


def downgrade() -> None:
    """Forget them."""
    for name in ("task_events", *reversed(_OF_TASK), "tasks"):
        op.drop_table(f"tunewise_{name}")
