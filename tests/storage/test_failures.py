"""A store that cannot be used says so in a sentence, and keeps what it had."""

import os
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, make_url

from tests.postgres import free_port
from tunewise.errors import StorageError
from tunewise.history import Measurement
from tunewise.storage import open_store
from tunewise.study import Store, StudyRecord
from tunewise.testing.stores import MEASURED, added


def mounted(folder: Path, *options: str) -> None:
    """Mount a file system of its own on the folder, or change it."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"a file system can be mounted by root only: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 1 MB."""
    if os.geteuid() != 0:
        pytest.skip("a small disk can be mounted by root only")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted(folder, "size=1m")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def told_store(url: str | Path) -> Store:
    store = open_store(url)
    store.create(StudyRecord("s", {}, {}, 0))
    store.tell("s", added(store).number, MEASURED)
    return store


def tell_until_it_fails(store: Store, sentence: str) -> int:
    """Tell large trials until the store refuses one; gives how many it took."""
    told = len(store.history("s").complete)
    with pytest.raises(StorageError, match=sentence):
        while told < 1000:
            number = added(store).number
            store.tell("s", number, Measurement({f"metric {i}": i / 7 for i in range(200)}))
            told += 1
    return told


def test_on_a_full_disk_nothing_told_is_lost_and_work_goes_on_when_there_is_room(
    disk: Path,
) -> None:
    (disk / "ballast").write_bytes(bytes(300_000))
    store = told_store(disk / "x.db")
    told = tell_until_it_fails(store, "cannot use the store sqlite:///.*x.db: the disk is full")
    assert told > 1
    assert len(store.history("s").complete) == told
    (disk / "ballast").unlink()
    other = open_store(disk / "x.db")
    assert len(other.history("s").complete) == told
    other.tell("s", added(other).number, MEASURED)
    assert len(store.history("s").complete) == told + 1
    store.close()
    other.close()


def test_a_database_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    def limit(connection: sqlite3.Connection, _: object) -> None:
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 10}")

    told_store(tmp_path / "x.db").close()
    event.listen(Engine, "connect", limit)
    try:
        store = open_store(tmp_path / "x.db")
        told = tell_until_it_fails(store, "the disk is full; everything told before is kept")
    finally:
        event.remove(Engine, "connect", limit)
    store.close()
    store = open_store(tmp_path / "x.db")
    assert len(store.history("s").complete) == told
    store.tell("s", added(store).number, MEASURED)
    store.close()


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store in it that nobody can write."""
    folder = tmp_path / "frozen"
    folder.mkdir()
    if os.geteuid() == 0:
        mounted(folder, "size=1m")
    told_store(folder / "x.db").close()
    if os.geteuid() == 0:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield folder
        subprocess.run(["umount", "-l", str(folder)], check=True)
    else:
        (folder / "x.db").chmod(0o400)
        folder.chmod(0o500)
        yield folder
        folder.chmod(0o700)


def test_a_read_only_folder_gets_a_sentence(read_only: Path) -> None:
    sentence = "cannot use the store sqlite:///.*new.db: the file (or its folder is|cannot be)"
    with pytest.raises(StorageError, match=sentence):
        open_store(read_only / "new.db")


def test_an_error_without_a_sentence_of_its_own_is_passed_on_with_the_url(tmp_path: Path) -> None:
    store = told_store(tmp_path / "x.db")
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute(
            "CREATE TRIGGER frozen BEFORE UPDATE ON tunewise_trials"
            " BEGIN SELECT RAISE(ABORT, 'frozen'); END"
        )
    connection.close()
    number = added(store).number
    with pytest.raises(StorageError, match=r"cannot use the store sqlite:///.*x.db: frozen"):
        store.tell("s", number, MEASURED)
    assert len(store.history("s").complete) == 1
    store.close()


def test_a_file_that_is_no_database_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("accuracy,cost\n" * 100)
    with pytest.raises(StorageError, match=r"x\.db: the file is not a SQLite database"):
        open_store(tmp_path / "x.db")
    assert (tmp_path / "x.db").read_text().startswith("accuracy")


def test_a_damaged_file_gets_a_sentence(tmp_path: Path) -> None:
    told_store(tmp_path / "x.db").close()
    whole = (tmp_path / "x.db").read_bytes()
    (tmp_path / "x.db").write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    with pytest.raises(StorageError, match=r"x\.db: the file is damaged"):
        open_store(tmp_path / "x.db").history("s")


def test_an_empty_file_is_a_fresh_store(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch()
    told_store(tmp_path / "x.db").close()
    assert len(open_store(tmp_path / "x.db").history("s").complete) == 1


def test_a_locked_file_gets_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told_store(tmp_path / "x.db").close()
    monkeypatch.setattr("tunewise.storage.backend.BUSY_SECONDS", 0.1)
    store = open_store(tmp_path / "x.db")
    holder = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"x\.db: another process keeps the file locked"):
        added(store)
    assert len(store.history("s")) == 1  # readers need not wait
    holder.close()
    assert added(store).number == 1
    store.close()


def test_an_unreachable_server_gets_a_sentence() -> None:
    port = free_port()
    sentence = rf"cannot use the store postgresql://u:\*\*\*@127.0.0.1:{port}/d: no server answers"
    with pytest.raises(StorageError, match=sentence):
        open_store(f"postgresql://u:s3cret@127.0.0.1:{port}/d")


def test_a_server_that_is_silent_gets_a_sentence() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        with pytest.raises(StorageError, match="no server answers there"):
            open_store(f"postgresql://u:s3cret@127.0.0.1:{port}/d?connect_timeout=2")


def test_a_password_in_the_query_is_hidden_too() -> None:
    url = f"postgresql://u@127.0.0.1:{free_port()}/d?password=s3cret"
    with pytest.raises(StorageError, match=r"password=\*\*\*") as caught:
        open_store(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.postgres
def test_a_wrong_password_gets_a_sentence(postgres_server: str) -> None:
    url = make_url(postgres_server).set(password="wr0ng")
    sentence = r"cannot use the store postgresql://.*\*\*\*@.*: the server refuses the .*password"
    with pytest.raises(StorageError, match=sentence) as caught:
        open_store(url.render_as_string(hide_password=False)).close()
    assert "wr0ng" not in str(caught.value)


@pytest.mark.postgres
def test_a_missing_database_gets_a_sentence(postgres_server: str) -> None:
    url = make_url(postgres_server).set(database="nowhere")
    with pytest.raises(StorageError, match="no such database on the server; create it first"):
        open_store(url.render_as_string(hide_password=False))


@pytest.mark.postgres
def test_a_read_only_database_gets_a_sentence(postgres_url: str) -> None:
    told_store(postgres_url).close()
    store = open_store(postgres_url + "%20-cdefault_transaction_read_only%3Don")
    with pytest.raises(StorageError, match="the database is read-only"):
        added(store)
    assert len(store.history("s").complete) == 1
    store.close()
