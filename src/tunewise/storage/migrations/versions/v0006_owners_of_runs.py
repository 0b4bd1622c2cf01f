"""Keep who goes on with a training, so that a second process is refused."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("tunewise_runs", sa.Column("owner", sa.Text()))
    op.add_column("tunewise_runs", sa.Column("owned_until", sa.Double()))


def downgrade() -> None:
    """Forget what is in them."""
    op.drop_column("tunewise_runs", "owned_until")
    op.drop_column("tunewise_runs", "owner")
