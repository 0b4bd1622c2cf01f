"""Steps from one schema to the next, run when a store with an older one is opened.

A step is a file in `versions`, named after its number; it is never changed once it was released.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

__all__ = ["FOLDER", "config", "upgrade"]

FOLDER = Path(__file__).parent


def config(connection: Connection | None = None) -> Config:
    """Alembic's settings for the migrations of this package."""
    settings = Config(attributes={"connection": connection})
    settings.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    return settings


def upgrade(connection: Connection, version: str = "head") -> None:
    """Take the steps up to a version within the connection's transaction."""
    command.upgrade(config(connection), version)
