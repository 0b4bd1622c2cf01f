"""Number the changes of a study, so that whoever looks can ask for those after the last look."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TABLES = ("tunewise_studies", "tunewise_trials")


def upgrade() -> None:
    """Add the columns, and what makes the question quick."""
    for table in _TABLES:
        counted = sa.Column("revision", sa.Integer(), nullable=False, server_default="0")
        op.add_column(table, counted)
    op.create_index("tunewise_trials_revision", "tunewise_trials", ["study_id", "revision"])


def downgrade() -> None:
    """Forget what is in them."""
    op.drop_index("tunewise_trials_revision", "tunewise_trials")
    for table in _TABLES:
        op.drop_column(table, "revision")
