"""The live line of a run, the same from Python and for a job file."""

import pytest

import tunewise as tw
from tunewise.study.run.progress import ProgressLine

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4, 8]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 1"], budget=5.0)


def described(line: ProgressLine) -> str:
    return str(line._bar.tasks[0].description)


def test_the_line_says_trials_money_best_and_the_time_left() -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    with ProgressLine(study, 4, show=True, timeout=600) as line:
        assert described(line).startswith("0/4 trials · 0 running")
        study.tell(study.ask(), {"accuracy": 0.5, "time": 60, "cost": 0.01})
        line.update(2)
        assert "1/4 trials · 2 running · 0.01" in described(line)
        assert "best 0.5" in described(line)
        assert described(line).endswith("left")


def test_nothing_is_drawn_when_nobody_looks() -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    with ProgressLine(study, 4, show=False) as line:
        line.update(1)
        line.note("unseen")
        assert line._bar is None


def left(line: ProgressLine, monkeypatch: pytest.MonkeyPatch, elapsed: float) -> float | None:
    began = line._began
    monkeypatch.setattr("tunewise.study.run.progress.time.monotonic", lambda: began + elapsed)
    history = line._study.history
    return line._left(history, len(history))


def test_the_time_left_is_that_of_the_limit_which_is_met_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    with ProgressLine(study, 4, show=False, timeout=600) as line:
        assert left(line, monkeypatch, 100) == 500  # by the clock, while nothing has ended
        study.tell(study.ask(), {"accuracy": 0.5, "cost": 0.01})
        assert left(line, monkeypatch, 100) == 300  # three more trials at this pace
        study.tell(study.ask(), {"accuracy": 0.5, "cost": 4.0})
        assert left(line, monkeypatch, 100) == pytest.approx(25, abs=1)  # money for half a trial
        assert left(line, monkeypatch, 700) == 0


def test_nothing_is_said_of_the_time_left_where_nothing_tells_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), "random", seed=0)
    with ProgressLine(study, None, show=False) as line:
        study.tell(study.ask(), {"accuracy": 0.5})
        assert left(line, monkeypatch, 100) is None


def test_trials_of_earlier_runs_say_nothing_about_the_pace_of_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), "random", seed=0)
    study.tell(study.ask(), {"accuracy": 0.5})
    with ProgressLine(study, 4, show=False) as line:
        study.tell(study.ask(), {"accuracy": 0.5})
        assert left(line, monkeypatch, 60) == 120  # two more at 60 s each
