"""What trials on clusters say: bills, times, lower bounds, and what is wanted at all."""

import math
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.evidence import Times, bills, priced, prices
from tunewise.belief.machines.features import MachineFeatures
from tunewise.belief.machines.prices import PriceBelief
from tunewise.belief.machines.wanted import Wanted
from tunewise.history import History, Trial
from tunewise.surrogate import Normal

CONFIGS = [{"vm": "c4.large", "vms": vms} for vms in (1, 2, 4)]
SPACE = tw.Space.of(CONFIGS)
PLAIN = tw.Problem(SPACE, minimize="cost", subject_to="time <= 100")
PLACES = {SPACE.key(config): i for i, config in enumerate(CONFIGS)}
FREE = Normal(np.zeros(3), np.zeros(3))
LIMIT = math.log(100.0)


def ran(number: int, place: int, fraction: float = 1.0, **metrics: float) -> Trial:
    return Trial(number, CONFIGS[place], fraction).told(tw.Measurement(metrics))


def times(*trials: Trial, price: Normal = FREE, limit: float = LIMIT) -> dict[int, tuple[Any, ...]]:
    found = Times.of(PLAIN, History(trials), PLACES, price, limit)
    rows = zip(found.at.tolist(), np.exp(found.log_time), found.stopped.tolist(), strict=True)
    return {at: (pytest.approx(seconds), stopped) for at, seconds, stopped in rows}


def test_a_bill_is_what_a_second_cost() -> None:
    history = History([ran(0, 2, cost=6.0, time=3.0), ran(1, 0, cost=1.0, time=4.0)])
    at, billed = bills(PLAIN, history, PLACES)
    assert at.tolist() == [2, 0]
    assert np.exp(billed) == pytest.approx([2.0, 0.25])


def test_trials_without_cost_or_time_or_on_slices_send_no_bill() -> None:
    history = History(
        [ran(0, 0, time=3.0), ran(1, 1, cost=3.0), ran(2, 2, 0.5, cost=1.0, time=1.0)]
    )
    assert len(bills(PLAIN, history, PLACES)[0]) == 0


def test_several_bills_of_a_config_count_by_their_mean() -> None:
    history = History([ran(0, 1, cost=1.0, time=1.0), ran(1, 1, cost=4.0, time=1.0)])
    assert np.exp(bills(PLAIN, history, PLACES)[1]) == pytest.approx([2.0])


def test_a_failed_trial_was_billed_too_and_one_that_runs_was_not() -> None:
    failed = Trial(0, CONFIGS[0]).told(tw.Failure("out of memory", {"cost": 3.0, "time": 1.0}))
    assert bills(PLAIN, History([failed, Trial(1, CONFIGS[1])]), PLACES)[0].tolist() == [0]


def test_costs_are_told_by_a_price_a_limit_or_a_trial() -> None:
    fastest = tw.Problem(SPACE, minimize="time")
    assert priced(PLAIN, History())
    assert not priced(fastest, History([ran(0, 0, time=1.0)]))
    assert priced(fastest, History([ran(0, 0, time=1.0, cost=1.0)]))
    assert priced(tw.Problem(SPACE, minimize="time", price=lambda config: 1.0), History())
    assert priced(tw.Problem(SPACE, minimize="time", subject_to="cost <= 1"), History())


def test_where_nothing_tells_a_cost_a_second_costs_1() -> None:
    fastest = tw.Problem(SPACE, minimize="time")
    belief = PriceBelief(fastest, CONFIGS, MachineFeatures.of(fastest, CONFIGS))
    unpriced = prices(fastest, History([ran(0, 0, time=1.0)]), PLACES, belief)
    assert unpriced.mean == pytest.approx(np.zeros(3))
    assert unpriced.std == pytest.approx(np.zeros(3))
    told = prices(fastest, History([ran(0, 0, time=2.0, cost=3.0)]), PLACES, belief)
    assert math.exp(float(told[0].mean)) == pytest.approx(1.5)


def test_times_are_those_that_were_told_or_that_follow_from_the_cost() -> None:
    dear = Normal(np.log([1.0, 2.0, 1.0]), np.zeros(3))
    found = times(ran(0, 0, time=7.0), ran(1, 1, cost=10.0), ran(2, 2, 0.5, time=1.0), price=dear)
    assert found == {0: (7.0, False), 1: (5.0, False)}


