"""Whether what was said came true, on the terminal: of a race, and of a stored study."""

from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import invoke, parsed
from tests.cli.test_replay import TABLE
from tests.doubts import unsure
from tunewise.benchmark import ReplayExecutor


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEWISE_STORAGE", raising=False)
    (tmp_path / "table.csv").write_text(TABLE)
    return tmp_path / "table.csv"


def searched(table: Path, name: str, trials: int) -> None:
    read = tw.Table(table, ["vm", "vms"], fraction="fraction", metrics=["accuracy", "time", "cost"])
    problem = tw.Problem(
        read.space, maximize="accuracy", subject_to=["cost <= 0.025"], fractions=read.fractions
    )
    with tw.Study(problem, "trimtuner", storage="tunewise.db", name=name) as study:
        study.optimize(read, trials=trials, executor=ReplayExecutor(), progress=False)


def test_a_race_tells_how_often_what_was_said_came_true(table: Path) -> None:
    words = ("--table", table, "--strategies", "trimtuner,random", "--seeds", 1, "--trials", 6)
    limit = ("--subject-to", "cost <= 0.025")
    trimtuner, _ = parsed(invoke("replay", *words, *limit, "--json").stdout)
    rows = trimtuner["reliability"]
    assert sum(row["claims"] for row in rows) == trimtuner["trials"]
    assert all(0 <= row["true"] <= 1 and row["sure"] <= row["claims"] for row in rows)
    told = invoke("replay", *words, *limit).stdout
    assert "said 0.9 or more" in told
    assert rows[-1]["seen"] in told


def test_a_stored_study_is_checked_against_what_was_measured_since(table: Path) -> None:
    searched(table, "checked", trials=12)
    rows = parsed(invoke("show", "checked", "--reliability", "--json").stdout)["reliability"]
    assert rows and rows[-1]["seen"] == "100 %"
    assert rows[-1]["held"] == 1.0, "what was measured is known"
    assert "came true" in invoke("show", "checked", "--reliability").stdout
    assert "reliability" not in parsed(invoke("show", "checked", "--json").stdout)


@unsure
def test_a_study_that_cannot_be_checked_says_why(table: Path) -> None:
    searched(table, "young", trials=1)
    told = invoke("show", "young", "--reliability").stdout
    assert "nothing that was recommended on the way has been measured" in told
