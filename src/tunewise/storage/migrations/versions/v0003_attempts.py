"""Keep what is known of attempts: failed, reported, how long they ran, what was booked."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    for column in (
        sa.Column("retried", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("reported", sa.JSON()),
        sa.Column("ran", sa.Double(), nullable=False, server_default="0"),
        sa.Column("booked", sa.JSON()),
    ):
        op.add_column("tunewise_trials", column)


def downgrade() -> None:
    """Forget what is in them."""
    for name in ("booked", "ran", "reported", "retried"):
        op.drop_column("tunewise_trials", name)
