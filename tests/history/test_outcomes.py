"""The one form of outcomes as plain data, and what a trial makes of them."""

import json

import pytest

from tunewise.errors import MeasurementError
from tunewise.history import (
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
    TrialState,
    outcome_as_json,
    outcome_from_json,
)

MEASURED = Measurement(
    {"accuracy": 0.5, "time": 2.0}, {1 / 60: {"accuracy": 0.1}}, {"accuracy": 0.01}, {"note": "'x'"}
)
KINDS = [kind("why", {"cost": 0.25}) for kind in (Failure, Preempted, Flaky, TimedOut, Cancelled)]


@pytest.mark.parametrize("outcome", [MEASURED, *KINDS], ids=lambda o: type(o).__name__)
def test_an_outcome_comes_back_from_json_as_it_was(outcome: Outcome) -> None:
    back = outcome_from_json(json.loads(json.dumps(outcome_as_json(outcome))))
    assert type(back) is type(outcome)
    assert back == outcome
    if isinstance(back, Measurement):
        assert list(back.snapshots) == [1 / 60]
        assert back.ignored == {"note": "'x'"}


@pytest.mark.parametrize(
    "wrong", [None, {}, {"kind": "luck"}, {"kind": "failure"}, {"kind": "measurement"}, [1]]
)
def test_what_is_no_outcome_is_refused(wrong: object) -> None:
    with pytest.raises(MeasurementError, match="expected an outcome as JSON"):
        outcome_from_json(wrong)


def test_what_a_trial_reported_stays_unless_its_result_says_otherwise() -> None:
    trial = Trial(0, {}, reported={0.1: {"accuracy": 0.1}, 0.5: {"accuracy": 0.3}})
    told = trial.told(Measurement({"accuracy": 0.6}, {0.5: {"accuracy": 0.4}}))
    assert told.measurement is not None
    assert told.measurement.snapshots == {0.1: {"accuracy": 0.1}, 0.5: {"accuracy": 0.4}}
    alone = Measurement({"accuracy": 0.6})
    assert Trial(0, {}).told(alone).outcome is alone
    failure = Failure("broke")
    assert trial.told(failure).outcome is failure


def test_states_follow_from_outcomes() -> None:
    trial = Trial(0, {})
    assert trial.told(MEASURED).state is TrialState.COMPLETE
    assert trial.told(Failure("broke")).state is TrialState.FAILED
    assert trial.told(TimedOut("late")).state is TrialState.FAILED
    assert trial.told(Cancelled("by a person")).state is TrialState.CANCELLED
    assert trial.told(Preempted("gone")).state is TrialState.PREEMPTED
    assert [trial.told(o).retried for o in (Preempted("gone"), Flaky("broke"))] == [0, 1]


def test_what_was_resumed_is_not_paid_again_and_what_was_lost_is() -> None:
    trial = Trial(0, {}).told(Preempted("gone", {"time": 4.0, "cost": 1.0}))
    told = trial.told(Measurement({"accuracy": 0.5, "time": 10.0, "cost": 5.0, "resumed": 4.0}))
    assert told.spent == pytest.approx({"time": 4.0 + 6.0, "cost": 1.0 + 3.0})
    assert told.metrics["cost"] == 5.0


def test_only_a_trial_that_its_strategy_gave_up_may_run_for_longer() -> None:
    trial = Trial(0, {})
    assert trial.told(TimedOut("hopeless: stopped after 9 s")).given_up
    assert not trial.told(TimedOut("the time of the trial was over")).given_up
    assert not trial.told(Failure("hopeless code")).given_up
