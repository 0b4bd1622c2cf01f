"""Where trials keep their logs: one folder a study, never that of another."""

from pathlib import Path

import pytest

from tunewise.errors import StudyError
from tunewise.history import Trial
from tunewise.study.folders import checkpoints, forget, sqlite_file, trials_folder, within
from tunewise.study.store import StudyRecord


def record(name: str = "digits", created_at: float = 1.0) -> StudyRecord:
    return StudyRecord(name, {}, {"name": "random"}, 0, created_at=created_at)


def test_the_folder_of_a_study_is_the_same_each_time(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/runs.db"
    folder = trials_folder(url, record())
    assert folder == tmp_path / "runs.db.runs" / "digits"
    (folder / "0").mkdir()
    assert trials_folder(url, record()) == folder


def test_a_new_study_of_an_old_name_does_not_find_the_results_of_the_old_one(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/runs.db"
    old, new = trials_folder(url, record()), trials_folder(url, record(created_at=2.0))
    assert old != new and new.name == "digits-2"
    assert trials_folder(url, record()) == old


@pytest.mark.parametrize("name", ["../up", "a/b", "..", ".hidden", "a b", "ä" * 300])
def test_a_name_of_a_study_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    folder = trials_folder(str(tmp_path / "runs.db"), record(name))
    assert folder.parent == tmp_path / "runs.db.runs"
    assert folder.is_dir() and not folder.name.startswith(".")


def test_names_that_look_alike_as_folders_are_kept_apart(tmp_path: Path) -> None:
    url = str(tmp_path / "runs.db")
    assert trials_folder(url, record("a b")) != trials_folder(url, record("a_b"))


def test_checkpoints_belong_to_a_config_at_a_fraction_and_not_to_a_trial(tmp_path: Path) -> None:
    place = checkpoints(tmp_path, Trial(0, {"a": 1, "b": 2}, 0.5))
    assert place == checkpoints(tmp_path, Trial(7, {"b": 2, "a": 1}, 0.5))
    assert place != checkpoints(tmp_path, Trial(0, {"a": 1, "b": 2}, 1.0))
    assert place != checkpoints(tmp_path, Trial(0, {"a": 2, "b": 1}, 0.5))


def test_a_folder_of_ones_own_keeps_what_is_not_of_the_study(tmp_path: Path) -> None:
    for name in ("0", "1", "2", "checkpoints"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    forget(tmp_path, trials=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "notes.txt"]


def test_a_folder_that_the_study_made_is_removed_as_a_whole(tmp_path: Path) -> None:
    folder = trials_folder(str(tmp_path / "runs.db"), record())
    (folder / "anything").mkdir()
    forget(folder, trials=0)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:///a/b.db", "a/b.db"),
        ("sqlite+pysqlite:///b.db", "b.db"),
        ("b.db", "b.db"),
        ("sqlite://", None),
        ("postgresql:///b", None),
    ],
)
def test_only_sqlite_has_a_file(url: str, file: str | None) -> None:
    assert sqlite_file(url) == (None if file is None else Path(file))


def test_a_user_that_nobody_knows_is_named() -> None:
    assert within(Path("/jobs"), "train.py") == Path("/jobs/train.py")
    assert within(Path("/jobs"), "/data/x") == Path("/data/x")
    with pytest.raises(StudyError, match="'~nobody-of-this-name'"):
        within(Path("/jobs"), "~nobody-of-this-name/x")
