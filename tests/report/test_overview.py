import pytest

from tests.report.studies import maximising, measured, mixed, recommended
from tunewise.history import History, TrialState
from tunewise.report.overview import overview
from tunewise.surrogate.normal import Normal


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


def test_where_nothing_keeps_the_limits_the_reason_is_told() -> None:
    history = History([measured(0, 0.9, 0.05), measured(1, 0.8, 0.03)])
    seen = overview(maximising(), history, recommended())
    assert seen.infeasible == (
        "No measured config keeps the limits: all 2 measured trials break cost ≤ 0.02 USD; the"
        " nearest miss is trial 1 with cost 0.03 USD."
    )
    assert overview(maximising(), mixed(), recommended()).infeasible is None


def test_a_belief_that_says_nothing_is_not_written_as_numbers() -> None:
    beliefs = {
        "accuracy": Normal(0.9, 0.01),
        "time": Normal(264_740 * 86400.0, 877_482_925 * 86400.0),
        "cost": Normal(0.01, 0.002),
    }
    given = recommended(config={"vm": "large"}, predicted=beliefs)
    advice = overview(maximising(subject_to=["time <= 60"]), mixed(), given).advice
    assert advice is not None
    told = {p.metric: p.expected for p in advice.predictions}
    assert told["time"] == "not known yet"
    assert told["cost"] == "0.0100 ± 0.0020 USD"


@pytest.mark.parametrize(
    ("history", "accuracy"),
    [(mixed(), Normal(0.5, 0.45)), (History(), Normal(0.9, 0.01))],
    ids=["a belief as wide as all shares", "nothing measured"],
)
def test_a_recommendation_that_nothing_supports_has_no_numbers(
    history: History, accuracy: Normal
) -> None:
    given = recommended(config={"vm": "large"}, predicted={"accuracy": accuracy})
    advice = overview(maximising(), history, given).advice
    assert advice is not None
    assert advice.predictions == ()
    assert advice.feasible is None
    assert advice.note == (
        "Nothing that was measured says what to expect of this config: take it as a guess."
    )


def test_why_nothing_supports_a_recommendation_is_told_as_the_strategy_says_it() -> None:
    given = recommended(config={"vm": "large"}, note="nothing like it was measured")
    advice = overview(maximising(), mixed(), given).advice
    assert advice is not None
    assert (advice.note, advice.predictions) == ("nothing like it was measured", ())
    certain = overview(maximising(), mixed(), recommended()).advice
    assert certain is not None
    assert certain.note == ""
