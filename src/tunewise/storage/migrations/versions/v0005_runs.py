"""Keep trainings that are tuned while they run."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "tunewise_runs",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("namespace", sa.Text(), nullable=False, server_default=""),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("described", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("namespace", "name", name="tunewise_runs_namespace_name_key"),
        sqlite_autoincrement=True,
    )
    run = sa.ForeignKey("tunewise_runs.id")
    op.create_table(
        "tunewise_run_events",
        *(
            sa.Column("run_id", sa.Integer(), run, primary_key=True),
            sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
            sa.Column("events", sa.JSON(), nullable=False),
        ),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("tunewise_run_events")
    op.drop_table("tunewise_runs")
