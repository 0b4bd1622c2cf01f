"""Trials as lines of a terminal, and what `tunewise tune` says of them: letter by letter."""

from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.cli.shell import job, tunewise
from tunewise.cli.tuning.run import way_back
from tunewise.history import Trial, TrialState
from tunewise.job.tuning import plan
from tunewise.report import export
from tunewise.report.terminal.progress import Rows, TerminalProgress
from tunewise.report.terminal.tuning import nothing_measured, short
from tunewise.storage import MemoryStore


def problem(**options: Any) -> tw.Problem:
    space = tw.Space(tw.Ordinal("vms", [1, 16]), tw.Real("rate", 0, 1))
    given = {"maximize": "accuracy", "subject_to": "cost <= 0.02", "fractions": (0.25, 1.0)}
    return tw.Problem(space, **{**given, **options})


def told(outcome: Any, fraction: float = 1.0) -> Trial:
    config = {"vms": 16, "rate": 0.123456789}
    return Trial(7, config, fraction, state=TrialState.RUNNING).told(outcome)


GOOD = tw.Measurement({"accuracy": 0.91234, "cost": 0.01, "time": 75.0})


def test_columns_stay_in_place_from_line_to_line() -> None:
    rows = Rows(problem())
    assert [rows.header().plain, rows.line(told(GOOD)).plain] == [
        "  trial  data  accuracy  cost (USD)      time  vms       rate",
        "✓     7   all    0.9123        0.01  1 m 15 s   16     0.1235",
    ]


@pytest.mark.parametrize(
    ("outcome", "fraction", "line", "style"),
    [
        (
            tw.Measurement({"accuracy": 0.9, "cost": 0.5}), 1.0,
            "✗     7   all       0.9        0.50         –   16     0.1235", "yellow",
        ),
        (
            tw.Measurement({"accuracy": 0.5, "cost": 0.01}), 0.25,
            "✓     7   1/4       0.5        0.01         –   16     0.1235", "cyan",
        ),
        (tw.Failure("no memory\nat line 3"), 1.0, "!     7   all  failed: no memory", "red"),
        (tw.TimedOut("after 60 s"), 1.0, "!     7   all  timed out: after 60 s", "red"),
        (tw.Cancelled("enough"), 1.0, "–     7   all  cancelled: enough", "bright_black"),
        (tw.Preempted("spot"), 1.0, "↻     7   all  waiting: it runs again", "bright_black"),
    ],
)  # fmt: skip
def test_a_line_tells_how_a_trial_ended(
    outcome: Any, fraction: float, line: str, style: str
) -> None:
    shown = Rows(problem()).line(told(outcome, fraction))
    assert (shown.plain, shown.style) == (line, style)


def test_without_slices_there_is_no_column_for_them() -> None:
    rows = Rows(problem(fractions=(1.0,), subject_to=()))
    assert rows.header().plain == "  trial  accuracy  cost (USD)      time  vms       rate"
    assert rows.line(told(GOOD)).plain.startswith("✓     7    0.9123        0.01  1 m 15 s")


def test_a_column_is_as_wide_as_its_widest_value() -> None:
    space = tw.Space(tw.Ordinal("n", [1, 1024]), tw.Choice("vm", ["t2.small", "c4"]))
    header = Rows(tw.Problem(space, maximize="accuracy")).header().plain
    assert header.endswith("     n        vm")


def test_a_parameter_that_does_not_apply_has_an_empty_cell() -> None:
    space = tw.Space(
        tw.Choice("kind", ["net", "tree"]), tw.Integer("depth", 1, 9, when={"kind": "tree"})
    )
    rows = Rows(tw.Problem(space, maximize="accuracy"))
    trial = Trial(0, {"kind": "net"}, 1.0, state=TrialState.RUNNING).told(GOOD)
    assert rows.line(trial).plain.endswith(" net      –")


@pytest.fixture
def study() -> tw.Study:
    return tw.Study(problem(), "random", seed=0, name="digits")


def test_a_run_begins_with_its_goal_and_says_what_it_goes_on_after(study: tw.Study) -> None:
    progress = TerminalProgress(study, 5, "2 min", show=False)
    with progress:
        assert "maximise accuracy with cost ≤ 0.02 USD" in progress._opening().plain
    study.tell(study.ask(), GOOD)
    again = TerminalProgress(study, 5, None, show=False)
    with again:
        assert again._opening().plain.endswith(", by random, resumed after 1 trials")
        assert not again.living and not again.all_seen


def test_lines_go_to_standard_error_where_nobody_watches(
    study: tw.Study, capsys: pytest.CaptureFixture[str]
) -> None:
    with TerminalProgress(study, 5, None) as progress:
        progress.told(told(tw.Failure("[/no] memory")))
        progress.note("nothing [bold] here")
    out, err = capsys.readouterr()
    assert out == ""
    assert "!     7   all  failed: [/no] memory\n" in err and "nothing [bold] here\n" in err


