"""The belief about clusters: what a trial costs, whether money pays, and when it is stopped."""

import math
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.belief import Machines
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.machines.wanted import Wanted
from tunewise.history import History, Trial

CONFIGS = [{"vm": vm, "vms": vms} for vm in ("c4.large", "r4.large") for vms in (1, 2, 4, 8)]
SPACE = tw.Space.of(CONFIGS)


def wanted(**said: Any) -> tw.Problem:
    return tw.Problem(SPACE, **{"minimize": "cost", "subject_to": "time <= 600", **said})


def posterior(
    *trials: Trial, grace: float | None = None, problem: tw.Problem | None = None
) -> MachinePosterior:
    asked = problem or wanted()
    seen = Wanted.of(asked)
    assert seen is not None
    return Machines(seen, 2000, grace).posterior(asked, History(trials), 0, None)


def ran(number: int, config: dict[str, Any], seconds: float, usd: float) -> Trial:
    return Trial(number, config).told(tw.Measurement({"time": seconds, "cost": usd}))


def test_a_config_that_was_run_is_not_open_and_one_that_runs_is_not_either() -> None:
    belief = posterior(ran(0, CONFIGS[2], 100.0, 0.1), Trial(1, CONFIGS[5]))
    places = [belief.pool.configs.index(CONFIGS[i]) for i in (2, 5)]
    assert sorted(set(range(8)) - set(belief.open.tolist())) == sorted(places)
    assert len(posterior().open) == 8


def test_a_config_whose_bill_says_that_it_was_stopped_too_early_is_open_again() -> None:
    best = ran(0, CONFIGS[2], 100.0, 1.0)

    def stopped(number: int, seconds: float, usd: float) -> Trial:
        return Trial(number, CONFIGS[5]).told(tw.TimedOut("pruned", {"time": seconds, "cost": usd}))

    def open_again(*trials: Trial, grace: float | None = 1.5) -> bool:
        belief = posterior(best, *trials, grace=grace)
        return belief.pool.at(CONFIGS[5]) in belief.open

    # At 0.01 USD a second it may win until 100 s are over, and has a grace of 50 s more.
    assert open_again(stopped(1, 90.0, 0.9))
    assert not open_again(stopped(1, 110.0, 1.1)), "40 s more are not worth a new beginning"
    assert not open_again(stopped(1, 90.0, 9.0)), "at ten times the price it has lost"
    assert not open_again(stopped(1, 90.0, 0.9), Trial(2, CONFIGS[5])), "it runs by now"
    assert not open_again(stopped(1, 90.0, 0.9), stopped(2, 150.0, 1.5))
    assert not open_again(stopped(1, 90.0, 0.9), grace=None), "who stops nothing has given up none"


def test_the_configs_of_a_small_space_are_gathered_once_for_all_histories() -> None:
    asked = wanted()
    seen = Wanted.of(asked)
    assert seen is not None
    machines = Machines(seen, len(CONFIGS), None)
    first = machines.grid(asked, History(), 0)
    assert machines.grid(asked, History([ran(0, CONFIGS[2], 100.0, 0.1)]), 0) is first
    assert len(first.candidates) == len(CONFIGS)


def test_trials_on_slices_are_not_of_the_full_data() -> None:
    half, whole = Trial(0, CONFIGS[0], 0.5), Trial(1, CONFIGS[1])
    assert [t.config for t in History([half, whole]).full] == [CONFIGS[1]]


def test_waiting_trials_are_taken_out_and_count_as_expected() -> None:
    belief = posterior(ran(0, CONFIGS[0], 500.0, 0.1))
    then = belief.assuming([(CONFIGS[1], 1.0), (CONFIGS[3], 0.5)])
    place = belief.pool.at(CONFIGS[1])
    assert place in belief.open and place not in then.open
    assert belief.pool.at(CONFIGS[3]) in then.open
    assert then.awaited == [place]
    one, two = belief.times.moments(), then.times.moments()
    assert float(two[place].std) < 0.3 * float(one[place].std)
    assert float(two[place].mean) == pytest.approx(float(one[place].mean), abs=0.2)


