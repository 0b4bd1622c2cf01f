"""`list`, `show` and `delete` know the trainings that `tunewise train` stored."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import invoke
from tunewise.online import Tuner
from tunewise.online.record.folder import training_folder
from tunewise.report.training.page import render
from tunewise.space import Ordinal, Space
from tunewise.storage import open_store


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a storage that keeps a training which is done, and its checkpoint."""
    monkeypatch.chdir(tmp_path)
    tuner = Tuner(
        Space(Ordinal("workers", [1, 2])),
        "samples >= 2000",
        storage="sqlite:///tunewise.db",
        name="run-7",
    )
    for setting in tuner:
        while not tuner.changed:
            tuner.report(loss=0.5, samples=10, seconds=1.0 / setting["workers"])
    folder = training_folder("tunewise.db", "", "run-7")
    folder.mkdir(parents=True)
    (folder / "checkpoint.npz").write_bytes(b"")
    return folder


@pytest.mark.usefixtures("stored")
def test_trainings_are_listed_below_the_studies() -> None:
    said = invoke("list").stdout
    assert "run-7" in said
    assert "done" in said
    (row,) = json.loads(invoke("list", "--trainings", "--json").stdout)
    assert (row["name"], row["done"], row["iterations"]) == ("run-7", True, 200)
    assert row["setting"] == {"workers": 2}
    assert json.loads(invoke("list", "--json").stdout) == []


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("command", [("show",), ("report",), ("delete", "--yes")])
def test_a_name_that_nothing_has_is_answered_with_what_there_is(command: tuple[str, ...]) -> None:
    said = invoke(*command, "run-8").stderr
    assert "there is no study or training 'run-8'" in said and "run-7" in said


@pytest.mark.usefixtures("stored")
def test_a_training_is_shown_with_the_settings_that_it_tried() -> None:
    said = invoke("show", "run-7").stdout
    assert "run-7: done, until samples >= 2000; 200 iterations" in said
    shown = json.loads(invoke("show", "run-7", "--json").stdout)
    assert [each["setting"]["workers"] for each in shown["switches"]] == [1, 2]
    assert sum(each["iterations"] for each in shown["switches"]) == 200
    refused = invoke("show", "run-7", "--trial", "0")
    assert "'run-7' is a training; it has no trials" in refused.stderr
    assert "there is no training 'run-8'; did you mean" in (
        invoke("show", "run-8", "--training").stderr
    )


@pytest.mark.usefixtures("stored")
def test_a_missed_deadline_is_shown() -> None:
    tuner = Tuner(
        Space(Ordinal("workers", [1])),
        "samples >= 100",
        price=lambda _: 1.0,
        deadline=5,
        storage="sqlite:///tunewise.db",
        name="late",
    )
    while not tuner.done:
        tuner.report(loss=0.5, samples=10, seconds=1.0)
    assert "workers=1; the deadline of 5 s was missed" in invoke("show", "late").stdout
    assert json.loads(invoke("show", "late", "--json").stdout)["missed"]
    assert not json.loads(invoke("show", "run-7", "--json").stdout)["missed"]


@pytest.mark.usefixtures("stored")
def test_the_page_of_a_training_is_written_from_the_storage_alone() -> None:
    assert "the report is in run-7-report.html" in invoke("report", "run-7").stdout
    page = Path("run-7-report.html").read_text()
    assert "Tunewise training" in page and "First setting alone" in page
    told = json.loads(invoke("report", "run-7", "--json", "--self-contained").stdout)
    assert told["training"] == "run-7"
    assert len(Path("run-7-report.html").read_text()) > 100_000


@pytest.mark.parametrize(("end", "left"), [("samples >= 1000", "about 40"), ("loss <= 0.01", "")])
@pytest.mark.usefixtures("stored")
def test_the_page_of_a_training_that_runs_shows_all_that_was_reported(end: str, left: str) -> None:
    store = open_store("sqlite:///tunewise.db")
    tuner = Tuner(Space(Ordinal("workers", [1])), end, storage=store, name="runs")
    for number in range(60):
        tuner.report(loss=1 / (1 + number), samples=10, seconds=1.0)
        if number == 9:
            tuner.saved()
    tuner._record.flush()
    before = store.runs().events("runs")
    assert invoke("report", "runs").exit_code == 0
    page = Path("runs-report.html").read_text()
    assert "Not done yet" in page
    said = re.findall("about [^<]* left", page)
    assert said and said == re.findall("about [^<]* left", render("runs", tuner))
    assert said[0].startswith(left)
    assert store.runs().events("runs") == before, "it is left as it is"
    store.close()


def test_a_deleted_training_is_gone_with_its_checkpoint(stored: Path) -> None:
    refused = invoke("delete", "run-7")
    assert "training 'run-7' has 200 iterations; add --yes to delete it" in refused.stderr
    assert stored.exists()
    assert "training 'run-7' with 200 iterations" in invoke("delete", "run-7", "--yes").stdout
    assert not stored.exists()
    assert invoke("show", "run-7").exit_code == 1
    assert "no trainings yet" in invoke("list", "--trainings").stdout


def test_names_and_namespaces_never_share_a_folder_or_lead_elsewhere() -> None:
    pairs = [("", "a"), ("team", "a"), ("", "a/b"), ("", "a_b"), ("", "../a"), ("", "..")]
    folders = [training_folder("runs.db", *each) for each in pairs]
    assert len(set(folders)) == len(pairs)
    assert {each.resolve().parent for each in folders} == {Path("runs.db.runs").resolve()}


OWNED = """
import sys
from tunewise.online import Tuner
from tunewise.report.training.page import render
from tunewise.space import Ordinal, Space
space = Space(Ordinal("workers", [1, 2]))
tuner = Tuner(space, "samples >= 2000", storage="sqlite:///tunewise.db", name="runs")
tuner.report(loss=0.5, samples=10, seconds=1.0)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_training_that_runs_is_not_deleted(stored: Path) -> None:
    folder = stored.with_name("runs.training")
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", OWNED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "ready\n"
        refused = invoke("delete", "runs", "--yes")
        assert refused.exit_code == 1
        said = f"the training 'runs' goes on in another process, process {owner.pid} on"
        assert said in refused.stderr
        assert folder.exists() and "runs" in invoke("list").stdout
        owner.communicate()
    assert invoke("delete", "runs").exit_code == 1, "nobody agreed"
    assert "training 'runs' with" in invoke("delete", "runs", "--yes").stdout
    assert not folder.exists()