def test_the_end_of_a_trial_is_an_event(study: tw.Study) -> None:
    study.enqueue({"vms": 1, "rate": 0.5})
    assert export.told(study, study.tell(study.ask(), GOOD)) == {
        "event": "trial",
        "study": "digits",
        "number": 0,
        "state": "complete",
        "config": {"vms": 1, "rate": 0.5},
        "fraction": 1.0,
        "metrics": {"accuracy": 0.91234, "cost": 0.01, "time": 75.0},
        "feasible": True,
        "spent": {"cost": 0.01, "time": 75.0},
    }
    failed = export.told(study, study.tell(study.ask(), tw.Failure("no")))
    assert failed["reason"] == "no"


def noted(study: tw.Study, **notes: Any) -> tw.Study:
    study.store.annotate(study.name, notes)
    return study


def test_the_end_of_a_run_is_an_event(study: tw.Study, tmp_path: Path) -> None:
    study.tell(study.ask(), GOOD)
    event = export.ended(noted(study, stopped="5 trials", folder=str(tmp_path)))
    assert (event["event"], event["stopped"], event["trials"]) == ("end", "5 trials", 1)
    assert event["folder"] == str(tmp_path)
    assert event["spent"] == {"cost": 0.01, "time": 75.0}
    told = {"config", "fraction", "predicted", "feasible"}
    assert set(event["recommendation"]) == told


def test_where_nothing_was_measured_the_most_frequent_reason_is_told(
    study: tw.Study, tmp_path: Path
) -> None:
    assert nothing_measured(study) == ("no trial was measured, so nothing can be recommended")
    for reason in ("no disk", "out of memory", "out of memory"):
        study.tell(study.ask(), tw.Failure(reason))
    kept = noted(study, folder=str(tmp_path))
    assert nothing_measured(kept) == ("no trial was measured: trial 1 failed: out of memory")
    log = tmp_path / "1" / "log.txt"
    log.parent.mkdir()
    log.touch()
    assert "its output" not in nothing_measured(kept)  # it is empty
    log.write_text("Killed\n")
    assert nothing_measured(kept).endswith(f" (its output is in {log})")


@pytest.mark.parametrize(
    ("url", "namespace", "words"),
    [
        ("sqlite:///tunewise.db", None, ""),
        ("my runs.db", None, " --storage 'my runs.db'"),
        (
            "postgresql://u:s3cret@h/d",
            "team a",
            " --storage 'postgresql://u:***@h/d' --namespace 'team a'",
        ),
        ("sqlite:///tunewise.db", "a", " --namespace a"),
    ],
)
def test_the_way_back_to_a_study_is_said_without_its_password(
    url: str, namespace: str | None, words: str
) -> None:
    assert way_back(url, namespace) == words


def test_a_path_is_told_from_here_where_that_is_shorter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert short(tmp_path / "a" / "b.txt") == "b.txt"
    assert short(tmp_path / "c.txt") == str(tmp_path / "c.txt")


def test_prices_are_told_as_their_range() -> None:
    def priced(price: Any, *parameters: Any) -> str:
        space = tw.Space(*(parameters or [tw.Ordinal("vms", [1, 2, 4])]))
        return plan.prices(tw.Problem(space, maximize="accuracy", price=price))

    assert priced(None) == "as the job measures it"
    assert priced(lambda c: 0.5 * c["vms"]) == "0.50 USD to 2.00 USD per hour"
    assert priced(lambda c: 0.5) == "0.50 USD per hour"
    assert priced(lambda c: 0.5, tw.Real("x", 0, 1)) == "known for every config"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (None, ""),
        (plan.Resumed(1, False), ", which is there and goes on after 1 trial"),
        (plan.Resumed(1200, False), ", which is there and goes on after 1,200 trials"),
        (
            plan.Resumed(2, True),
            ", which is there and goes on after 2 trials, whose limits, budget or space are new"
            " from then on",
        ),
    ],
)
def test_a_study_that_is_there_is_said_to_go_on(before: plan.Resumed | None, said: str) -> None:
    assert plan.resumed(before) == said


def planned(folder: Path, *words: object, **fields: Any) -> str:
    done = tunewise("tune", job(folder, **fields), "--dry-run", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_a_dry_run_tells_what_would_be_run(tmp_path: Path) -> None:
    said = planned(tmp_path)
    for words in (
        "study quick in sqlite:///tunewise.db goal",
        "space x, y: many configs",
        "data all",
        "strategy random job work.py:train",
        "ends trials 3 parallel 1 first x=",
    ):
        assert words in said
    assert not (tmp_path / "tunewise.db").exists()


def test_a_dry_run_tells_when_it_would_end(tmp_path: Path) -> None:
    listed = {"y": [1, 2, 4]}
    assert "ends when every config was tried" in planned(tmp_path, trials=None, space=listed)
    assert "ends when you stop it: no trials" in planned(tmp_path, trials=None)
    several = planned(tmp_path, timeout="10 min", target=0.9, budget=2)
    assert "ends trials 3, timeout 10 min, target 0.9, budget" in several
    assert "first chosen by a new seed" in planned(tmp_path, seed=None)


def test_a_dry_run_tells_whose_study_it_is(tmp_path: Path) -> None:
    assert "namespace team goal" in planned(tmp_path, "--namespace", "team")


def test_a_store_in_memory_has_no_folder_for_logs(study: tw.Study) -> None:
    assert isinstance(study.store, MemoryStore)
    assert study.folder is None
    assert study.log(study.tell(study.ask(), GOOD)) is None
