"""A full disk under what is written for people: a sentence, and nothing is lost."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import Done, clean_environment, job, tunewise

FULL = Path("/dev/full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A storage whose study takes more than is free when it is exported."""
    problem = tw.Problem(tw.Space(tw.Choice("x", ["a" * 60_000])), maximize="accuracy")
    with tw.Study(problem, "random", 0, f"sqlite:///{tmp_path}/tunewise.db", "s") as study:
        study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0})
    return tmp_path


def without_room(*words: str, cwd: Path, room: int = 40_000) -> Done:
    """A command on a disk that has room for so many bytes in each file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        return tunewise(*words, cwd=cwd)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["report", "s", "-o", "kept"], "plotly-"),
        (["report", "s", "-o", "kept", "--self-contained"], "kept"),
        (["export", "s", "-o", "kept"], "kept"),
    ],
)
def test_what_was_there_stays(words: list[str], file: str, folder: Path) -> None:
    (folder / "kept").write_text("from yesterday")
    before = {path for path in folder.iterdir() if "tunewise.db" not in path.name}

    done = without_room(*words, cwd=folder)

    assert done.returncode == 1
    assert f"'{file}" in done.stderr and "could not be written: File too large" in done.stderr
    assert (folder / "kept").read_text() == "from yesterday"
    assert {path for path in folder.iterdir() if "tunewise.db" not in path.name} == before


def test_a_run_says_its_answer_where_its_report_has_no_room(tmp_path: Path) -> None:
    path = job(tmp_path, report="r.html", trials=1)

    done = without_room("tune", str(path), cwd=tmp_path, room=1_000_000)

    assert done.returncode == 1
    assert "Recommended" in done.stdout
    assert "could not be written" in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["export", "s"], ["show", "s"]])
def test_a_full_output_is_said(words: list[str], folder: Path) -> None:
    with FULL.open("w") as output:
        done = subprocess.run(
            [sys.executable, "-m", "tunewise", *words], cwd=folder, env=clean_environment(),
            stdout=output, stderr=subprocess.PIPE, text=True, timeout=100, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.strip() == "the output could not be written: No space left on device"
