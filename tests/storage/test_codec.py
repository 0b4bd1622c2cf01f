"""Values as JSON and back, and errors of databases as sentences."""

import json
import sqlite3
from typing import Any

import numpy as np
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from tunewise.errors import StorageError
from tunewise.storage.codec import plain, restored
from tunewise.storage.failures import (
    connection_lost,
    rolled_back,
    shown_url,
    storage_error,
    unreachable,
)
from tunewise.storage.secrets import redacted


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ((1, (2, "a")), {"__tuple__": [1, {"__tuple__": [2, "a"]}]}),
        ([1, (2,)], [1, {"__tuple__": [2]}]),
        ({"a": (None,)}, {"a": {"__tuple__": [None]}}),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (True, True),
        (10**40, 10**40),
    ],
)
def test_a_value_is_kept_in_words_of_json_and_comes_back(value: Any, kept: Any) -> None:
    assert plain(value, "config") == kept
    assert type(plain(value, "config")) is type(kept)
    again = restored(json.dumps(kept))
    assert again == value and repr(plain(again, "config")) == repr(kept)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": [1.0, float("nan")]}, "config['a'][1] is nan; a store keeps finite numbers only"),
        ({"a": float("-inf")}, "config['a'] is -inf"),
        ({"a": {1: 2}}, "config['a'] has the key 1; expected text other than '__tuple__'"),
        ({"__tuple__": [1]}, "config has the key '__tuple__'"),
        ({"a": {1, 2}}, "config['a'] is {1, 2}; a store keeps numbers, text"),
        ({"a": b"x"}, "config['a'] is b'x'"),
        (np.array([1, 2]), "config is array([1, 2])"),
        ((float("inf"),), "config[0] is inf"),
    ],
)
def test_what_would_come_back_changed_is_refused_with_its_place(value: Any, says: str) -> None:
    with pytest.raises(StorageError) as refused:
        plain(value, "config")
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("text", ["", "{", "nul", b"\xff\xfe", '{"__tuple__": 3}', "[" * 100_000])
def test_what_is_no_json_of_ours_is_a_damage(text: str | bytes) -> None:
    with pytest.raises(
        StorageError, match=r"the store is damaged: it holds .{1,70} instead of JSON"
    ):
        restored(text)


class Postgres(Exception):
    """An error of PostgreSQL's driver, as far as it is looked at."""

    def __init__(self, text: str, sqlstate: str | None = None) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


def of(cause: Exception, lost: bool = False) -> OperationalError:
    return OperationalError("SELECT 1", {}, cause, connection_invalidated=lost)


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (Postgres("x", "28P01"), "the server refuses the user name or password"),
        (Postgres("x", "57P03"), "the server is shutting down or starting"),
        (Postgres("x", "53300"), "the server has too many connections already"),
        (Postgres("odd\nmore", "99999"), "odd"),
        (Postgres("connection failed: Connection refused"), "no server answers there"),
        (Postgres('FATAL:  database "d" does not exist'), "there is no such database"),
        (Postgres('FATAL:  role "r" does not exist'), "the server refuses the user"),
        (Postgres("could not translate host name"), "there is no such host"),
        (Postgres("permission denied for schema"), "the user may not do this there"),
        (Postgres("fe_sendauth: no password supplied"), "the server wants a password"),
        (Postgres(""), "Postgres"),
    ],
)
def test_an_error_of_a_server_is_told_by_its_code_or_its_words(cause: Exception, says: str) -> None:
    said = str(storage_error(of(cause), "postgresql://h/d"))
    assert said.startswith(f"cannot use the store postgresql://h/d: {says}")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("SQLITE_FULL", "the disk is full; everything told before is kept"),
        ("SQLITE_READONLY_DBMOVED", "the file or its folder is read-only"),
        ("SQLITE_IOERR_WRITE", "the file could not be read or written"),
        ("SQLITE_CANTOPEN_ISDIR", "the file cannot be opened: check that it is a file"),
        ("SQLITE_BUSY_SNAPSHOT", "another process keeps the file locked"),
        ("SQLITE_ODD", "an odd one"),
    ],
)
def test_an_error_of_sqlite_is_told_by_the_start_of_its_name(name: str, says: str) -> None:
    cause = sqlite3.OperationalError("an odd one\nwith more")
    cause.sqlite_errorname = name
    assert str(storage_error(of(cause), "sqlite:///x.db")).partition(".db: ")[2].startswith(says)


def test_an_error_without_a_cause_is_told_by_its_own_words() -> None:
    assert "no such thing" in str(storage_error(SQLAlchemyError("no such thing\nat all"), "u"))


def test_a_lost_connection_is_told_from_one_that_was_never_made() -> None:
    lost, never = of(Postgres("cut"), lost=True), of(Postgres("Connection refused"))
    assert connection_lost(lost) and not connection_lost(never)
    assert not connection_lost(SQLAlchemyError("cut"))
    assert unreachable(never) and not unreachable(lost)
    assert unreachable(of(Postgres("FATAL:  the database system is starting up")))
    assert not unreachable(of(Postgres("password authentication failed")))
    assert not unreachable(DBAPIError("SELECT 1", {}, Postgres("Connection refused")))


@pytest.mark.parametrize(("code", "undone"), [("40001", True), ("40P01", True), ("40002", False)])
def test_a_transaction_that_was_undone_for_another_is_known_by_its_code(
    code: str, undone: bool
) -> None:
    assert rolled_back(of(Postgres("x", code))) == undone
    assert not rolled_back(of(Postgres(code)))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql+psycopg://u:s3cret@h:5/d", "postgresql://u:***@h:5/d"),
        ("postgresql://u@h/d?password=s3cret", "postgresql://u@h/d?password=***"),
        ("postgresql://u@h/d?SSLPassword=s3cret&a=b", "postgresql://u@h/d?SSLPassword=***&a=***"),
        ("postgresql://u:s3c@ret/x@h:5/d", "postgresql://u:***@h:5/d"),
        ("sqlite:////tmp/x.db", "sqlite:////tmp/x.db"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown_url(make_url(url)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:s3c:ret@h:port/d", "postgresql://u:***@h:port/d"),
        ("postgresql://:s3cret@h/d", "postgresql://:***@h/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql:/tw:s3cret@h/tw", "postgresql:/tw:***@h/tw"),
        ("postgres//tw:s3@cr/et@h/tw", "postgres//tw:***@h/tw"),
        ("tw:s3cret@host/tw", "tw:***@host/tw"),
        ("postgresql://tw:s3cret/tw", "postgresql://tw:***"),
        ("postgresql://h/d?options=-c%20s3cret", "postgresql://h/d?options=***"),
        ("postgresql://h/d?s3cret&sslmode=require", "postgresql://h/d?***&sslmode=require"),
        ("postgresql://localhost:5432/d", "postgresql://localhost:5432/d"),
        ("postgresql://u:s3@cret@h:x/d?password=s3cret", "postgresql://u:***@h:x/d?password=***"),
        ("postgresql://u:s3cret@h?a=password=s3cret", "postgresql://u:***@h?a=***"),
        ("host=h:5 user=u password=s3c@ret:x", "host=h:5 user=u password=***"),
    ],
)
def test_even_what_is_no_url_is_shown_without_what_may_be_its_password(
    text: str, shown: str
) -> None:
    assert redacted(text) == shown
