"""What one process of the service holds: the open store, the folder of files, its settings."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.errors import StorageError

if TYPE_CHECKING:
    from tunewise.storage.sql import SqlStore
    from tunewise.storage.tasks import TaskStore


@dataclass(frozen=True)
class Settings:
    """What a person may choose about a service.

    Attributes:
        address: Under which others reach it, for links; None: as each request says.
        secure: Whether people reach it by HTTPS only, so that cookies are sent by nothing else.
    """

    address: str | None = None
    secure: bool = False


@dataclass(frozen=True)
class Context:
    """One a process, at `app.state.context`.

    Attributes:
        url: Of the store.
        store: Studies and trainings.
        tasks: Declared tasks.
        files: The folder of all tasks' files.
        read_only: Whether nothing may be changed.
        accounts: Whether people sign in; without, everyone is the one local viewer.
        settings: What a person chose.
    """

    url: str
    store: "SqlStore"
    tasks: "TaskStore"
    files: Path
    read_only: bool = False
    accounts: bool = False
    settings: Settings = field(default_factory=Settings)

    @classmethod
    def open(
        cls,
        url: str,
        *,
        read_only: bool = False,
        accounts: bool = False,
        settings: Settings | None = None,
    ) -> "Context":
        """Open a store, which is made where there is none and brought up to date.

        Raises:
            StorageError: The URL is wrong, or the store cannot be opened.
        """
        from tunewise.storage.opening import parsed_url
        from tunewise.storage.sql import SqlStore
        from tunewise.storage.tasks import TaskStore
        from tunewise.storage.tasks.opening import files_beside

        parsed = parsed_url(url)
        if parsed is None:
            raise StorageError("a service needs a store; expected 'sqlite:///FILE.db' or a URL")
        store = SqlStore(parsed)
        tasks = TaskStore(store.database)
        files = files_beside(url)
        return cls(url, store, tasks, files, read_only, accounts, settings or Settings())

    def close(self) -> None:
        """Give back connections."""
        self.store.close()
