"""A loop of one's own says what may be chosen, as trainings do that a study runs."""

import time
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.study.define_by_run.test_discovery import configs, problem, train
from tunewise.errors import MeasurementError, StudyError


def asked(study: tw.Study) -> Any:
    """A trial, which has questions where the space is not known."""
    return study.ask()


def tried(study: tw.Study, count: int) -> list[dict[str, Any]]:
    """The configs of so many trials."""
    for _ in range(count):
        trial = asked(study)
        study.tell(trial, train(trial))
    return configs(study)


def test_it_asks_for_what_a_run_would(tmp_path: Path) -> None:
    run = tw.Study(problem(), "cherrypick", seed=3)
    run.optimize(train, trials=6, progress=False)
    for count in (1, 2, 3):
        with tw.Study(problem(), "cherrypick", 3, storage=tmp_path / "s.db", name="s") as study:
            found = tried(study, count)
    assert found == configs(run)
    described = {p["name"]: p for p in study.problem.describe()["space"]["parameters"]}
    assert described.keys() == {"rate", "optimizer", "layers", "momentum"}
    assert described["momentum"]["when"] == {"optimizer": ["sgd"]}


def test_a_trial_may_be_told_by_its_number_and_once() -> None:
    study = tw.Study(problem(), "random", seed=0)
    trial = asked(study)
    told = study.tell(0, train(trial))
    assert told.config == trial.config and told.metrics["accuracy"] < 1
    for again in (0, trial):
        with pytest.raises(StudyError, match="trial 0 of study .* was told already"):
            study.tell(again, {"accuracy": 0.5})
    assert len(study.history) == 2


def test_what_is_refused_leaves_its_trial_open() -> None:
    study = tw.Study(problem(), "random", seed=0)
    trial = asked(study)
    measured = train(trial)
    with pytest.raises(MeasurementError, match=r"a percentage is told as 0\.9"):
        study.tell(trial, {**measured, "accuracy": 90.0})
    assert [t.state.value for t in study.history] == ["running"]
    study.tell(0, measured)
    assert [t.state.value for t in study.history] == ["cancelled", "complete"]


def test_until_the_first_is_told_nobody_knows_what_to_ask_for_next() -> None:
    study = tw.Study(problem(), "random", seed=0)
    first = asked(study)
    with pytest.raises(StudyError, match="tell it before you ask for the next"):
        study.ask()
    study.tell(first, tw.Preempted("gone", {"time": 1.0}))
    again = asked(study)
    assert again.number == 0
    study.tell(again, train(again))
    assert study.spent["time"] == 1.0 + study.history[1].metrics["time"]


def test_trials_in_hand_when_the_space_grows_are_told_as_ever() -> None:
    study = tw.Study(problem(), "random", seed=0)

    def grows(trial: Any, more: str) -> dict[str, float]:
        return {"accuracy": trial.suggest_float("x", 0, 1) * trial.suggest_float(more, 0, 1)}

    first = asked(study)
    study.tell(first, grows(first, "y"))
    one, other = asked(study), asked(study)
    study.tell(one, grows(one, "z"))
    told = study.tell(other, grows(other, "y"))
    assert told.number == other.number and {*told.config} == {"x", "y"}
    assert {*study.problem.space.names} == {"x", "y", "z"}
    assert not study.history.of(tw.TrialState.RUNNING)


def test_other_processes_ask_in_the_space_that_was_found(tmp_path: Path) -> None:
    where: dict[str, Any] = {"storage": tmp_path / "s.db", "name": "s"}
    with tw.Study(problem(), "random", 0, **where) as one, tw.Study(problem(), **where) as other:
        tried(one, 1)
        assert other.ask().config.keys() >= {"rate", "optimizer", "layers"}


def test_a_loop_may_read_what_it_once_asked_for() -> None:
    study = tw.Study(problem(), "random", seed=0)
    first = asked(study)
    study.tell(first, {"accuracy": first.suggest_float("x", 0, 1)})
    for _ in range(3):
        trial = asked(study)
        study.tell(trial, {"accuracy": trial.config["x"]})
    assert [t.state.value for t in study.history] == ["cancelled", *["complete"] * 4]


def test_a_trial_that_finds_parameters_is_paid_by_the_clock() -> None:
    study = tw.Study(problem(price=3600.0, budget=100.0), "random", seed=0)
    trial = asked(study)
    accuracy = trial.suggest_float("x", 0, 1)
    time.sleep(0.1)
    study.tell(trial, {"accuracy": accuracy})
    assert study.spent["cost"] == pytest.approx(study.spent["time"])
    assert study.spent["time"] >= 0.1
