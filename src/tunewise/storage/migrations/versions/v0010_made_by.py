"""Remember by which token a token was made: it is revoked with it."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the number of the token that made it."""
    op.add_column("tunewise_tokens", sa.Column("made_by", sa.Integer()))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("tunewise_tokens", "made_by")
