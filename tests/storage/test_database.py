"""Work on a database: what is tried again, what is not, and what is kept once."""

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import URL, Connection, event
from sqlalchemy.exc import OperationalError

from tunewise.errors import StorageError
from tunewise.storage.database import Database
from tunewise.storage.schema import VERSION, bring_up_to_date, is_current


class Cut(Exception):
    """What a driver raises when its server has gone."""

    def __init__(self, text: str = "cut", sqlstate: str | None = None) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


def lost(**options: Any) -> OperationalError:
    return OperationalError("x", {}, Cut(**options), connection_invalidated=True)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An open one, with a table of numbers."""
    monkeypatch.setattr("tunewise.storage.database._PAUSE", 0.0)
    opened = Database(URL.create("sqlite", database=str(tmp_path / "x.db")))
    opened.write(lambda c: c.exec_driver_sql("CREATE TABLE numbers (n INTEGER)"))
    yield opened
    opened.close()


def numbers(database: Database) -> list[int]:
    return database.read(lambda c: list(c.exec_driver_sql("SELECT n FROM numbers").scalars()))


class Insert:
    """Work that adds a number, and fails in the attempts that it is told to fail in."""

    def __init__(self, *failing: Exception | None) -> None:
        self.failing, self.attempts = list(failing), 0

    def __call__(self, connection: Connection) -> int:
        self.attempts += 1
        connection.exec_driver_sql("INSERT INTO numbers VALUES (?)", (self.attempts,))
        if self.failing and (error := self.failing.pop(0)) is not None:
            raise error
        return self.attempts


def breaking_commits(database: Database, count: int) -> None:
    """Let so many commits end without an answer, though they took place or not."""
    left = [count]

    def broken(connection: Connection) -> None:
        if left[0]:
            left[0] -= 1
            raise lost()

    event.listen(database._backend.writer, "commit", broken)


def test_what_broke_before_its_end_has_changed_nothing_and_is_tried_again(
    database: Database,
) -> None:
    work = Insert(lost())
    assert database.write(work) == 2
    assert numbers(database) == [2]


def test_what_may_have_taken_place_is_not_done_twice(database: Database) -> None:
    breaking_commits(database, 1)
    work = Insert()
    with pytest.raises(StorageError, match=r"cannot use the store sqlite:///.*x\.db: cut"):
        database.write(work)
    assert work.attempts == 1


def test_repeatable_work_is_done_again_when_nobody_knows_its_end(database: Database) -> None:
    breaking_commits(database, 1)
    work = Insert()
    assert database.write(work, repeatable=True) == 2


@pytest.mark.parametrize(("took_place", "answer", "attempts"), [(True, 1, 1), (False, 2, 2)])
def test_work_that_can_be_recognised_is_looked_for_before_it_is_done_again(
    database: Database, took_place: bool, answer: int, attempts: int
) -> None:
    breaking_commits(database, 1)
    work, asked = Insert(), list[int]()

    def kept(connection: Connection, given: int) -> bool:
        asked.append(given)
        return took_place

    assert database.write(work, kept=kept) == answer
    assert (work.attempts, asked) == (attempts, [1])


def test_a_transaction_that_was_undone_is_tried_once_more_and_no_more(database: Database) -> None:
    def undone() -> OperationalError:
        return OperationalError("x", {}, Cut("deadlock", "40P01"))

    assert database.write(Insert(undone())) == 2
    work = Insert(undone(), undone())
    with pytest.raises(StorageError, match="deadlock"):
        database.write(work)
    assert work.attempts == 2


def test_another_error_is_told_at_once(database: Database) -> None:
    work = Insert(OperationalError("x", {}, Cut("no such column")))
    with pytest.raises(StorageError, match="no such column"):
        database.write(work)
    assert work.attempts == 1 and numbers(database) == []


def test_a_mistake_of_ours_undoes_the_work_and_is_passed_on(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        database.write(Insert(ZeroDivisionError()))
    assert numbers(database) == []


def test_a_server_that_was_there_is_waited_for_and_that_is_said_once(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "tunewise"):
        assert database.write(Insert(lost(), lost(), lost())) == 4
    assert caplog.text.count("waiting for it") == 1
    assert numbers(database) == [4]


def test_patience_ends(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 10_000, 50))
    told = SimpleNamespace(monotonic=lambda: float(next(now)), sleep=lambda seconds: None)
    monkeypatch.setattr("tunewise.storage.database.time", told)
    work = Insert(*(lost() for _ in range(9)))
    with pytest.raises(StorageError, match="cut"):
        database.write(work)
    # It begins at 0. The second attempt fails at 50 s, the third at 100, the fourth beyond 120.
    assert work.attempts == 4


def test_a_forked_process_forgets_connections_that_are_not_its_own(database: Database) -> None:
    database.write(Insert())
    database._process = -1  # as a child finds it
    assert numbers(database) == [1]
    assert database._process > 0


def test_a_store_is_made_once_and_then_current(database: Database) -> None:
    assert database.read(lambda c: is_current(c, "x"))
    database.write(lambda c: bring_up_to_date(c, "x"))
    found = database.read(
        lambda c: list(c.exec_driver_sql("SELECT version_num FROM tunewise_schema").scalars())
    )
    assert found == [VERSION]


@pytest.mark.parametrize("version", [f"{int(VERSION) + 1:04}", "10000", f"{VERSION}b", "next"])
def test_a_store_of_a_newer_tunewise_is_refused(database: Database, version: str) -> None:
    change = "UPDATE tunewise_schema SET version_num = ?"
    database.write(lambda c: c.exec_driver_sql(change, (version,)))
    with pytest.raises(
        StorageError, match=rf"\(schema {version}, this one knows up to {VERSION}\)"
    ):
        database.read(lambda c: is_current(c, "x"))


def test_times_are_seconds_since_the_epoch(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tunewise.storage.backend.time.time", lambda: 1234.5)
    from sqlalchemy import select

    assert database.read(lambda c: c.scalar(select(database.now()))) == pytest.approx(1234.5)
