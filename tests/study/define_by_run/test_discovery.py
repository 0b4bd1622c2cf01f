"""A training says what may be chosen, while it runs."""

import math
import time
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.errors import StudyError
from tunewise.execution import RunningTrial


def train(trial: RunningTrial) -> dict[str, float]:
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    optimizer = trial.suggest_categorical("optimizer", ["adam", "sgd"])
    momentum = trial.suggest_float("momentum", 0, 0.9) if optimizer == "sgd" else 0.0
    layers = trial.suggest_int("layers", 1, 5, step=2)
    assert trial.suggest_int("layers", 1, 5, step=2) == layers  # asked twice, one answer
    accuracy = 0.9 - 0.1 * abs(math.log10(rate) + 3) - 0.01 * layers + 0.05 * momentum
    return {"accuracy": accuracy, "time": 1.0 + layers}


def problem(**wanted: Any) -> tw.Problem:
    return tw.Problem(**{"maximize": "accuracy", **wanted})


def configs(study: tw.Study) -> list[dict[str, Any]]:
    return [trial.config for trial in study.history.complete]


def test_the_space_is_found_kept_and_searched(tmp_path: Path) -> None:
    storage = tmp_path / "s.db"
    with tw.Study(problem(), "random", seed=0, storage=storage, name="s") as study:
        best = study.optimize(train, trials=8, progress=False)
        assert best is not None
        assert {*study.problem.space.names} == {"rate", "optimizer", "layers", "momentum"}
        assert len(study.history.complete) == 8
        assert {*configs(study)[0]} <= {*study.problem.space.names}
        found = configs(study)
    with tw.Study(problem(), "random", seed=0, storage=storage, name="s") as again:
        assert again.problem.space.names == study.problem.space.names
        again.optimize(train, trials=10, progress=False)
        assert configs(again)[:8] == found
        assert len(configs(again)) == 10
    with tw.load_study(storage, "s") as loaded:
        assert loaded.problem.discovers


@pytest.mark.parametrize("seed", [0, 1, 2])  # some begin with one that asks for it, some without
def test_a_parameter_that_is_asked_for_sometimes_gets_its_condition(seed: int) -> None:
    study = tw.Study(problem(), "random", seed=seed)
    study.optimize(train, trials=8, progress=False)
    described = {p["name"]: p for p in study.problem.describe()["space"]["parameters"]}
    assert described["momentum"]["when"] == {"optimizer": ["sgd"]}
    for config in configs(study):
        assert ("momentum" in config) == (config["optimizer"] == "sgd")


def test_a_broken_study_equals_the_unbroken_one(tmp_path: Path) -> None:
    unbroken = tw.Study(problem(), "cherrypick", seed=3)
    unbroken.optimize(train, trials=6, progress=False)
    for count in (1, 2, 4, 6):
        with tw.Study(problem(), "cherrypick", 3, storage=tmp_path / "s.db", name="s") as study:
            study.optimize(train, trials=count, progress=False)
            found = configs(study)
    assert found == configs(unbroken)


def test_the_trial_that_finds_parameters_is_paid_once_and_within_the_budget() -> None:
    study = tw.Study(problem(price=3.6, budget=0.01), "random", seed=0)
    study.optimize(train, trials=20, progress=False)
    told = sum(trial.metrics["cost"] for trial in study.history.complete)
    assert study.spent["cost"] == pytest.approx(told)
    assert study.spent["cost"] <= 0.01
    assert study.history.complete[0].metrics["cost"] > 0


