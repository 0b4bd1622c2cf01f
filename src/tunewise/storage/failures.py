"""The one place where errors of databases become a sentence for a person."""

from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from tunewise.errors import StorageError
from tunewise.storage.secrets import redacted

_KEPT = "; everything told before is kept"

_SQLITE = {
    "SQLITE_FULL": "the disk is full" + _KEPT,
    "SQLITE_READONLY": "the file or its folder is read-only",
    "SQLITE_PERM": "the file may not be opened",
    "SQLITE_CANTOPEN": "the file cannot be opened: check that it is a file, and that it and its"
    " folder may be read and written",
    "SQLITE_NOTADB": "the file is not a SQLite database",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_BUSY": "another process keeps the file locked",
    "SQLITE_IOERR": "the file could not be read or written (disk full, or gone?)" + _KEPT,
}
"""What went wrong, by the start of SQLite's name for it."""

_POSTGRES = {
    "28P01": "the server refuses the user name or password",
    "28000": "the server refuses the user",
    "3D000": "there is no such database on the server; create it first",
    "42501": "the user may not do this there",
    "25006": "the database is read-only",
    "53100": "the server's disk is full" + _KEPT,
    "53300": "the server has too many connections already",
    "57P": "the server is shutting down or starting, or ended the connection",
}
"""What went wrong, by the start of PostgreSQL's code for it."""

_POSTGRES_TEXT = {
    "password authentication failed": _POSTGRES["28P01"],
    "no password supplied": "the server wants a password and the URL has none",
    "permission denied": _POSTGRES["42501"],
    'FATAL:  role "': _POSTGRES["28000"],
    'FATAL:  database "': _POSTGRES["3D000"],
    "Connection refused": "no server answers there",
    "No such file or directory": "no server answers there",
    "timeout expired": "no server answers there",
    "terminating connection": _POSTGRES["57P"],
    "server closed the connection": _POSTGRES["57P"],
    "resolve host": "there is no such host",
    "translate host": "there is no such host",
}
"""A connection that was not made, or was cut, often has no code, only words."""

_ROLLED_BACK = ("40001", "40P01")

_AWAY = (
    "Connection refused",
    "No such file or directory",
    "timeout expired",
    "server closed the connection",
    "Connection reset by peer",
    "the database system is",  # starting up, shutting down, in recovery mode
)
"""Words of a server that is not there, and may come back."""


def storage_error(
    error: SQLAlchemyError, shown: str, secrets: Collection[str] = ()
) -> StorageError:
    """The sentence for an error of the database behind the URL `shown`."""
    reason = _reason(error)
    for secret in sorted(secrets, key=len, reverse=True):
        reason = reason.replace(secret, "***")
    return StorageError(f"cannot use the store {shown}: {reason}")


def connection_lost(error: SQLAlchemyError) -> bool:
    """Whether the connection broke: nobody knows whether what was under way took place."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def unreachable(error: SQLAlchemyError) -> bool:
    """Whether no connection was made because nobody answers: nothing was under way."""
    return isinstance(error, OperationalError) and any(words in str(error.orig) for words in _AWAY)


def rolled_back(error: SQLAlchemyError) -> bool:
    """Whether the database undid the transaction in favour of another one."""
    return _code(error) in _ROLLED_BACK


def shown_url(url: URL) -> str:
    """The URL without its password, wherever it stands."""
    bare = url.set(drivername=url.get_backend_name())
    # Read as it was written: an "@" of a password may have ended up in the database's name.
    return redacted(unquote(bare.render_as_string(hide_password=True)))


def _reason(error: SQLAlchemyError) -> str:
    cause: Any = getattr(error, "orig", None) or error
    name = getattr(cause, "sqlite_errorname", None)
    if name is not None:
        return _by_start(name, _SQLITE) or _first_line(cause)
    if code := _code(error):
        return _by_start(code, _POSTGRES) or _first_line(cause)
    text = str(cause)
    by_text = next((said for words, said in _POSTGRES_TEXT.items() if words in text), None)
    return by_text or _first_line(cause)


def _code(error: SQLAlchemyError) -> str:
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def _by_start(code: str, table: dict[str, str]) -> str | None:
    return next((said for start, said in table.items() if code.startswith(start)), None)


def _first_line(cause: BaseException) -> str:
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]
