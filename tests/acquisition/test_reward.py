"""What Nephele and Lynceus improve on, and what is left of the budget."""

import math

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import made_noisy, problem, ran, written
from tests.extras import late
from tunewise.acquisition.acquisition import with_overhead
from tunewise.acquisition.improving import improvement_gain, most_wanted
from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.reward import RewardPerCost, left_of_budget, to_improve_on
from tunewise.history import History

norm = late("scipy.stats", "norm")

COSTS = {"cost": ([0.0, 1.0, 2.0], [0.5, 0.5, 1.0])}


def test_the_best_feasible_measurement_is_to_be_improved_on() -> None:
    least = problem(3, minimize="cost", subject_to="time <= 5")
    beliefs = {**COSTS, "time": ([0.0] * 3, [1.0] * 3)}
    history = History([ran(0, cost=1.0, time=9.0), ran(1, number=1, cost=math.e, time=2.0)])
    assert to_improve_on(written(least, beliefs, history)) == pytest.approx(1.0)


def test_while_nothing_is_feasible_anything_feasible_improves() -> None:
    least = problem(3, minimize="cost", subject_to="time <= 5")
    beliefs = {**COSTS, "time": ([0.0] * 3, [1.0] * 3)}
    history = History([ran(0, cost=math.e, time=9.0)])
    # Worse than all measured by three of the largest deviations of what is open.
    assert to_improve_on(written(least, beliefs, history)) == pytest.approx(1.0 + 3 * 1.0)
    most = problem(2, maximize="accuracy", subject_to="cost <= 0.1")
    beliefs = {"accuracy": ([0.0, 0.0], [0.5, 0.25]), "cost": ([0.0, 0.0], [1.0, 1.0])}
    history = History([ran(0, accuracy=0.5, cost=9.0)])
    assert to_improve_on(written(most, beliefs, history)) == pytest.approx(0.0 - 3 * 0.25)


def test_what_is_feasible_improves_even_if_it_measures_as_badly_as_noise_allows() -> None:
    least = problem(1, (0.5, 1.0), minimize="cost", subject_to="time <= 5")
    beliefs = {"cost": ([0.0, 1.0], [0.4, 0.0]), "time": ([0.0] * 2, [1.0] * 2)}
    posterior = written(least, beliefs, History([ran(0, cost=math.e, time=9.0)]))
    made_noisy(posterior, "cost")
    # The slice is open: a deviation of 0.4 and noise of 0.3 are 0.5 together.
    assert to_improve_on(posterior) == pytest.approx(1.0 + 3 * 0.5)


def test_a_trial_by_itself_may_improve_by_its_noise_on_slices_too() -> None:
    most = problem(2, (0.5, 1.0), maximize="accuracy")
    beliefs = {"accuracy": ([0.0, 0.0, 0.3, 0.1], [0.4] * 4), "cost": ([0.0] * 4, [0.0] * 4)}
    posterior = written(most, beliefs, History([ran(0, accuracy=0.5, cost=1.0)]))
    made_noisy(posterior, "accuracy")
    told = RewardPerCost(Lookahead(0))(posterior, posterior.open, np.random.default_rng(0))
    # Every trial costs 1 USD; 0.5 is 0 on the modelled scale, and what is measured deviates by 0.5.
    z = np.array([0.0, 0.3, 0.1]) / 0.5
    assert np.exp(told) == pytest.approx(0.5 * (norm.pdf(z) + z * norm.cdf(z)))


def test_waiting_trials_have_their_money_set_aside() -> None:
    least = problem(3, minimize="cost", budget=20.0)
    history = History([ran(0, cost=2.0)])
    posterior = written(least, COSTS, history)
    assert left_of_budget(posterior) == pytest.approx(18.0)
    waiting = posterior.assuming([({"x": 1}, 1.0)])
    # Once it came out as expected, its cost is known: no doubt makes it dearer.
    assert left_of_budget(waiting) == pytest.approx(18.0 - math.e, rel=1e-6)


def test_without_a_budget_or_costs_nothing_is_left_to_count() -> None:
    assert left_of_budget(written(problem(3, minimize="cost"), COSTS)) is None
    fastest = problem(2, minimize="time", budget=5.0)
    assert left_of_budget(written(fastest, {"time": ([0.0, 0.0], [1.0, 1.0])})) is None


def test_overhead_is_a_share_of_all_that_was_spent() -> None:
    wanted = problem(3, minimize="cost")
    exact = {"cost": ([0.0, 1.0, 2.0], [0.0, 0.0, 0.0])}
    posterior = written(wanted, exact, History([ran(0, cost=10.0)]))
    trials = np.array([1, 2], np.intp)
    assert with_overhead(posterior, trials, 0.0) == pytest.approx(np.exp([1.0, 2.0]))
    assert with_overhead(posterior, trials, 0.1) == pytest.approx(np.exp([1.0, 2.0]) + 1.0)


def test_the_gain_is_the_largest_expected_improvement_in_the_objectives_unit() -> None:
    least = problem(3, minimize="cost", subject_to="time <= 1")
    beliefs = {
        "cost": ([math.log(4.0), math.log(3.0), math.log(1.0)], [0.0, 0.0, 0.0]),
        "time": ([-9.0, -9.0, 0.0], [0.1, 0.1, 1.0]),
    }
    history = History([ran(0, cost=4.0, time=0.5)])
    # Config 1 saves 1 USD for sure, config 2 saves 3 and keeps the limit with probability 0.5.
    assert improvement_gain(written(least, beliefs, history)) == pytest.approx(1.5)
    nothing = History([ran(0, cost=4.0, time=5.0)])
    assert improvement_gain(written(least, beliefs, nothing)) is None
    every = History([ran(x, number=x, cost=4.0, time=0.5) for x in range(3)])
    assert improvement_gain(written(least, beliefs, every)) == 0.0


def test_more_accuracy_is_a_gain_and_less_is_none() -> None:
    most = problem(2, maximize="accuracy")
    history = History([ran(0, accuracy=0.5)])
    better = written(most, {"accuracy": ([0.0, math.log(4.0)], [0.0, 0.0])}, history)
    assert improvement_gain(better) == pytest.approx(0.3)
    worse = written(most, {"accuracy": ([0.0, -math.log(4.0)], [0.0, 0.0])}, history)
    assert improvement_gain(worse) == pytest.approx(0.0, abs=1e-9)


def test_the_most_wanted_trial_ignores_limits_but_not_the_direction() -> None:
    history = History(
        [ran(0, 1.0, 0, cost=3.0), ran(1, 1.0, 1, cost=2.0), ran(2, 0.5, 2, cost=1.0)]
    )
    least = problem(3, (0.5, 1.0), minimize="cost", subject_to="cost <= 1")
    most = problem(3, (0.5, 1.0), maximize="cost")
    found = [most_wanted(wanted, history.full) for wanted in (least, most)]
    assert [trial.number for trial in found if trial is not None] == [1, 0]
    assert most_wanted(least, History([tw.Trial(0, {"x": 0})])) is None
