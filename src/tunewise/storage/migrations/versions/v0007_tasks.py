"""Keep declared tasks: what was fed, what was trained, and what the scheduler did."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "tunewise_tasks",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("namespace", sa.Text(), nullable=False, server_default=""),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("namespace", "name", name="tunewise_tasks_namespace_name_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tunewise_examples",
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("tunewise_tasks.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("input", sa.String(64), nullable=False),
        sa.Column("file", sa.String(64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("fed_at", sa.Double(), nullable=False),
        sa.Column("fed_in", sa.Integer(), nullable=False),
        sa.Column("on", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("task_id", "content", name="tunewise_examples_content_key"),
    )
    op.create_table(
        "tunewise_task_changes",
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("tunewise_tasks.id"), primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("change", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
    )
    op.create_table(
        "tunewise_task_models",
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("tunewise_tasks.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
    )
    op.create_table(
        "tunewise_task_events",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Forget them."""
    for name in ("task_events", "task_models", "task_changes", "examples", "tasks"):
        op.drop_table(f"tunewise_{name}")
