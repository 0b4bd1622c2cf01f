"""Make the tables of studies and trials."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tunewise_studies",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False, unique=True),
        sa.Column("problem", sa.JSON(), nullable=False),
        sa.Column("strategy", sa.JSON(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("asker", sa.Text()),
        sa.Column("asker_until", sa.Double()),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tunewise_trials",
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("tunewise_studies.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("fraction", sa.Double(), nullable=False),
        sa.Column("snapshots", sa.JSON(), nullable=False),
        sa.Column("enqueued", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("outcome", sa.JSON()),
        sa.Column("lost", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.Double()),
        sa.Column("told_at", sa.Double()),
        sa.Column("owner", sa.Text()),
        sa.Column("lease_until", sa.Double()),
        sa.Column("stop", sa.Boolean(), nullable=False),
    )


def downgrade() -> None:
    """Forget all studies."""
    op.drop_table("tunewise_trials")
    op.drop_table("tunewise_studies")
