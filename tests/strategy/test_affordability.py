"""Which trials may be risked: by budget, by predicted limits, and by the hope of success."""

import math
from typing import Any

import numpy as np
import pytest

from tests.belief.tiny import problem, ran, written
from tunewise.belief.posterior import Posterior
from tunewise.history import History
from tunewise.strategy.loop.affordability import (
    Growth,
    everything,
    predicted_feasible,
    surely_paid,
)


def trials(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.intp)


def believed(
    costs: list[float],
    std: float = 0.0,
    budget: float | None = None,
    spent: float = 0.0,
    **limits: Any,
) -> Posterior:
    """Configs that cost so many USD, after one trial of the first that cost what was spent."""
    wanted = problem(len(costs), minimize="cost", budget=budget, **limits)
    told = History([ran(0, cost=spent)]) if spent else History()
    beliefs = {"cost": ([math.log(c) for c in costs], [std] * len(costs))}
    if "subject_to" in limits:
        beliefs["accuracy"] = ([0.0, 1.0, 2.0], [0.5] * 3)
    return written(wanted, beliefs, told)


def test_without_a_budget_every_trial_is_surely_paid() -> None:
    posterior = believed([1.0, 2.0, 3.0])
    assert surely_paid(posterior, trials(0, 1, 2)).tolist() == [0, 1, 2]
    assert everything(posterior, trials(0, 2)).tolist() == [0, 2]


def test_what_is_left_pays_for_what_costs_no_more() -> None:
    posterior = believed([1.0, 2.0, 3.0], budget=5.0, spent=2.9)
    assert surely_paid(posterior, trials(0, 1, 2)).tolist() == [0, 1]


def test_an_unsure_cost_needs_more_money() -> None:
    # With a deviation of 0.5 the cost is below 2 e^(0.5 * 2.33) = 6.4 with probability 0.99.
    for left, paid in ((6.0, []), (6.9, [1])):
        posterior = believed([1.0, 2.0], std=0.5, budget=left + 1.0, spent=1.0)
        assert surely_paid(posterior, trials(1)).tolist() == paid


def test_where_all_is_spent_nothing_is_paid_for_not_even_what_costs_little() -> None:
    posterior = believed([0.01, 0.5], budget=2.0, spent=2.0)
    assert surely_paid(posterior, trials(0, 1)).tolist() == []
    assert predicted_feasible(posterior, trials(0, 1)).tolist() == []


def test_predicted_means_must_keep_the_budget_and_every_limit() -> None:
    posterior = believed([1.0, 2.0, 4.0], std=0.5, budget=5.0, spent=2.5)
    # The mean of the logarithm counts, however unsure it is.
    assert predicted_feasible(posterior, trials(0, 1, 2)).tolist() == [0, 1]
    half = believed([1.0, 2.0, 4.0], subject_to="accuracy >= 0.6")
    assert predicted_feasible(half, trials(0, 1, 2)).tolist() == [1, 2]
    upper = believed([1.0, 2.0, 4.0], subject_to="accuracy <= 0.6")
    assert predicted_feasible(upper, trials(0, 1, 2)).tolist() == [0]
    without = believed([1.0, 2.0, 4.0])
    assert predicted_feasible(without, trials(0, 1, 2)).tolist() == [0, 1, 2]


def test_a_limit_that_is_just_met_is_kept() -> None:
    even = believed([1.0, 2.0, 4.0], subject_to="accuracy >= 0.5")
    assert predicted_feasible(even, trials(0, 1, 2)).tolist() == [0, 1, 2]
    below = believed([1.0, 2.0, 4.0], subject_to="accuracy <= 0.5")
    assert predicted_feasible(below, trials(0, 1, 2)).tolist() == [0]


def test_no_trial_spends_more_than_so_many_times_what_was_spent() -> None:
    posterior = believed([1.0, 2.0, 4.0], spent=2.0)
    assert Growth(1.5)(posterior, trials(0, 1, 2)).tolist() == [0, 1]
    assert Growth(2.0)(posterior, trials(0, 1, 2)).tolist() == [0, 1, 2]
    assert Growth(None)(posterior, trials(0, 1, 2)).tolist() == [0, 1, 2]


def test_the_unlucky_cost_counts_by_two_deviations() -> None:
    posterior = believed([1.0, 2.0], std=0.5, spent=2.0)
    # 2 e^(2 * 0.5) = 5.4
    assert Growth(2.6)(posterior, trials(0, 1)).tolist() == [0]
    assert Growth(2.8)(posterior, trials(0, 1)).tolist() == [0, 1]


def test_where_nothing_is_told_of_spending_everything_may_be_risked() -> None:
    wanted = problem(2, maximize="accuracy")
    posterior = written(wanted, {"accuracy": ([0.0, 1.0], [1.0, 1.0])})
    assert Growth(0.1)(posterior, trials(0, 1)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("success", "risked"),
    [([1.0, 0.0, 0.4], [0, 2]), ([0.0, 0.0, 0.0], [0, 1, 2]), ([1.0, 1.0, 0.3], [0, 1])],
)
def test_trials_that_fail_with_a_probability_above_three_quarters_are_left_out(
    success: list[float], risked: list[int]
) -> None:
    wanted = problem(3, maximize="accuracy")
    beliefs = {"accuracy": ([0.0] * 3, [1.0] * 3), "success": (success, [0.2] * 3)}
    # 0.4 is half a deviation below a half (31 %), 0.3 a whole one (16 %).
    assert Growth(None)(written(wanted, beliefs), trials(0, 1, 2)).tolist() == risked