def test_what_was_measured_is_believed_of_time_and_price() -> None:
    belief = posterior(ran(0, CONFIGS[0], 500.0, 0.25))
    place = belief.pool.at(CONFIGS[0])
    assert float(belief.times.moments()[place].mean) == pytest.approx(math.log(500.0), abs=0.1)
    assert math.exp(belief.log_price[place]) == pytest.approx(0.25 / 500)


def test_the_objective_is_time_and_price_or_time_alone() -> None:
    trial = ran(0, CONFIGS[0], 500.0, 0.25)
    cheapest = posterior(trial)
    assert cheapest.per_second == pytest.approx(cheapest.log_price)
    fastest = posterior(trial, problem=wanted(minimize="time", subject_to="cost <= 1"))
    assert fastest.per_second == pytest.approx(np.zeros(8))
    assert (fastest.floor == -np.inf).all()
    assert cheapest.best == pytest.approx(math.log(0.25))
    assert fastest.best == pytest.approx(math.log(500.0))


def test_a_minimum_bill_is_the_least_that_any_trial_costs() -> None:
    billing = tw.Billing(tick=1.0, minimum=60.0)
    priced = wanted(price=lambda config: 36.0 * config["vms"], billing=billing)
    belief = posterior(problem=priced)
    place = belief.pool.at({"vm": "c4.large", "vms": 2})
    # 72 USD per hour for at least a minute.
    assert math.exp(belief.least[place]) == pytest.approx(1.2)
    assert belief.floor == pytest.approx(belief.least)
    assert belief.spending[place] >= 1.2
    payable = belief.payable(1.2)
    assert payable[place] and not payable[belief.pool.at({"vm": "c4.large", "vms": 4})]
    assert belief.within(1.1)[place] == 0.0
    assert (belief.within(0.0) == 0.0).all()


def test_the_probability_of_paying_rises_with_the_money() -> None:
    belief = posterior(ran(0, CONFIGS[0], 500.0, 0.25))
    little, some, much = (belief.within(usd) for usd in (1e-6, 0.25, 1e6))
    assert little.max() < 0.01 and much.min() > 0.99
    assert ((little <= some) & (some <= much)).all()
    place = belief.pool.at(CONFIGS[0])
    assert belief.within(0.30)[place] > 0.9 > 0.1 > belief.within(0.20)[place]


def test_a_trial_that_would_be_stopped_costs_no_more_than_that() -> None:
    trial = ran(0, CONFIGS[0], 500.0, 0.25)
    whole, stopped = posterior(trial), posterior(trial, grace=1.5)
    assert (stopped.spending <= whole.spending * 1.001).all()
    # It is hopeless once it costs more than the best, and stopped half as much later, or once it
    # does so at the lowest likely price.
    later = np.maximum(1.5, np.exp(2.05 * np.asarray(stopped.price.std)))
    assert (stopped.spending <= 0.25 * later * 1.01).all()
    assert (stopped.within(0.25 * 1.5 * 3) > 0.9).all()
    assert (stopped.within(0.3) >= whole.within(0.3) - 1e-12).all()


def test_samples_keep_limits_on_time_and_cost() -> None:
    belief = posterior(ran(0, CONFIGS[0], 500.0, 0.25))
    objective, kept = belief.samples(np.random.default_rng(0))
    assert objective.shape == kept.shape and objective.shape[-1] == 8
    place = belief.pool.at(CONFIGS[0])
    weights = belief.times.weights
    mean = float(np.tensordot(weights, objective[:, :, place].mean(1), 1))
    assert mean == pytest.approx(math.log(0.25), abs=0.1)
    assert kept[:, :, place].mean() > 0.9
    tight = posterior(ran(0, CONFIGS[0], 500.0, 0.25), problem=wanted(subject_to="time <= 300"))
    assert tight.samples(np.random.default_rng(0))[1][:, :, place].mean() < 0.1
    poor = posterior(
        ran(0, CONFIGS[0], 500.0, 0.25), problem=wanted(minimize="time", subject_to="cost <= 0.1")
    )
    assert poor.samples(np.random.default_rng(0))[1][:, :, place].mean() < 0.1


