import pytest

from tests.report.studies import maximising, mixed, recommended
from tunewise.history import History, TrialState
from tunewise.report.overview import overview


def test_the_question_is_told_as_people_write_it() -> None:
    seen = overview(maximising(subject_to=["cost <= 0.02", "time <= 5 min"]), History())
    assert seen.goal == "Maximise accuracy"
    assert seen.limits == ("cost ≤ 0.02 USD", "time ≤ 5 m")
    assert seen.fractions == ("1/10", "1/2", "all")


def test_trials_are_counted_and_booked_by_state() -> None:
    seen = overview(maximising(), mixed())
    assert seen.counts == {
        TrialState.RUNNING: 1,
        TrialState.COMPLETE: 5,
        TrialState.FAILED: 1,
        TrialState.PREEMPTED: 1,
        TrialState.CANCELLED: 1,
    }
    assert seen.spent_on[TrialState.PREEMPTED] == pytest.approx(0.003)
    assert sum(seen.spent_on.values()) == pytest.approx(seen.spent["cost"])


def test_the_advice_has_predictions_limits_and_what_was_measured() -> None:
    advice = overview(maximising(), mixed(), recommended()).advice
    assert advice is not None
    assert advice.trial == 4
    assert advice.feasible == 0.973
    accuracy, cost = advice.predictions
    assert (accuracy.expected, accuracy.limits, accuracy.measured) == ("0.9012 ± 0.0051", (), "0.9")
    assert (cost.limits, cost.measured) == (("≤ 0.02 USD",), "0.02 USD")


def test_a_config_that_was_not_measured_has_no_measured_values() -> None:
    advice = overview(maximising(), mixed(), recommended(config={"vm": "large"})).advice
    assert advice is not None
    assert advice.trial is None
    assert all(p.measured is None for p in advice.predictions)


def test_without_limits_there_is_no_probability_of_keeping_them() -> None:
    advice = overview(maximising(subject_to=[]), mixed(), recommended()).advice
    assert advice is not None
    assert advice.feasible is None
