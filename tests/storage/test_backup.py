"""A back-up holds one moment of a store and all files that it needs, while others write."""

import threading
from contextlib import chdir, closing
from pathlib import Path

import pytest

import tunewise as tw
from tunewise.declarative.task.told import Example
from tunewise.errors import StorageError
from tunewise.storage import open_store
from tunewise.storage.copies.backup import back_up, restore


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return str(request.getfixturevalue("postgres_url"))


def fed(url: str, count: int) -> list[Example]:
    """The examples of a new task."""
    with closing(tw.Task("table(2) -> [a, b]", name="t", storage=url)) as task:
        task.feed([([i, i + 1], "a" if i % 2 else "b") for i in range(count)])
        return task.examples()


def test_what_is_brought_back_is_what_was_there(url: str, tmp_path: Path) -> None:
    examples = fed(url, 10)
    problem = tw.Problem(tw.Space(tw.Ordinal("x", [1, 2])), minimize="loss")
    with tw.Study(problem, storage=url, name="s") as study:
        study.tell(study.ask(), {"loss": 2.0})
    assert back_up(url, tmp_path / "b.tar") > 1000
    again = f"sqlite:///{tmp_path}/again.db"
    restore(tmp_path / "b.tar", again)
    with closing(tw.Task(name="t", storage=again)) as other:
        assert other.examples() == examples
        assert [int(v) for v in other.example("e3")[0]] == [2, 3]
        assert other.feed([([100, 1], "a")]).added == 1
    with tw.load_study(again, "s") as copied:
        assert copied.history[0].metrics == {"loss": 2.0}
    with pytest.raises(StorageError, match="expected an empty one"):
        restore(tmp_path / "b.tar", again)


@pytest.mark.postgres
def test_a_store_moves_from_sqlite_to_postgresql(postgres_url: str, tmp_path: Path) -> None:
    here = f"sqlite:///{tmp_path}/here.db"
    fed(here, 5)
    back_up(here, tmp_path / "b.tar")
    (tmp_path / "there").mkdir()
    with chdir(tmp_path / "there"):
        restore(tmp_path / "b.tar", postgres_url)
        with closing(tw.Task(name="t", storage=postgres_url)) as moved:
            assert len(moved.examples()) == 5 and moved.example("e1")[1] == "b"
        tw.Task("table(2) -> [a, b]", name="new", storage=postgres_url).close()


def test_a_back_up_is_whole_while_others_feed(url: str, tmp_path: Path) -> None:
    fed(url, 5)
    over = threading.Event()

    def feed() -> None:
        task, at = tw.Task(name="t", storage=url), 5
        while not over.is_set():
            task.feed([([at, at + 1], "a")])
            at += 1
        task.close()

    writer = threading.Thread(target=feed)
    writer.start()
    try:
        for number in range(3):
            back_up(url, tmp_path / f"{number}.tar")
    finally:
        over.set()
        writer.join()
    for number in range(3):
        again = f"sqlite:///{tmp_path}/{number}.db"
        restore(tmp_path / f"{number}.tar", again)
        with closing(tw.Task(name="t", storage=again)) as task:
            assert len(task.examples()) >= 5
            for one in task.examples()[-20:]:
                task.example(one.id)


def test_what_is_no_back_up_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.tar"
    file.write_text("hello")
    with pytest.raises(StorageError, match="is no back-up"):
        restore(file, f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(StorageError, match="no store"):
        back_up(f"sqlite:///{tmp_path}/none.db", tmp_path / "y.tar")


def test_only_their_owner_reads_a_store_and_its_back_up(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    store = open_store(url)
    back_up(url, tmp_path / "copy.tar")
    store.close()
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert {"store.db", "copy.tar"} <= set(modes) and set(modes.values()) == {0o600}
