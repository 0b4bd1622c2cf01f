"""What a job leaves in its folder for checkpoints is there when it runs again, and is paid once."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.errors import MeasurementError
from tunewise.history import Measurement, Trial, TrialState, completed

STEPS = 4


def problem(**changes: Any) -> tw.Problem:
    space = tw.Space(tw.Ordinal("width", [1]))
    said: dict[str, Any] = {"maximize": "accuracy", "price": lambda config: 3600.0, **changes}
    return tw.Problem(space, **said)


def train(trial: Any) -> Any:
    """Four steps of a second each; its machine is taken away after the second, once."""
    file = trial.checkpoints / "steps.json"
    done = json.loads(file.read_text()) if file.exists() else 0
    for step in range(done, STEPS):
        if step == 2 and done == 0:
            return tw.Preempted("taken away", {"time": 2.0})
        file.write_text(json.dumps(step + 1))
    return {"accuracy": 0.9, "time": float(STEPS), "resumed": float(done)}


def test_a_preempted_trial_goes_on_from_its_checkpoint_and_is_paid_once(tmp_path: Path) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        study.optimize(train, trials=1, folder=tmp_path, progress=False)
        trial = study.history[0]
    assert trial.state is TrialState.COMPLETE
    assert trial.metrics["time"] == 4.0 and trial.metrics["cost"] == pytest.approx(4.0)
    assert trial.lost["time"] == 2.0
    assert study.spent["time"] == pytest.approx(4.0)
    assert study.spent["cost"] == pytest.approx(4.0)


def test_a_measured_trial_leaves_no_checkpoints(tmp_path: Path) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        study.optimize(train, trials=1, folder=tmp_path, progress=False)
    assert list((tmp_path / "checkpoints").glob("*")) == []


@nothing_recommended
def test_a_trial_that_reached_its_time_limit_leaves_its_checkpoints_to_the_next(
    tmp_path: Path,
) -> None:
    def endless(trial: Any) -> Any:
        import time

        file = trial.checkpoints / "tries"
        tries = len(file.read_text()) if file.exists() else 0
        file.write_text("x" * (tries + 1))
        if tries == 0:
            time.sleep(600)
        return {"accuracy": 0.5}

    with tw.Study(problem(price=None), "random", seed=0) as study:
        study.optimize(endless, trials=1, folder=tmp_path, progress=False, trial_timeout=2)
        assert len(study.history.failed) == 1
        study.enqueue({"width": 1})
        study.optimize(endless, trials=2, folder=tmp_path, progress=False, trial_timeout=300)
        assert len(study.history.complete) == 1


def test_a_command_finds_the_folder_in_its_environment(tmp_path: Path) -> None:
    job = tw.Command(
        'test -d "$TUNEWISE_CHECKPOINTS" && echo "{{\\"accuracy\\": 0.5}}"', shell=True
    )
    with tw.Study(problem(), "random", seed=0) as study:
        study.optimize(job, trials=1, folder=tmp_path, progress=False)
        assert study.history[0].metrics["accuracy"] == 0.5
    assert "TUNEWISE_CHECKPOINTS" not in os.environ


def test_time_that_the_job_does_not_tell_includes_what_was_resumed(tmp_path: Path) -> None:
    def resuming(trial: Any) -> Any:
        if trial.lost:
            return {"accuracy": 0.5, "resumed": 1000.0}
        return tw.Preempted("taken away", {"time": 1000.0})

    with tw.Study(problem(), "random", seed=0) as study:
        study.optimize(resuming, trials=1, folder=tmp_path, progress=False)
        trial = study.history[0]
    assert trial.metrics["time"] >= 1000.0
    assert study.spent["time"] < 1900.0


def test_a_first_attempt_that_says_to_have_resumed_is_paid_in_full(tmp_path: Path) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        study.optimize(
            lambda trial: {"accuracy": 0.5, "time": 100.0, "resumed": 100.0},
            trials=1,
            folder=tmp_path,
            progress=False,
        )
    assert study.spent["cost"] == pytest.approx(100.0)
    said = "resumed is 100, but earlier attempts have booked 0 s"
    assert said in (tmp_path / "0" / "log.txt").read_text()


def test_what_nobody_has_trained_costs_nothing(tmp_path: Path) -> None:
    with tw.Study(problem(budget=1e5), "random", seed=0) as study:
        study.optimize(
            lambda trial: {"accuracy": 0.5, "resumed": 1e6},
            trials=1,
            folder=tmp_path,
            progress=False,
        )
    (trial,) = study.history.complete
    assert trial.metrics["resumed"] == 0 and trial.metrics["time"] < 900
    assert study.spent["cost"] < 900


def test_no_more_is_resumed_than_earlier_attempts_have_booked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        study.tell(study.ask(), tw.Preempted("taken away", {"time": 10.0}))
        told = study.tell(study.ask(), {"accuracy": 0.5, "time": 100.0, "resumed": 60.0})
    assert told.metrics["resumed"] == 10.0
    assert study.spent["cost"] == pytest.approx(100.0)
    assert "earlier attempts have booked 10 s" in caplog.text


@pytest.mark.parametrize("resumed", [-1.0, float("nan"), float("inf")])
def test_a_time_that_cannot_have_been_resumed_is_refused(resumed: float) -> None:
    with tw.Study(problem(), "random", seed=0) as study, pytest.raises(MeasurementError):
        study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0, "resumed": resumed})


def test_no_more_can_be_resumed_than_was_trained() -> None:
    with pytest.raises(MeasurementError, match="resumed is 5"):
        completed(problem(), {"width": 1}, Measurement({"accuracy": 0.5, "time": 1, "resumed": 5}))
    trial = Trial(0, {}).told(Measurement({"accuracy": 0.5, "time": 4.0, "resumed": 1.0}))
    assert trial.spent == {"time": 3.0}