def test_a_training_that_tells_what_cannot_be_leaves_no_trial_that_nobody_runs() -> None:
    def percent(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": 95.0 if trial.suggest_float("x", 0, 1) and trial.number < 2 else 0.5}

    study = tw.Study(problem(), "random", seed=0)
    study.optimize(percent, trials=3, progress=False)
    states = [trial.state.value for trial in study.history]
    assert states == ["cancelled", "failed", "complete", "complete"]
    assert "a percentage is told as 0.95" in str(study.history[1].outcome)


def test_a_training_that_fails_after_it_asked_has_shown_the_space_all_the_same() -> None:
    def fragile(trial: RunningTrial) -> dict[str, float]:
        if trial.suggest_float("x", 0, 1) > -1 and trial.number < 1:
            raise RuntimeError("diverged")
        return {"accuracy": trial.config["x"]}

    study = tw.Study(problem(), "random", seed=0)
    study.optimize(fragile, trials=3, progress=False)
    assert [trial.state.value for trial in study.history] == [
        "cancelled",
        "failed",
        "complete",
        "complete",
    ]
    assert "x" in study.history[1].config


@nothing_recommended
def test_a_training_that_asks_for_nothing_is_told_so() -> None:
    study = tw.Study(problem(), seed=0)
    study.optimize(lambda trial: {"accuracy": 0.5}, trials=3, progress=False)
    assert study.stopped is not None
    assert "call trial.suggest_float" in study.stopped


def test_a_range_that_changes_is_refused_in_a_sentence() -> None:
    def fickle(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": trial.suggest_float("x", 0, 1 + trial.number)}

    study = tw.Study(problem(), "random", seed=0)
    study.optimize(fickle, trials=2, progress=False)
    (failed,) = study.history.failed
    assert "expected one range for all trials" in str(failed.outcome)


def test_suggestions_within_a_space_are_its_values_and_others_are_refused() -> None:
    def known(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": trial.suggest_float("x", 0, 1)}

    def unknown(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": trial.suggest_float("y", 0, 1)}

    space = tw.Space(tw.Real("x", 0, 1))
    study = tw.Study(problem(space=space), "random", seed=0)
    study.optimize(known, trials=2, progress=False)
    assert [t.metrics["accuracy"] for t in study.history] == [t.config["x"] for t in study.history]
    study.optimize(unknown, trials=3, progress=False)
    assert "add it to the Space" in str(study.history[2].outcome)


def test_nothing_would_end_a_run_over_a_space_that_nobody_knows() -> None:
    with pytest.raises(StudyError, match="would never end"):
        tw.Study(problem()).optimize(train)


@pytest.mark.parametrize(
    ("name", "line"), [("suggest_uniform", "suggest_float"), ("params", "write trial.config")]
)
def test_what_trials_of_other_tools_have_is_answered_with_the_line(name: str, line: str) -> None:
    with pytest.raises(AttributeError, match=line):
        getattr(RunningTrial.of(tw.Trial(0, {})), name)


@pytest.mark.parametrize("seed", [3])
def test_trials_at_once_that_show_the_same_keep_what_they_trained_with(seed: int) -> None:
    def grows(trial: RunningTrial) -> dict[str, float]:
        widths = [trial.suggest_int(f"w{i}", 8, 64) for i in range(trial.suggest_int("n", 1, 3))]
        time.sleep(0.2)  # the other one has begun before this one ends
        return {"accuracy": 0.5 + sum(widths) / 400, "width": float(sum(widths))}

    study = tw.Study(problem(metrics={"width": "positive"}), "random", seed=seed)
    study.optimize(grows, trials=8, parallel=2, progress=False)
    assert len(study.history.complete) == 8
    for trial in study.history.complete:
        widths = [value for name, value in trial.config.items() if name != "n"]
        assert len(widths) == trial.config["n"] and sum(widths) == trial.metrics["width"]


def test_a_config_may_be_enqueued_before_anything_is_known() -> None:
    study = tw.Study(problem(), "random", seed=0)
    study.enqueue({"rate": 1e-2, "optimizer": "sgd", "momentum": 0.5, "layer": 3})
    study.enqueue({"layers": 5})
    study.optimize(train, trials=3, progress=False)
    first, second, _ = configs(study)
    assert (first["rate"], first["optimizer"], first["momentum"]) == (1e-2, "sgd", 0.5)
    assert "layer" not in first and second["layers"] == 5
    ran = [trial.enqueued for trial in study.history if trial.state == "complete"]
    assert ran == [True, True, False]
    reasons = [str(trial.outcome) for trial in study.history if trial.state == "cancelled"]
    assert any("never asked for 'layer'" in reason for reason in reasons)


def test_an_enqueued_value_outside_of_the_range_fails_its_trial_with_a_sentence() -> None:
    study = tw.Study(problem(), "random", seed=0)
    study.enqueue({"rate": 5.0})
    study.optimize(train, trials=2, progress=False)
    assert "rate" in str(study.history[0].outcome) and len(study.history.complete) == 1
