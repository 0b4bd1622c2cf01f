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


def test_only_a_trial_that_its_strategy_pruned_may_run_for_longer() -> None:
    trial = Trial(0, {})
    assert trial.told(TimedOut("pruned: stopped after 9 s")).pruned
    assert trial.told(TimedOut("hopeless: stopped after 9 s")).pruned, "as stores had it before"
    assert not trial.told(TimedOut("the time of the trial was over")).pruned
    assert not trial.told(Failure("hopeless code")).pruned


def test_what_the_clock_said_is_kept_only_where_it_said_anything() -> None:
    clocked = Measurement({"time": 9.0}, clocked=4.0)
    assert outcome_as_json(clocked)["clocked"] == 4.0
    back = outcome_from_json(outcome_as_json(clocked))
    assert isinstance(back, Measurement) and back.clocked == 4.0
    plain = outcome_as_json(Measurement({"time": 9.0}))
    assert "clocked" not in plain and "ignored" not in plain
    back = outcome_from_json(plain)
    assert isinstance(back, Measurement) and back.clocked is None


def test_what_a_job_told_is_refused_by_name_where_none_of_it_is_a_number() -> None:
    with pytest.raises(MeasurementError, match="metric 'accuracy' is 'high'; expected a number"):
        Measurement.of({"accuracy": "high"})
    with pytest.raises(MeasurementError, match=r"as a mapping of name to number, got \[0.5\]"):
        Measurement([0.5])  # type: ignore[arg-type] # wrong on purpose


def test_only_the_beginning_of_a_long_text_is_kept() -> None:
    told = Measurement.of({"accuracy": 0.5, "log": "x" * 1000})
    assert len(told.ignored["log"]) == 200


def test_snapshots_are_kept_by_ascending_fraction() -> None:
    told = Measurement({"accuracy": 0.9}, {0.5: {"accuracy": 0.8}, 0.1: {"accuracy": 0.6}})
    assert list(told.snapshots) == [0.1, 0.5]


def test_an_exception_will_do_as_a_reason() -> None:
    assert Failure(ValueError("too wide")).reason == "too wide"  # type: ignore[arg-type] # users do this


def test_nothing_is_booked_that_was_not_told() -> None:
    told = Trial(0, {}).told(Preempted("gone", {"time": 4.0, "cost": 0.0}))
    assert told.lost == {"time": 4.0}
    assert told.spent == {"time": 4.0}
    assert Trial(0, {}).told(Measurement({"accuracy": 0.5})).spent == {}


@pytest.mark.parametrize(("resumed", "paid"), [(0.0, 1.0), (0.125, 0.75), (0.5, 0.0)])
def test_short_times_are_resumed_like_long_ones(resumed: float, paid: float) -> None:
    told = Trial(0, {}).told(Measurement({"time": 0.5, "cost": 1.0, "resumed": resumed}))
    assert told.spent == pytest.approx({"time": 0.5 * paid, "cost": paid})


def test_what_took_no_time_is_paid_as_it_was_told() -> None:
    assert Trial(0, {}).told(Measurement({"time": 0.0, "cost": 1.0})).spent["cost"] == 1.0


def test_a_trial_in_words_names_its_slice_and_is_silent_of_all_data() -> None:
    assert repr(Trial(0, {"x": 1})) == "Trial(0: x=1; running)"
    assert repr(Trial(0, {"x": 1}, 0.25)) == "Trial(0: x=1 at fraction 1/4; running)"


def test_a_whole_number_beyond_all_floats_is_refused_by_name() -> None:
    with pytest.raises(MeasurementError, match="metric 'steps' is inf; expected a finite number"):
        Measurement({"accuracy": 0.5, "steps": 10**400})
