"""What a SQLite store promises about its file."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection

from tunewise.storage import open_store
from tunewise.storage.sql import SqlStore
from tunewise.study import StudyRecord
from tunewise.testing.stores import MEASURED, added, asked, far_owner


def opened(folder: Path) -> SqlStore:
    store = open_store(folder / "x.db")
    assert isinstance(store, SqlStore)
    store.create(StudyRecord("s", {}, {}, 0))
    return store


def synchronous(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())


def test_writes_are_on_the_disk_when_committed_and_leases_need_not_be(tmp_path: Path) -> None:
    store = opened(tmp_path)
    database, full, normal = store._database, 2, 1
    assert database.read(lambda c: c.exec_driver_sql("PRAGMA journal_mode").scalar()) == "wal"
    assert database.write(synchronous) == full
    assert database.write_hastily(synchronous) == normal
    assert database.write(synchronous) == full
    store.close()


def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.tell("s", added(store).number, MEASURED)
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.db"]


def test_what_was_told_is_in_the_file_of_a_store_that_was_never_closed(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.tell("s", asked(store, far_owner()).number, MEASURED)
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob("x.db*"):
        if not file.name.endswith("-shm"):  # after a power cut only these two are sure
            (copy / file.name).write_bytes(file.read_bytes())
    found = open_store(copy / "x.db")
    assert found.history("s") == store.history("s")
    assert found.history("s")[0].outcome == MEASURED
    found.close()
    store.close()


def test_told_trials_are_read_from_the_file_only_once(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for _ in range(3):
        store.tell("s", added(store).number, MEASURED)
    added(store)
    before = store.history("s")
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("UPDATE tunewise_trials SET config = '{\"x\": 7}'")
    connection.close()
    after = store.history("s")
    assert after[:3] == before[:3]
    assert after[3].config == {"x": 7}
    store.close()
