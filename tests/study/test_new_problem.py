"""Another problem on the trials of a study."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import StudyError
from tunewise.history import History, Measurement, Trial


def problem(most: int = 12, **wanted: object) -> tw.Problem:
    space = tw.Space(tw.Ordinal("x", list(range(most))))
    return tw.Problem(space, **{"maximize": "accuracy", **wanted})  # type: ignore[arg-type] # a mix


def told(study: tw.Study, count: int) -> None:
    for _ in range(count):
        trial = study.ask()
        x = trial.config["x"]
        study.tell(trial, {"accuracy": x / 20, "cost": 0.1 * x, "time": 1.0})


def test_limits_change_and_the_trials_stay() -> None:
    study = tw.Study(problem(), "cherrypick", seed=0)
    told(study, 6)
    limited = study.with_problem(problem(subject_to="cost <= 0.5"))
    assert len(limited.history) == 6
    told(limited, 3)
    assert 0 < limited.recommend().config["x"] <= 5
    (posed,) = limited.record.noted.problems
    assert posed.since == 6
    assert posed.problem["subject_to"] == ["cost <= 0.5"]
    assert limited.record.problem["subject_to"] == []


def test_trials_outside_of_the_new_space_are_paid_and_teach_nothing() -> None:
    study = tw.Study(problem(12), "cherrypick", seed=0)
    told(study, 8)
    smaller = study.with_problem(problem(6, budget=20.0))
    assert smaller.spent == study.spent
    assert len(smaller.history) == 8
    told(smaller, 2)
    assert all(trial.config["x"] < 6 for trial in smaller.history[8:])
    assert smaller.recommend().config["x"] < 6
    best = smaller.best
    assert best is not None and best.config["x"] < 6


def test_what_other_trials_have_spent_stays_booked_within_a_problem() -> None:
    trials = [
        Trial(i, {"x": x}, s).told(Measurement({"accuracy": 0.5, "cost": 1.0, "time": 2.0}))
        for i, (x, s) in enumerate([(11, 1.0), (1, 1.0), (2, 0.5), (3, 1.0)])
    ]
    within = History(trials).within(problem(6))
    assert [trial.number for trial in within] == [1, 3]
    assert within.spent == pytest.approx({"cost": 4.0, "time": 8.0})


def test_an_objective_that_was_never_measured_leaves_nothing_to_learn_from() -> None:
    study = tw.Study(problem(), "cherrypick", seed=0)
    told(study, 3)
    other = study.with_problem(problem(maximize="f1"))
    trial = other.ask()
    other.tell(trial, {"f1": 0.5, "cost": 0.1, "time": 1.0})
    assert other.recommend().config == trial.config


def test_a_changed_study_is_resumed_with_its_last_problem(tmp_path: Path) -> None:
    url, limited = f"sqlite:///{tmp_path / 's.db'}", problem(subject_to="cost <= 0.5")
    with tw.Study(problem(), "cherrypick", seed=0, storage=url, name="s") as study:
        told(study, 3)
    with pytest.raises(StudyError, match=r"the limit cost <= 0.5 is new\. .*on_change"):
        tw.Study(limited, storage=url, name="s")
    with tw.Study(limited, storage=url, name="s", on_change="new problem") as changed:
        told(changed, 1)
    with tw.Study(limited, storage=url, name="s") as resumed:
        assert len(resumed.history) == 4
        asked = resumed.ask()
    with tw.load_study(url, "s") as loaded:
        assert [p.since for p in loaded.record.noted.problems] == [3]
        assert str(loaded.problem.constraints[0]) == "cost <= 0.5"
        assert loaded.history[4].config == asked.config
    with pytest.raises(StudyError, match="exists with another problem: the limit"):
        tw.Study(problem(), storage=url, name="s")


def test_an_unknown_answer_to_a_change_is_refused() -> None:
    with pytest.raises(StudyError, match="on_change is 'accept'"):
        tw.Study(problem(), on_change="accept")  # type: ignore[arg-type] # wrong on purpose
