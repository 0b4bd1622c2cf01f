"""A PostgreSQL store outlives its connections."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import OperationalError

from tunewise.errors import RightLost, StorageError, StudyError
from tunewise.history import Preempted, TrialState
from tunewise.storage import open_store
from tunewise.storage.sql import SqlStore
from tunewise.study import Owner, Store, StudyRecord
from tunewise.testing.stores import LONG, MEASURED, asked, far_owner

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    """A store with one running trial, whose connections can be told from others."""
    store = open_store(f"{postgres_url}&application_name=under_test")
    store.create(StudyRecord("s", {}, {}, 0))
    asked(store, far_owner())
    yield store
    store.close()


@pytest.fixture
def server(postgres_url: str) -> Iterator["psycopg.Connection[Any]"]:
    with psycopg.connect(postgres_url) as connection:
        yield connection


OURS = "application_name = 'under_test'"
WAITING = f"{OURS} AND wait_event_type = 'Lock'"
"""The store's connections, and the one of them that waits for a lock."""


def cut(server: "psycopg.Connection[Any]", waiting: bool) -> None:
    """End the store's connections, or the one of them that waits for a lock."""
    as_soon_as_there(server, "pg_terminate_backend(pid)", WAITING if waiting else OURS)


def as_soon_as_there(server: "psycopg.Connection[Any]", asked: str, which: str) -> None:
    """Ask something of connections once there are such."""
    deadline = time.monotonic() + 120
    question = f"SELECT {asked} FROM pg_stat_activity WHERE {which}".encode()
    while not server.execute(question).fetchall():
        server.execute("SELECT pg_stat_clear_snapshot()")
        assert time.monotonic() < deadline, "the store never waited for the lock"
        time.sleep(0.01)


class Tell(threading.Thread):
    """Tells trial 0 in another thread, and keeps what came of it."""

    def __init__(self, store: Store, outcome: Any) -> None:
        super().__init__()
        self.store, self.outcome, self.error = store, outcome, ""
        self.start()

    def run(self) -> None:
        try:
            self.store.tell("s", 0, self.outcome)
        except StorageError as error:
            self.error = str(error)


def test_connections_that_broke_while_idle_are_replaced(
    store: Store, server: "psycopg.Connection[Any]"
) -> None:
    cut(server, waiting=False)
    assert store.tell("s", 0, MEASURED).outcome == MEASURED


def test_a_tell_whose_connection_breaks_is_tried_again(
    store: Store, server: "psycopg.Connection[Any]"
) -> None:
    server.execute("SELECT 1 FROM tunewise_trials FOR UPDATE")
    tell = Tell(store, MEASURED)
    cut(server, waiting=True)
    server.rollback()
    tell.join()
    assert tell.error == ""
    assert store.history("s")[0].outcome == MEASURED


def test_a_tell_that_was_kept_before_its_connection_broke_is_not_refused(
    store: Store, server: "psycopg.Connection[Any]", postgres_url: str
) -> None:
    other = open_store(postgres_url)
    server.execute("SELECT 1 FROM tunewise_trials FOR UPDATE")
    tell = Tell(store, MEASURED)
    cut(server, waiting=True)
    server.rollback()
    other.tell("s", 0, MEASURED)  # within the pause before the second attempt
    tell.join()
    other.close()
    assert tell.error == ""
    assert store.history("s")[0].outcome == MEASURED


def test_what_broke_before_its_commit_is_tried_again_though_it_must_not_happen_twice(
    store: Store, server: "psycopg.Connection[Any]"
) -> None:
    server.execute("SELECT 1 FROM tunewise_trials FOR UPDATE")
    tell = Tell(store, Preempted("spot", {"cost": 1.0}))
    cut(server, waiting=True)
    server.rollback()
    tell.join()
    assert tell.error == ""
    assert store.history("s")[0].lost == {"cost": 1.0}


@pytest.mark.parametrize("durable", [True, False], ids=["kept", "undone"])
def test_a_preemption_is_booked_once_though_the_connection_breaks_in_its_commit(
    store: Store, durable: bool
) -> None:
    with broken_commit(store, durable):
        store.tell("s", 0, Preempted("spot", {"cost": 1.0}), far_owner())
    assert store.history("s")[0].lost == {"cost": 1.0}
    claimed = store.claim("s", far_owner("next"), LONG)
    assert claimed is not None and claimed.number == 0