def test_a_trial_that_timed_out_is_a_bound_until_a_time_is_known() -> None:
    bound = Trial(0, CONFIGS[0]).told(tw.TimedOut("stopped", {"time": 40.0}))
    higher = Trial(1, CONFIGS[0]).told(tw.TimedOut("stopped", {"time": 60.0}))
    assert times(bound, higher) == {0: (60.0, True)}
    assert times(bound, higher, ran(2, 0, time=80.0)) == {0: (80.0, False)}


def test_a_config_that_fails_is_taken_as_somewhat_slower_than_the_limit() -> None:
    failed = Trial(0, CONFIGS[0]).told(tw.Failure("out of memory", {"time": 5.0}))
    assert times(failed) == {0: (pytest.approx(110.0), False)}
    late = Trial(0, CONFIGS[0]).told(tw.Failure("out of memory", {"time": 500.0}))
    assert times(late) == {0: (500.0, False)}


def test_without_a_limit_a_failure_is_slower_than_all_that_was_measured() -> None:
    failed = Trial(0, CONFIGS[0]).told(tw.Failure("out of memory"))
    found = times(failed, ran(1, 1, time=20.0), ran(2, 2, time=10.0), limit=math.inf)
    assert found[0] == (pytest.approx(22.0), False)
    assert times(failed, limit=math.inf) == {}


def test_only_the_least_cost_or_time_under_upper_limits_of_both_is_answered() -> None:
    def wanted(**said: Any) -> Wanted | None:
        return Wanted.of(tw.Problem(SPACE, **said))

    assert wanted(minimize="cost") == Wanted(True, math.inf, math.inf)
    limited = wanted(minimize="time", subject_to=["cost <= 2", "time <= 9", "time <= 7"])
    assert limited == pytest.approx((False, math.log(7), math.log(2)))
    assert wanted(maximize="accuracy") is None
    assert wanted(maximize="cost") is None
    assert wanted(minimize="cost", subject_to="accuracy >= 0.5") is None
    assert wanted(minimize="cost", subject_to="time >= 5") is None
    assert wanted(minimize="cost", deploy="any", fractions=(0.5, 1.0)) is None


def test_the_incumbent_is_the_best_on_the_full_data_that_keeps_the_limits() -> None:
    seen = Wanted(True, LIMIT, math.inf)
    assert seen.incumbent(PLAIN, History([ran(0, 0, 0.5, cost=1.0, time=1.0)])) == math.inf
    history = History([ran(0, 0, cost=3.0, time=500.0), ran(1, 1, cost=4.0, time=50.0)])
    assert seen.incumbent(PLAIN, history) == pytest.approx(math.log(4.0))


def test_a_trial_is_hopeless_once_it_is_dearer_than_the_best_or_breaks_a_limit() -> None:
    prices_ = np.log([1.0, 10.0])
    cheapest = Wanted(True, math.log(30.0), math.log(200.0))
    assert np.exp(cheapest.lost_after(prices_, math.log(50.0))) == pytest.approx([30.0, 5.0])
    assert np.exp(cheapest.lost_after(prices_, math.inf)) == pytest.approx([30.0, 20.0])
    fastest = Wanted(False, math.log(30.0), math.log(200.0))
    assert np.exp(fastest.lost_after(prices_, math.log(8.0))) == pytest.approx([8.0, 8.0])


def test_a_trial_is_stopped_by_its_price_only_where_the_lowest_price_would_lose_too() -> None:
    cheapest = Wanted(True, math.log(30.0), math.inf)
    sure, unsure = Normal(np.log([10.0]), np.array([0.1])), Normal(np.log([10.0]), np.array([0.6]))
    # 50 USD at 10 USD a second are 5 seconds; a grace of 1.5 is more than a doubt of 10 %,
    assert np.exp(cheapest.stopped_after(sure, math.log(50.0), 1.5)) == pytest.approx([7.5])
    # and less than one of 60 %, but no price makes up for a limit on time.
    longer = 5.0 * math.exp(2.05 * 0.6)
    assert np.exp(cheapest.stopped_after(unsure, math.log(50.0), 1.5)) == pytest.approx([longer])
    assert np.exp(cheapest.stopped_after(unsure, math.log(9e9), 1.5)) == pytest.approx([45.0])


def test_a_failure_where_nothing_else_is_known_counts_with_the_time_it_took() -> None:
    failed = Trial(0, CONFIGS[1]).told(tw.Failure("out of memory", {"time": 20.0}))
    crashed = Trial(1, CONFIGS[0]).told(tw.Failure("no such file"))
    assert times(failed, crashed, limit=math.inf) == {1: (20.0, False)}
