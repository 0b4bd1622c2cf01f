"""What is shown of a stored study and how it is stopped, part by part."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer

import tunewise as tw
from tests.cli.shell import invoke, parsed
from tunewise.cli import report
from tunewise.cli.studies.delete import agree
from tunewise.job.loading import load_study
from tunewise.report.terminal import trial as terminal
from tunewise.storage import open_store

SPACE = tw.Space(
    tw.Real("rate", 0, 1),
    tw.Integer("n", 1, 9),
    tw.Choice("kind", ["Net", None, True, 4]),
    tw.Ordinal("vms", [1, 2]),
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEWISE_STORAGE", raising=False)
    return tmp_path


def made(name: str = "s", **options: Any) -> tw.Study:
    given = {"maximize": "accuracy", "subject_to": "cost <= 0.02", "fractions": (0.25, 1.0)}
    problem = tw.Problem(SPACE, **{**given, **options})
    return tw.Study(problem, "random", seed=0, storage="tunewise.db", name=name)


def facts(outcome: Any, fraction: float = 1.0, **options: Any) -> dict[str, str]:
    with made(**options) as study:
        study.enqueue({"rate": 0.123456, "n": 4, "kind": None, "vms": 1}, fraction)
        study.tell(study.ask(), tw.Preempted("spot", {"cost": 0.5}))
        study.tell(study.ask(), outcome)
    with load_study("tunewise.db", "s") as stored:
        return dict(terminal.facts(stored.problem, stored.trial(0)))


def test_all_that_is_known_of_a_trial_is_told() -> None:
    told = facts(tw.Measurement({"accuracy": 0.5, "cost": 0.01, "time": 75.0}), 0.25)
    asked_at, told_at = told.pop("asked"), told.pop("told")
    assert len(asked_at) == len(told_at) == len("2024-01-01 00:00:00")
    assert told == {
        "trial": "0, complete, enqueued",
        "rate": "0.1235",
        "n": "4",
        "kind": "None",
        "vms": "1",
        "data": "1/4",
        "accuracy": "0.5",
        "cost": "0.01 USD",
        "time": "1 m 15 s",
        "limits": "part of the data",
        "lost": "0.50 USD in earlier attempts",
    }


def test_a_failed_trial_is_told_with_its_reason_and_nothing_that_it_lacks() -> None:
    told = facts(tw.Failure("out of\nmemory"), subject_to=())
    assert told["reason"] == "out of\nmemory"
    assert {"data", "limits", "accuracy"}.isdisjoint(told)


def test_the_end_of_a_long_line_is_shown(here: Path) -> None:
    log = here / "log.txt"
    log.write_text("x" * 1000 + "\n" + "a" * 1234 + "b" * 1000)
    assert terminal.tail(log) == ["x" * 1000, "…(1,234 characters)…" + "b" * 1000]
    log.write_bytes(b"".join(b"line %d\n" % n for n in range(30)) + b"\xff end")
    shown = terminal.tail(log)
    assert (shown[0], shown[-1], len(shown)) == ("line 11", "� end", 20)


def test_a_study_without_trials_says_so() -> None:
    made().close()
    done = invoke("show", "s", "--trial", 0)
    assert done.stderr == "study 's' has no trial 0; it has none yet\n"
    assert parsed(invoke("show", "s", "--json").stdout)["recommendation"] is None


def test_a_training_has_no_trials_to_show() -> None:
    with closing(open_store("tunewise.db")) as store:
        store.runs().begin("net", {})
    done = invoke("show", "net", "--trial", 0)
    assert done.exit_code == 1
    assert "'net' is a training; it has no trials and no reliability" in done.stderr


def test_a_list_has_a_line_for_each_study_the_newest_first() -> None:
    with made("old") as study:
        for outcome in (
            tw.Measurement({"accuracy": 0.5, "cost": 0.015, "time": 60.0}),
            tw.Failure("no", {"time": 60.0}),
        ):
            study.tell(study.ask(), outcome)
        study.ask()
    made("new").close()
    head, new, old = (line.split() for line in invoke("list").stdout.splitlines())
    assert head == ["study", "created", "strategy", "trials", "best", "spent", "time"]
    assert (new[0], new[3:]) == ("new", ["random", "0", "–", "–", "–"])
    assert old[3:] == ["random", "2", "+1", "accuracy", "0.5", "0.015", "USD", "2", "m"]
    rows = parsed(invoke("list", "--json").stdout)
    assert [(r["trials"], r["complete"], r["failed"], r["running"]) for r in rows] == [
        (0, 0, 0, 0),
        (3, 1, 1, 1),
    ]


def test_a_storage_without_trainings_says_how_to_make_one() -> None:
    made().close()
    said = invoke("list", "--trainings").stdout
    assert said == "no trainings yet; `tunewise train job.yaml` makes one\n"
    assert parsed(invoke("list", "--trainings", "--json").stdout) == []


@pytest.mark.parametrize(("answer", "code"), [("y\n", None), ("n\n", 1)])
def test_a_person_is_asked_before_something_is_deleted(
    answer: str, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for = []

    def confirm(question: str, err: bool) -> bool:
        asked_for.append((question, err))
        return answer == "y\n"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", confirm)
    if code is None:
        agree(False, "study 's'", "3 trials", "their logs")
    else:
        with pytest.raises(typer.Exit) as left:
            agree(False, "study 's'", "3 trials", "their logs")
        assert left.value.exit_code == code
    assert asked_for == [("Delete study 's' with 3 trials and their logs?", True)]
    agree(True, "study 's'", "3 trials", "their logs")
    assert len(asked_for) == 1


def test_a_page_is_named_after_its_study_or_table() -> None:
    assert [report._stem(name) for name in ("a/b", "jobs.csv", "x.csv.gz")] == [
        "a_b", "jobs", "x.csv.gz",
    ]  # fmt: skip