@pytest.mark.parametrize("crash", ["take", "give back"])
def test_a_crash_that_undoes_what_was_done_to_the_right_to_ask_holds_up_nobody(
    store: Store, server: "psycopg.Connection[Any]", crash: str
) -> None:
    me, seen = far_owner("me"), "SELECT asker, asker_until FROM tunewise_studies"

    def undo(asker: str | None, until: float | None) -> None:
        server.execute("UPDATE tunewise_studies SET asker = %s, asker_until = %s", (asker, until))
        server.commit()

    if crash == "take":
        with store.asking("s", me):
            undo(None, None)
            with pytest.raises(RightLost):
                store.add("s", {"x": 2}, 1.0, (), me, LONG)
        assert asked(store, me).number == 1
        return
    with store.asking("s", me):
        row = server.execute(seen.encode()).fetchone()
        server.commit()
    assert row is not None
    undo(*row)
    assert asked(store, me).number == 1  # it knows that the right is its own
    undo(*row)
    store.renew("s", me, LONG)  # its next sign of life ends the ghost
    assert asked(store, far_owner("other")).number == 2


@pytest.mark.parametrize("durable", [True, False], ids=["kept", "undone"])
@pytest.mark.parametrize("operation", ["add", "claim", "asking"])
def test_a_trial_is_given_out_once_though_the_connection_breaks_in_its_commit(
    store: Store, postgres_url: str, operation: str, durable: bool
) -> None:
    waiting = open_store(postgres_url)
    waiting.add("s", {"x": 2}, 1.0, (), None, LONG)
    me = far_owner("me")
    if operation == "add":
        with store.asking("s", me), broken_commit(store, durable):
            given = store.add("s", {"x": 3}, 0.5, (), me, LONG)
        assert (given.number, given.config, given.state) == (2, {"x": 3}, TrialState.RUNNING)
        assert len(waiting.history("s")) == 3
    elif operation == "claim":
        with broken_commit(store, durable):
            claimed = store.claim("s", me, LONG)
        assert claimed is not None and claimed.number == 1
        assert waiting.claim("s", far_owner("other"), LONG) is None
    else:
        with broken_commit(store, durable), store.asking("s", me):
            given = store.add("s", {"x": 3}, 0.5, (), me, LONG)
        assert given == waiting.history("s")[2]
    waiting.close()


def test_of_two_processes_that_begin_a_training_at_once_one_is_refused(
    store: Store, server: "psycopg.Connection[Any]"
) -> None:
    kept, refused = store.runs(), list[str]()
    kept.begin("one", {})
    first = replace(Owner.here(), host="elsewhere")
    server.execute(
        "UPDATE tunewise_runs SET owner = %s, owned_until = %s", (str(first), time.time() + 600)
    )

    def second() -> None:
        try:
            kept.own("one", Owner.here(), 60)
        except StudyError as error:
            refused.append(str(error))

    late = threading.Thread(target=second)
    late.start()
    as_soon_as_there(server, "pid", WAITING)
    server.commit()
    late.join()
    assert len(refused) == 1 and "goes on in another process" in refused[0]


@contextmanager
def broken_commit(store: Store, durable: bool) -> Iterator[None]:
    """The next commit of the store does or does not take place, and its answer never comes."""
    assert isinstance(store, SqlStore)
    database, left = store._database, [True]
    engines = (database._backend.writer, database._backend.hasty)

    def break_off(connection: Connection) -> None:
        if left:
            left.clear()
            raw = connection.connection
            raw.commit() if durable else raw.rollback()
            lost = psycopg.OperationalError("server closed the connection unexpectedly")
            raise OperationalError("COMMIT", {}, lost, connection_invalidated=True)

    for engine in engines:
        event.listen(engine, "commit", break_off)
    yield
    for engine in engines:
        event.remove(engine, "commit", break_off)
    assert not left, "there was no commit to break"


def test_leases_follow_the_servers_clock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 4e9)  # a machine whose clock runs ahead
    assert store.claim("s", far_owner("idle"), LONG) is None
    told = store.tell("s", 0, MEASURED)
    assert told.told_at is not None
    assert told.told_at < 4e9


@pytest.mark.parametrize("setting", ["on", "off"])
def test_writes_are_on_the_disk_when_committed_and_leases_need_not_be(
    postgres_url: str, setting: str
) -> None:
    def synchronous(connection: Connection) -> str:
        return str(connection.exec_driver_sql("SHOW synchronous_commit").scalar_one())

    store = open_store(f"{postgres_url}%20-csynchronous_commit%3D{setting}")
    assert isinstance(store, SqlStore)
    assert store._database.write(synchronous) == "on"
    assert store._database.write_hastily(synchronous) == "off"
    assert store._database.write(synchronous) == "on"
    store.close()