def test_more_cores_are_expected_to_be_faster_before_anything_was_measured() -> None:
    belief = posterior()
    one, eight = (belief.pool.at({"vm": "c4.large", "vms": vms}) for vms in (1, 8))
    mean = np.asarray(belief.times.moments().mean)
    # Half of perfect scaling, 0.35 of each doubling, for four jobs of five; the fifth is held to
    # know nothing of machines. One of the four has too little memory below one of seven edges, four
    # of which lie between both, and takes exp(1.5) times as long there.
    expected = 0.8 * 3 * 0.35 * math.log(2) + 0.2 * 1.5 * 4 / 7
    assert mean[one] - mean[eight] == pytest.approx(expected, abs=0.01)
    assert mean.mean() == pytest.approx(math.log(600.0), abs=0.05)


def test_without_a_limit_times_are_expected_around_ten_minutes_and_doubted_more() -> None:
    free, limited = posterior(problem=wanted(subject_to=())), posterior()
    assert np.asarray(free.times.moments().mean).mean() == pytest.approx(math.log(600.0), abs=0.05)
    doubts = [float(np.asarray(each.times.moments().std).mean()) for each in (free, limited)]
    assert doubts[0] > 2 * doubts[1]


def test_a_limit_on_cost_says_what_time_is_expected() -> None:
    dear = posterior(problem=wanted(minimize="time", subject_to="cost <= 100"))
    cheap = posterior(problem=wanted(minimize="time", subject_to="cost <= 1"))
    means = [float(np.asarray(each.times.moments().mean).mean()) for each in (dear, cheap)]
    assert means[0] - means[1] == pytest.approx(math.log(100.0), abs=1e-6)


def test_costs_are_expected_only_where_they_are_told() -> None:
    fastest = wanted(minimize="time", subject_to=())
    silent = Trial(0, CONFIGS[0]).told(tw.Measurement({"time": 500.0}))
    belief = posterior(silent, problem=fastest)
    assert belief.expected_usd(0) is None and not belief.told
    telling = posterior(ran(0, CONFIGS[0], 500.0, 0.25), problem=fastest)
    place = telling.pool.at(CONFIGS[0])
    usd = telling.expected_usd(place)
    assert usd == pytest.approx(0.25, rel=0.1) and telling.told
    assert not posterior().told


def test_a_large_space_is_drawn_anew_and_has_what_was_tried() -> None:
    space = tw.Space(tw.Ordinal("vms", list(range(1, 60))), tw.Ordinal("batch", list(range(60))))
    asked = tw.Problem(space, minimize="time")
    seen = Wanted.of(asked)
    assert seen is not None
    belief = Machines(seen, 40, None)
    tried = {"vms": 7, "batch": 9}
    pool = belief.posterior(asked, History([Trial(0, tried)]), 0, None).pool
    assert tried in pool.configs and len(pool.configs) <= 41
    other = belief.posterior(asked, History([Trial(0, tried), Trial(1, pool.configs[0])]), 0, None)
    assert [*other.pool.configs] != [*pool.configs]


def test_configs_that_are_the_same_count_once() -> None:
    from tunewise.belief.machines.pool import MachinePool

    asked = wanted()
    seen = Wanted.of(asked)
    assert seen is not None
    pool = MachinePool(asked, seen, [CONFIGS[0], CONFIGS[1], CONFIGS[0]], 0)
    assert pool.configs == CONFIGS[:2]
    assert (pool.at(CONFIGS[0]), pool.at(CONFIGS[1])) == (0, 1)
    assert pool.grid.fractions.tolist() == [1.0]
