"""`tunewise report --what-if` says what a part of the data saves, of a table and of a study."""

from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import invoke, parsed
from tests.tables import published_path

ROWS = [
    (vms, fraction, 0.5 + 0.1 * vms * fraction**0.2, 100 * fraction / vms, 0.01 * vms * fraction)
    for vms in (1, 2, 3, 4)
    for fraction in (0.1, 1.0)
]
TABLE = ("--what-if", "--table", "jobs.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEWISE_STORAGE", raising=False)
    lines = "".join(",".join(map(str, row)) + "\n" for row in ROWS)
    (tmp_path / "jobs.csv").write_text("vms,fraction,accuracy,time,cost\n" + lines)
    return tmp_path


@pytest.fixture
def study() -> str:
    table = tw.Table("jobs.csv", ["vms"])
    problem = tw.Problem(
        table.space,
        minimize="cost",
        subject_to=["accuracy >= 0.7", "time <= 60"],
        fractions=table.fractions,
        deploy="any",
    )
    with tw.Study(problem, "random", storage="tunewise.db", name="jobs") as made:
        for vms, fraction, accuracy, time, cost in ROWS:
            made.enqueue({"vms": vms}, fraction)
            made.tell(made.ask(), {"accuracy": accuracy, "time": time, "cost": cost})
    return "jobs"


def test_a_table_is_answered_in_words_and_as_a_page(folder: Path) -> None:
    limits = ("--subject-to", "accuracy >= 0.7", "--subject-to", "time <= 60")
    done = invoke("report", "--what-if", "--table", "jobs.csv", *limits)
    assert done.exit_code == 0, done.stderr
    assert "at accuracy ≥ 0.7 and time ≤ 1 m: 5× cheaper (0.004 USD on 1/10" in done.stdout
    assert "cost on a part" in done.stdout
    assert "the report is in jobs-what-if.html" in done.stdout
    assert "Tunewise what-if" in (folder / "jobs-what-if.html").read_text(encoding="utf-8")


def test_a_study_is_asked_about_its_own_trials_and_limits(study: str) -> None:
    said = invoke("report", study, "--what-if").stdout
    assert "at accuracy ≥ 0.7 and time ≤ 1 m: 5× cheaper (0.004 USD on 1/10" in said
    other = invoke("report", study, "--what-if", "--subject-to", "time <= 10").stdout
    assert "time ≤ 10 s: only a part" in other


def test_where_only_time_was_measured_time_is_saved(folder: Path) -> None:
    lines = "".join(",".join(map(str, row[:4])) + "\n" for row in ROWS)
    (folder / "timed.csv").write_text("vms,fraction,accuracy,time\n" + lines)
    done = invoke("report", "--what-if", "--table", "timed.csv", "--subject-to", "accuracy >= 0.7")
    assert done.exit_code == 0, done.stderr
    assert "a part of the data is faster" in done.stdout
    assert "time on a part" in done.stdout
    page = (folder / "timed-what-if.html").read_text(encoding="utf-8")
    assert "the full data is fastest" in page


def test_machines_get_the_whole_grid(folder: Path) -> None:
    told = parsed(
        invoke("report", "--what-if", "--table", "jobs.csv", "-o", "x.html", "--json").stdout
    )
    assert told["report"] == str(folder / "x.html")
    assert (told["rows"]["metric"], told["columns"]["sign"]) == ("accuracy", "<=")
    shape = (len(told["rows"]["bounds"]), len(told["columns"]["bounds"]))
    for grid in ("saving", "best", "full", "fraction"):
        assert (len(told[grid]), len(told[grid][0])) == shape
    assert told["fraction"][0][-1] == 0.1


def test_other_limits_may_be_varied() -> None:
    words = ("report", "--what-if", "--table", "jobs.csv", "--json", "--limits")
    told = parsed(invoke(*words, "time<=, accuracy>=").stdout)
    assert (told["rows"]["metric"], told["columns"]["metric"]) == ("time", "accuracy")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no study is named; expected STUDY, or --what-if with --table"),
        (["x", "--table", "jobs.csv"], "--table belongs to --what-if; give that too"),
        (["--what-if"], "expected either STUDY or --table"),
        (["x", "--what-if", "--table", "jobs.csv"], "expected either STUDY or --table"),
        (["x", "--what-if", "--config", "vms"], "columns belong to --table"),
        (["--what-if", "--table", "none.csv"], "cannot be read"),
        ([*TABLE, "--limits", "time"], "expected two different metrics"),
        ([*TABLE, "--limits", "acuracy,time"], "did you mean 'accuracy'"),
        ([*TABLE, "--subject-to", "tme < 1"], "did you mean 'time'"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: list[str], sentence: str) -> None:
    done = invoke("report", *words)
    assert done.exit_code == 1
    assert sentence in done.stderr


def test_the_published_table_is_answered() -> None:
    limits = ("--subject-to", "accuracy >= 0.85", "--subject-to", "time <= 300")
    said = invoke(
        "report", "--what-if", "--table", published_path("trimtuner/cnn.csv"), *limits
    ).stdout
    assert "at accuracy ≥ 0.85 and time ≤ 5 m: 4.1× cheaper (0.00355 USD on 1/10" in said
