"""From a URL or a file name to the tasks behind it."""

from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.errors import StorageError
from tunewise.storage.opening import parsed_url
from tunewise.study.folders import sqlite_file
from tunewise.study.store import checked_namespace

if TYPE_CHECKING:
    from tunewise.storage.tasks.store import TaskStore


def open_tasks(url: str | Path, namespace: str = "") -> "TaskStore":
    """The tasks of a store, which is made where there is none.

    Raises:
        StorageError: The URL is wrong, or the store cannot be opened.
    """
    from tunewise.storage.database import Database
    from tunewise.storage.tasks.store import TaskStore

    parsed = parsed_url(url)
    if parsed is None:
        raise StorageError("tasks need a store; expected 'sqlite:///FILE.db' or another URL")
    return TaskStore(Database(parsed), checked_namespace(namespace))


def files_beside(url: str | Path) -> Path:
    """The folder for files of a store: beside its SQLite file, else in this folder."""
    file = sqlite_file(str(url)) or Path("tunewise")
    return Path(f"{file.absolute()}.tasks")


def jobs_beside(url: str | Path) -> Path:
    """The folder in which submitted jobs run, each in one of its own."""
    return files_beside(url).with_suffix(".jobs")


def from_anywhere(url: str) -> str:
    """The URL as a process in another folder has to write it."""
    file = sqlite_file(url)
    return url if file is None else f"sqlite:///{file.absolute()}"
