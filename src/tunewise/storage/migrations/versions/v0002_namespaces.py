"""Let studies of one name live side by side, in namespaces."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "tunewise_studies"
_NAMES = {"uq": "%(table_name)s_%(column_0_name)s_key"}
"""How PostgreSQL names a constraint by itself; SQLite's has no name."""


def upgrade() -> None:
    """Put all studies into the namespace without a name."""
    with op.batch_alter_table(
        _TABLE, naming_convention=_NAMES, table_kwargs={"sqlite_autoincrement": True}
    ) as table:
        table.add_column(sa.Column("namespace", sa.Text(), nullable=False, server_default=""))
        table.drop_constraint(f"{_TABLE}_name_key", type_="unique")
        table.create_unique_constraint(f"{_TABLE}_namespace_name_key", ["namespace", "name"])


def downgrade() -> None:
    """Only where no two studies have the same name."""
    with op.batch_alter_table(_TABLE, table_kwargs={"sqlite_autoincrement": True}) as table:
        table.drop_constraint(f"{_TABLE}_namespace_name_key", type_="unique")
        table.create_unique_constraint(f"{_TABLE}_name_key", ["name"])
        table.drop_column("namespace")
