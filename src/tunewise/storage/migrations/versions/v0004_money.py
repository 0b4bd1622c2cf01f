"""Keep the money that is set aside for running trials."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("tunewise_trials", sa.Column("held", sa.Double()))


def downgrade() -> None:
    """Forget what is in it."""
    op.drop_column("tunewise_trials", "held")
