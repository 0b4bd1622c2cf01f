"""From a URL or a file name to an opened store."""

from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.errors import StorageError, nearest, optional
from tunewise.storage.memory import MemoryStore
from tunewise.storage.secrets import redacted
from tunewise.study.folders import within
from tunewise.study.store import Store

if TYPE_CHECKING:
    from sqlalchemy import URL

_DRIVERS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_EXPECTED = (
    "expected 'sqlite:///FILE.db', 'postgresql://USER@HOST/DATABASE' or a path to a .db file"
)


def open_store(url: str | Path | None) -> Store:
    """The store behind a URL or a path, made where there is none; None is a new one in memory.

    Raises:
        StorageError: The URL is wrong, or the store cannot be opened.
        MissingExtraError: The driver for PostgreSQL is not installed.
    """
    parsed = parsed_url(url)
    if parsed is None:
        return MemoryStore()
    from tunewise.storage.sql import SqlStore

    return SqlStore(parsed)


def parsed_url(url: str | Path | None) -> "URL | None":
    """The URL of a database that can be opened here; None for a store in memory."""
    if url is None:
        return None
    parsed = _parsed(url) if isinstance(url, str) and "://" in url else _of_path(url)
    if parsed.get_backend_name() == "sqlite":
        return _with_checked_file(parsed)
    optional("psycopg", "postgres")
    return parsed


def _of_path(path: str | Path) -> "URL":
    from sqlalchemy import URL

    if isinstance(path, str) and not path.lower().endswith(_SUFFIXES):
        raise StorageError(f"{redacted(path)!r} is not a store; {_EXPECTED}")
    return URL.create("sqlite", database=str(path))


def _parsed(text: str) -> "URL":
    scheme = text.partition("://")[0].lower()
    if scheme not in _DRIVERS:
        shown = redacted(scheme)
        raise StorageError(f"unknown kind of store {shown!r}{nearest(shown, _DRIVERS)}")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(text).set(drivername=_DRIVERS[scheme])
    except (ArgumentError, ValueError) as error:
        raise StorageError(f"{redacted(text)!r} is not a URL; {_EXPECTED}") from error


def _with_checked_file(url: "URL") -> "URL":
    """The URL with an absolute path, since the process may change its folder later."""
    if url.host or url.username or url.password:
        raise StorageError(
            f"{redacted(str(url))!r} names a host; a file has three slashes: 'sqlite:///FILE'"
        )
    if not url.database or url.database == ":memory:":
        raise StorageError(f"{redacted(str(url))!r} names no file; for a store in memory give None")
    file = within(Path(), url.database).absolute()
    if "password=" in file.name:
        raise StorageError(f"{redacted(file.name)!r} is not a store; {_EXPECTED}")
    if not file.parent.is_dir():
        raise StorageError(
            f"the folder {redacted(str(file.parent))!r} for the store {redacted(file.name)!r}"
            " is not there"
        )
    if file.is_dir():
        raise StorageError(f"the store {redacted(str(file))!r} is a folder; expected a file")
    return url.set(database=str(file))
