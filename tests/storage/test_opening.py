"""From a URL or a path to a store, or to a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tunewise.errors import MissingExtraError, StorageError
from tunewise.storage import MemoryStore, open_store
from tunewise.study import Store, StudyRecord


def create_study(store: Store) -> None:
    store.create(StudyRecord("s", {}, {}, 0))
    store.close()


def names(store: Store) -> list[str]:
    found = [record.name for record in store.studies()]
    store.close()
    return found


def test_none_is_a_new_store_in_memory() -> None:
    first, second = open_store(None), open_store(None)
    assert isinstance(first, MemoryStore)
    create_study(first)
    assert names(second) == []


def test_a_path_and_its_urls_are_the_same_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    create_study(open_store("runs.db"))
    for same in (
        tmp_path / "runs.db",
        str(tmp_path / "runs.db"),
        "sqlite:///runs.db",
        f"sqlite:///{tmp_path}/runs.db",
        f"SQLITE:///{tmp_path}/runs.db",
    ):
        assert names(open_store(same)) == ["s"]


@pytest.mark.parametrize("name", ["a.sqlite", "a.sqlite3", "A.DB", "50% of?a#b.db"])
def test_a_path_may_have_any_usual_ending_and_odd_letters(tmp_path: Path, name: str) -> None:
    create_study(open_store(str(tmp_path / name)))
    assert (tmp_path / name).is_file()


def test_a_path_object_may_have_any_name(tmp_path: Path) -> None:
    create_study(open_store(tmp_path / "study"))
    assert (tmp_path / "study").is_file()


def test_a_relative_store_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///runs.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store._database._backend.dispose()  # type: ignore[attr-defined] # as after an idle hour
    create_study(store)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_home_folder_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    create_study(open_store("sqlite:///~/runs.db"))
    create_study(open_store("~/runs.db"))
    assert (tmp_path / "runs.db").is_file()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sqlit:///x.db", r"unknown kind of store 'sqlit'; did you mean 'sqlite'\?"),
        ("postgre://h/d", r"unknown kind of store 'postgre'; did you mean 'postgres"),
        ("mysql://h/d", r"unknown kind of store 'mysql'.*Valid: sqlite, postgresql"),
        ("tunewise", r"'tunewise' is not a store; expected 'sqlite:///FILE.db'"),
        ("", r"'' is not a store; expected 'sqlite:///FILE.db'"),
        ("sqlite://", r"names no file; for a store in memory give None"),
        ("sqlite:///:memory:", r"names no file; for a store in memory give None"),
        ("sqlite://runs.db", r"names a host; a file has three slashes"),
        ("postgresql://u:s3cret@h:port/d", r"'postgresql://u:\*\*\*@h:port/d' is not a URL"),
    ],
)
def test_a_wrong_url_gets_a_sentence(url: str, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence) as caught:
        open_store(url)
    assert "s3cret" not in str(caught.value)


def test_a_missing_folder_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="the folder '.*/no/such' for the store 'x.db' is not"):
        open_store(tmp_path / "no" / "such" / "x.db")
    assert not list(tmp_path.iterdir())


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is a folder; expected a file"):
        open_store(tmp_path)


def test_a_missing_driver_gets_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tunewise\[postgres\]'"):
        open_store("postgresql://user@host/database")


@pytest.mark.postgres
@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_all_forms_of_a_postgresql_url_are_understood(scheme: str, postgres_url: str) -> None:
    create_study(open_store(scheme + postgres_url[postgres_url.index("://") :]))
    assert names(open_store(postgres_url)) == ["s"]


def test_heavy_packages_are_imported_only_when_needed(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from tunewise.storage import open_store\n"
        "open_store(None)\n"
        "assert not {'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)\n"
        f"for _ in range(2): open_store({str(tmp_path / 'x.db')!r}).close()\n"
        "assert not {'alembic', 'psycopg'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_store_on_a_read_only_mount_can_be_read(tmp_path: Path) -> None:
    create_study(open_store(tmp_path / "s.db"))
    bind = ["mount", "--bind", str(tmp_path), str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(bind, capture_output=True).returncode != 0:
        pytest.skip("this user cannot mount")
    try:
        remount = ["mount", "-o", "remount,ro,bind", str(tmp_path)]
        if subprocess.run(remount, capture_output=True).returncode != 0:
            pytest.skip("this user cannot mount read-only")
        store = open_store(tmp_path / "s.db")
        with pytest.raises(StorageError, match="read-only"):
            store.create(StudyRecord("t", {}, {}, 0))
        assert names(store) == ["s"]
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)
