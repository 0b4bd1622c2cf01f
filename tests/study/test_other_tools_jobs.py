"""Jobs as they are written for other tools, and jobs that no config could make right."""

from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import TunewiseWarning
from tunewise.history import Misused

SPACE = tw.Space(tw.Real("x", 0, 1), tw.Choice("kind", ["a", "b"]))


def studied(job: Any, trials: int = 4, parallel: int = 1, **problem: Any) -> tw.Study:
    wanted = {"maximize": "accuracy", **problem} if "minimize" not in problem else problem
    study = tw.Study(tw.Problem(SPACE, **wanted), "random", seed=0)
    study.optimize(job, trials=trials, parallel=parallel, progress=False)
    return study


@pytest.mark.parametrize("kind", [float, np.float32])
def test_a_bare_number_is_the_objective(kind: Any) -> None:
    study = studied(lambda trial: kind(trial.config["x"]))
    assert [t.metrics["accuracy"] for t in study.history] == [
        pytest.approx(t.config["x"]) for t in study.history
    ]


def test_bare_numbers_are_the_objectives_in_their_order() -> None:
    job = lambda trial: (0.5, 3.0)  # noqa: E731 - as short as people write it
    study = studied(job, trials=2, maximize=["accuracy"], minimize=["latency"])
    assert study.history[0].metrics.items() >= {"accuracy": 0.5, "latency": 3.0}.items()


def told_wrong(metrics: Any) -> Any:
    return lambda trial: metrics


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("0.5", "the job returned '0.5'; expected a dict"),
        (None, "the job returned None"),
        ((0.5, 0.4), "the job returned"),
        ({"acc": 0.5}, "the measurement has no 'accuracy'"),
        ({"accuracy": 93}, "a percentage is told as 0.93"),
        ({"accuracy": "high"}, "expected a number"),
    ],
)
@pytest.mark.parametrize("parallel", [1, 2])
def test_what_no_config_makes_right_ends_the_run_with_its_first_trial(
    returned: Any, said: str, parallel: int
) -> None:
    with pytest.warns(TunewiseWarning, match="the job is wrong, whatever config it gets"):
        study = studied(told_wrong(returned), trials=8, parallel=parallel)
    assert len(study.history) <= parallel
    assert isinstance(study.history[0].outcome, Misused)
    assert said in study.history[0].outcome.reason


def test_a_training_that_diverges_is_another_config_s_chance() -> None:
    def job(trial: Any) -> float:
        return float("nan") if trial.number < 2 else 0.5

    assert len(studied(job).history.complete) == 2


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        (lambda trial: trial.suggest_float("x", 0, 2), "'x' is asked for from 0 to 2, and is in"),
        (lambda trial: trial.suggest_categorical("kind", ["a", "c"]), "asked for from a, c"),
    ],
)
def test_another_range_than_the_space_has_is_refused(asks: Any, said: str) -> None:
    with pytest.warns(TunewiseWarning, match="the job is wrong"):
        study = studied(lambda trial: {"accuracy": 0.5, "asked": float(bool(asks(trial)))})
    assert len(study.history) == 1 and said in str(study.history[0].outcome)
    assert "expected one range for all trials" in str(study.history[0].outcome)


def test_the_range_of_the_space_may_be_asked_for() -> None:
    def job(trial: Any) -> dict[str, float]:
        assert trial.suggest_categorical("kind", ["b", "a"]) == trial.config["kind"]
        return {"accuracy": trial.suggest_float("x", 0, 1)}

    assert len(studied(job).history.complete) == 4


def test_attributes_are_told_beside_what_a_job_returns() -> None:
    def job(trial: Any) -> float:
        trial.set_user_attr("memory", 8.0)
        trial.set_user_attr("note", "no number")
        return 0.5 if not trial.should_prune() else 0.0

    first = studied(job).history[0]
    assert first.metrics["memory"] == 8.0 and first.metrics["accuracy"] == 0.5


def test_what_a_job_returns_counts_before_its_attributes() -> None:
    def job(trial: Any) -> tw.Measurement:
        trial.set_user_attr("memory", 8.0)
        trial.set_user_attr("layers", 2)
        return tw.Measurement({"accuracy": 0.5, "memory": 9.0})

    assert studied(job).history[0].metrics.items() >= {"memory": 9.0, "layers": 2.0}.items()


class Prepared:
    """A job that reads its data once, before any trial."""

    def __init__(self) -> None:
        self.rows = 0

    def preload(self) -> None:
        self.rows += 5

    def __call__(self, trial: Any) -> dict[str, float]:
        return {"accuracy": self.rows / 10}


def test_what_a_job_preloads_is_there_for_its_trials() -> None:
    study = tw.Study(tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy"), "random")
    study.optimize(Prepared(), trials=2, progress=False)
    assert [trial.metrics["accuracy"] for trial in study.history] == [0.5, 0.5]
