"""MLflow: a study's trials as runs of a real store."""

from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.extras import late, needs
from tests.integrations.tracking import empty_store
from tunewise.errors import StorageError

needs("mlflow", "mlflow")
MlflowCallback = late("tunewise.integrations.mlflow", "MlflowCallback")
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own store warns of itself


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return empty_store(tmp_path)


@pytest.fixture
def study() -> tw.Study:
    problem = tw.Problem(
        tw.Space(tw.Real("x", 0, 1), tw.Choice("kind", ["a", "b"])),
        maximize="accuracy",
        fractions=(0.25, 1.0),
    )
    study = tw.Study(problem, strategy="random", seed=0, name="digits")
    told: list[Any] = [
        tw.Measurement({"accuracy": 0.9, "cost": 0.2}, snapshots={0.1: {"accuracy": 0.5}}),
        tw.Failure("out of memory", {"cost": 0.1}),
    ]
    for outcome in told:
        study.enqueue({"x": 0.5, "kind": "a"}, 1.0)
        study.tell(study.ask(), outcome)
    return study


def runs(uri: str, experiment: str = "digits") -> list[Any]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    found = client.get_experiment_by_name(experiment)
    assert found is not None
    return sorted(client.search_runs([found.experiment_id]), key=lambda run: str(run.info.run_name))


def test_each_trial_is_a_run_with_params_metrics_and_cost(uri: str, study: tw.Study) -> None:
    assert MlflowCallback(uri).log(study) == 2
    good, bad = runs(uri)
    assert good.info.status == "FINISHED"
    assert good.data.params == {"x": "0.5", "kind": "a", "fraction": "1.0"}
    assert good.data.metrics == pytest.approx({"accuracy": 0.9, "cost": 0.2, "spent_cost": 0.2})
    assert bad.info.status == "FAILED"
    assert bad.data.tags["tunewise.reason"] == "out of memory"
    assert bad.data.metrics["spent_cost"] == pytest.approx(0.1)


def test_snapshots_are_steps_of_their_metric(uri: str, study: tw.Study) -> None:
    from mlflow.tracking import MlflowClient

    MlflowCallback(uri).log(study)
    steps = MlflowClient(uri).get_metric_history(runs(uri)[0].info.run_id, "accuracy")
    assert {metric.step: metric.value for metric in steps} == {100: 0.5, 1000: 0.9}


def test_nothing_is_sent_twice(uri: str, study: tw.Study) -> None:
    callback = MlflowCallback(uri, experiment="shared", tags={"team": "vision"})
    for trial in study.history:
        callback(study, trial)
    assert callback.log(study) == 0
    assert len(runs(uri, "shared")) == 2
    assert runs(uri, "shared")[0].data.tags["team"] == "vision"


def test_as_a_callback_it_follows_a_run(uri: str) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, strategy="random", seed=0, name="live")
    study.optimize(_job, trials=2, callbacks=[MlflowCallback(uri)], progress=False)
    assert [run.data.metrics["accuracy"] for run in runs(uri, "live")] == pytest.approx(
        [trial.config["x"] for trial in study.history]
    )


def _job(trial: tw.Trial) -> dict[str, float]:
    return {"accuracy": trial.config["x"]}


def test_studies_of_one_name_in_two_stores_are_told_apart(uri: str, tmp_path: Path) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    for store in ("one.db", "two.db"):
        storage = f"sqlite:///{tmp_path / store}"
        with tw.Study(problem, strategy="random", storage=storage, name="digits") as study:
            study.optimize(_job, trials=1, callbacks=[MlflowCallback(uri)], progress=False)
    assert len(runs(uri)) == 2


def test_names_that_mlflow_refuses_are_sent_with_others(uri: str) -> None:
    space = tw.Space(tw.Real("fraction", 0, 1))
    study = tw.Study(tw.Problem(space, maximize="my metric!"), strategy="random", name="digits")
    study.tell(study.ask(), {"my metric!": 0.5, "my metric?": 0.25, "../up": 0.125})
    assert MlflowCallback(uri).log(study) == 1
    (run,) = runs(uri)
    assert run.info.status == "FINISHED"
    assert set(run.data.params) == {"fraction", "fraction_2"}
    assert {
        "my metric_": 0.5,
        "my metric__2": 0.25,
        "___up": 0.125,
    }.items() <= run.data.metrics.items()


def test_a_run_that_was_left_unfinished_is_completed(
    uri: str, study: tw.Study, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    callback = MlflowCallback(uri)

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as broken_for_now:
        broken_for_now.setattr(callback._client, "log_batch", broken)
        callback(study, study.history[0])  # the study would go on
    assert "the disk is full" in caplog.text
    assert [run.info.status for run in runs(uri)] == ["RUNNING"]
    assert callback.log(study) == 2
    assert [run.info.status for run in runs(uri)] == ["FINISHED", "FAILED"]
    assert callback.log(study) == 0


def test_a_server_that_is_away_does_not_stop_a_study(
    uri: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", raising=False)
    away = MlflowCallback("http://127.0.0.1:9")  # nobody listens at the port of `discard`
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, strategy="random", seed=0, name="digits")
    study.optimize(_job, trials=3, callbacks=[away], progress=False)
    assert len(study.history) == 3
    assert caplog.text.count("was not sent to MLflow") == 1  # and not again at once
    with pytest.raises(StorageError, match="MLflow took 0 trials of study 'digits'"):
        away.log(study)
    assert MlflowCallback(uri).log(study) == 3
