"""Where results go: storages and reports that cannot be there are refused at once."""

from pathlib import Path

import pytest

from tunewise.errors import StorageError, StudyError, TunewiseError
from tunewise.job.loading import load_study
from tunewise.job.tuning.places import refuse_unknown_store, refuse_unwritable


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlit:///x.db"])
def test_a_store_of_an_unknown_kind_is_refused_before_it_is_opened(url: str) -> None:
    with pytest.raises(TunewiseError, match="Valid:"):
        refuse_unknown_store(url)
    for known in ("sqlite:///x.db", "postgres://h/d", "postgresql+psycopg://h/d", "x.db"):
        refuse_unknown_store(known)


def test_a_named_storage_that_is_not_there_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=rf"no storage 'x.db' at '{tmp_path}/x.db'"):
        load_study(tmp_path / "x.db", "s")


def test_a_report_has_a_place_or_is_refused_before_the_last_trial(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "new" / "r.html")
    (tmp_path / "folder.html").mkdir()
    for path, said in (
        (tmp_path / "folder.html", "is a folder; expected an HTML file"),
        (Path("/dev/null"), "is a device or a pipe"),
        (tmp_path / "a" / "b" / "r.html", f"there is no folder {tmp_path}/a"),
    ):
        with pytest.raises(StudyError, match=said):
            refuse_unwritable(path)
    with pytest.raises(StudyError, match="there is no folder"):
        refuse_unwritable(tmp_path / "new" / "r.html", make=False)
