"""MLflow: names, steps, times and retries of what is sent, one by one."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tunewise as tw
from tests.extras import late, needs
from tests.integrations.tracking import empty_store
from tunewise.history import Trial, TrialState

needs("mlflow", "mlflow")
MlflowCallback, _allowed, _brief, _impatient, _metrics, _reason = late(
    "tunewise.integrations.mlflow",
    *("MlflowCallback", "_allowed", "_brief", "_impatient", "_metrics", "_reason"),
)
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own store warns of itself

CLOCK = "tunewise.integrations.mlflow.time"


def told(outcome: Any, **options: Any) -> Trial:
    running = Trial(3, {"x": 1}, **{"fraction": 0.5, "state": TrialState.RUNNING, **options})
    return running.told(outcome, 12.5)


def test_names_are_made_such_that_mlflow_takes_them_and_stay_distinct() -> None:
    assert _allowed(["a b", "a!b", "a?b", "ok.x-1:/y"]) == {
        "a b": "a b",
        "a!b": "a_b",
        "a?b": "a_b_2",
        "ok.x-1:/y": "ok.x-1:/y",
    }
    assert _allowed(["fraction", "x"], taken=["fraction"]) == {"fraction": "fraction_2", "x": "x"}
    assert _allowed(["", "/abs", "a//b", "a/../b", ".hidden"]) == {
        "": "_",
        "/abs": "_abs",
        "a//b": "a__b",
        "a/../b": "a____b",
        ".hidden": "_hidden",
    }


def test_long_names_are_cut_and_still_told_apart() -> None:
    names = _allowed(["n" * 300, "n" * 299])
    assert list(names.values()) == ["n" * 240, "n" * 240 + "_2"]
    assert _allowed(["same", "same"]) == {"same": "same"}


def test_metrics_are_at_the_step_of_their_share_and_what_was_spent_at_the_end() -> None:
    measured = tw.Measurement({"accuracy": 0.9, "cost": 0.2}, snapshots={0.1: {"accuracy": 0.4}})
    trial = told(measured, lost={"cost": 0.1}, reported={0.25: {"accuracy": 0.6}})
    sent = [(m.key, m.value, m.step, m.timestamp) for m in _metrics(trial)]
    assert sent == [
        ("accuracy", 0.4, 100, 12500),
        ("accuracy", 0.6, 250, 12500),
        ("accuracy", 0.9, 500, 12500),
        ("cost", 0.2, 500, 12500),
        ("spent_cost", pytest.approx(0.3), 500, 12500),
    ]


def test_a_failure_tells_what_was_reported_on_the_way() -> None:
    trial = told(tw.Failure("oom", {"cost": 0.2}), reported={0.25: {"accuracy": 0.6}})
    assert [(m.key, m.value, m.step) for m in _metrics(trial)] == [
        ("accuracy", 0.6, 250),
        ("cost", 0.2, 500),
        ("spent_cost", 0.2, 500),
    ]


def test_a_reason_is_a_tag_of_bounded_length() -> None:
    [tag] = _reason(told(tw.Failure("x" * 9000)))
    assert (tag.key, tag.value) == ("tunewise.reason", "x" * 5000)
    assert _reason(told(tw.Measurement({"a": 1.0}))) == []


def test_an_error_is_told_by_its_first_line() -> None:
    assert _brief(ValueError("no route.\nTraceback")) == "no route"
    assert _brief(ValueError()) == "ValueError"
    assert len(_brief(ValueError("x" * 999))) == 300


def test_requests_give_up_soon_unless_the_user_has_said_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "77")
    monkeypatch.delenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", raising=False)
    with _impatient():
        assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "77"
        assert os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] == "0"
    assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "77"
    assert "MLFLOW_HTTP_REQUEST_MAX_RETRIES" not in os.environ


def keeping() -> Any:
    """A callback that keeps what it would send, and fails while it is told to."""
    from tunewise.integrations.mlflow import MlflowCallback

    class Sent(MlflowCallback):
        def __init__(self) -> None:
            super().__init__("http://127.0.0.1:9")  # nobody listens there, and nobody asks
            self.sent: list[int] = []
            self.away: set[int] = set()
            self.tries = 0

        def _send_once(self, study: tw.Study, trial: Trial) -> bool:
            self.tries += 1
            if trial.number in self.away:
                raise OSError("the server is away")
            self.sent.append(trial.number)
            return True

    return Sent()


@pytest.fixture
def study() -> tw.Study:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, strategy="random", seed=0, name="s")
    for _ in range(4):
        study.tell(study.ask(), {"accuracy": 0.5})
    return study


def test_after_a_failure_nothing_is_tried_for_a_while_and_then_all_that_is_missing(
    study: tw.Study, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tunewise.integrations.mlflow import PAUSE

    now = 1000.0
    monkeypatch.setattr(CLOCK, SimpleNamespace(monotonic=lambda: now))
    callback = keeping()
    callback.away = {0}
    callback(study, study.history[0])
    assert "trial 0 was not sent to MLflow (the server is away)" in caplog.text
    now += PAUSE - 1
    callback(study, study.history[1])
    assert (callback.tries, callback.sent) == (1, [])
    now += 2
    callback.away = set()
    callback(study, study.history[2])
    assert callback.sent == [0, 1, 2]


def test_one_that_mlflow_refuses_does_not_hold_up_the_others(
    study: tw.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tunewise.integrations.mlflow import PAUSE

    now = 1000.0
    monkeypatch.setattr(CLOCK, SimpleNamespace(monotonic=lambda: now))
    callback = keeping()
    callback.away = {1}
    for number in range(4):
        now += 2 * PAUSE
        callback(study, study.history[number])
    assert callback.sent == [0, 2]
    assert [trial.number for trial in callback._missed] == [3, 1]  # and 3 goes first next time


def test_a_trial_that_runs_or_waits_is_left_for_later(study: tw.Study) -> None:
    callback = keeping()
    callback(study, study.ask())
    assert callback.tries == 0


def test_a_cancelled_trial_is_a_killed_run_with_its_times(tmp_path: Path) -> None:
    from mlflow.tracking import MlflowClient

    uri = empty_store(tmp_path)
    space = tw.Space(*(tw.Real(f"x{i}", 0, 1) for i in range(120)))  # more than one request takes
    study = tw.Study(tw.Problem(space, maximize="accuracy"), strategy="random", name="it's")
    trial = study.tell(study.ask(), tw.Cancelled("enough", {"cost": 0.5}))
    assert MlflowCallback(uri).log(study) == 1
    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name("it's")
    assert experiment is not None
    [run] = client.search_runs([experiment.experiment_id])
    assert (run.info.status, run.info.run_name) == ("KILLED", "it's-0")
    assert len(run.data.params) == 121
    assert run.data.tags["tunewise.state"] == "cancelled"
    assert run.info.start_time == int(1000 * (trial.asked_at or 0))
    assert run.info.end_time == int(1000 * (trial.told_at or 0))
