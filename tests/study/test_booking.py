"""What is booked for trials that did not tell what they cost, or told nonsense."""

from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import MeasurementError
from tunewise.history import Cancelled, Failure, History, Measurement, Outcome, Preempted, Trial
from tunewise.study.booking import (
    booked_at_least,
    by_the_clock,
    dearest_second,
    dearest_trial,
    with_estimated_cost,
)

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4]))


def problem(**more: Any) -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", fractions=(0.1, 0.5, 1.0), **more)


def told(*outcomes: tuple[float, Outcome]) -> History:
    trials = (Trial(i, {"width": 1}, s).told(each) for i, (s, each) in enumerate(outcomes))
    return History(list(trials))


def measured(usd: float, seconds: float = 10.0) -> Measurement:
    return Measurement({"accuracy": 0.5, "cost": usd, "time": seconds})


def test_an_outcome_that_is_refused_is_booked_with_what_it_told_truly() -> None:
    nonsense = Measurement({"accuracy": 3.0, "cost": 0.5, "time": -4.0})
    booked = booked_at_least(nonsense, MeasurementError("accuracy is 3"), 20.0)
    assert type(booked) is Failure
    assert booked.metrics == {"cost": 0.5, "time": 20.0}
    assert "accuracy is 3" in booked.reason
    huge = Measurement({"accuracy": 0.5, "cost": 1e300, "time": 4.0})
    assert booked_at_least(huge, MeasurementError("cost"), 20.0).metrics == {"time": 4.0}


@pytest.mark.parametrize("kind", [Preempted, Cancelled])
def test_a_preempted_or_cancelled_trial_stays_one(kind: type[Failure]) -> None:
    booked = booked_at_least(kind("gone", {"time": -1.0}), MeasurementError("time is -1"), -3.0)
    assert type(booked) is kind
    assert booked.metrics == {"time": 0.0}
    assert booked.reason == "gone (time is -1)"


def test_a_job_that_says_it_took_no_time_is_booked_by_the_clock_where_time_is_money() -> None:
    free, priced = problem(), problem(price=lambda config: 1.0)
    instant = Measurement({"accuracy": 0.5, "time": 0.0})
    assert by_the_clock(priced, instant, 7.0).metrics["time"] == 7.0
    assert by_the_clock(free, instant, 7.0) is instant
    honest = Measurement({"accuracy": 0.5, "time": 2.0})
    assert by_the_clock(priced, honest, 7.0) is honest
    billed = Measurement({"accuracy": 0.5, "time": 0.0, "cost": 0.1})
    assert by_the_clock(priced, billed, 7.0) is billed
    assert by_the_clock(priced, Failure("broke", {"time": 0.0}), 7.0).metrics == {"time": 7.0}
    never_ran = Preempted("gone", {"time": 0.0})
    assert by_the_clock(priced, never_ran, 7.0) is never_ran


def test_a_job_that_tells_too_small_a_cost_is_booked_by_the_clock_where_a_price_is_known() -> None:
    config = {"width": 1}
    kept = problem(price=lambda config: 3600.0, budget=9.0)
    cheap, dear = measured(0.1), measured(50.0)
    assert by_the_clock(kept, cheap, 7.0, config).metrics["cost"] == pytest.approx(7.0)
    assert by_the_clock(kept, dear, 7.0, config) is dear
    assert by_the_clock(problem(budget=9.0), cheap, 7.0, config) is cheap


def test_a_failure_without_a_bill_costs_its_time_at_the_dearest_rate() -> None:
    history = told((1.0, measured(2.0)), (1.0, measured(1.0, 50.0)), (1.0, Failure("no bill")))
    assert dearest_second(history) == pytest.approx(0.2)
    with_budget = problem(budget=9.0)
    booked = with_estimated_cost(with_budget, history, Failure("broke", {"time": 5.0}))
    assert booked.metrics["cost"] == pytest.approx(1.0)
    for untouched in (Failure("broke"), Failure("broke", {"time": 5.0, "cost": 0.0}), measured(1)):
        assert with_estimated_cost(with_budget, history, untouched) is untouched
    told_nothing = Failure("broke", {"time": 5.0})
    assert with_estimated_cost(problem(), history, told_nothing) is told_nothing
    assert with_estimated_cost(with_budget, History([]), told_nothing) is told_nothing


def test_more_data_is_held_to_cost_in_proportion_and_less_as_much_as_was_seen() -> None:
    history = told((0.1, measured(1.0)), (0.5, measured(3.0)), (1.0, Failure("x", {"cost": 99.0})))
    assert dearest_trial(history, 1.0) == pytest.approx(10.0)
    assert dearest_trial(history, 0.5) == pytest.approx(5.0)
    assert dearest_trial(told((0.5, measured(3.0))), 0.1) == pytest.approx(3.0)
    assert dearest_trial(History([]), 1.0) is None
