"""What a config is worth when it misses limits."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.benchmark.measures.penalty import penalised, share_of_optimum
from tunewise.problem import Problem
from tunewise.space import Space

SPACE = Space.of([{"x": 1}, {"x": 2}])
TRIMTUNER = Problem(SPACE, maximize="accuracy", subject_to="cost <= 0.04")


def test_a_config_that_misses_a_limit_is_worth_less_by_limit_over_value() -> None:
    missed = penalised(TRIMTUNER, {"accuracy": 0.95, "cost": 0.05})
    assert missed == pytest.approx(0.95 * 0.04 / 0.05)
    assert penalised(TRIMTUNER, {"accuracy": 0.9, "cost": 0.03}) == 0.9


def test_both_kinds_of_limits_and_goals_are_penalised() -> None:
    problem = Problem(SPACE, minimize="cost", subject_to=["accuracy >= 0.9", "time <= 20"])
    metrics = {"cost": 1.0, "accuracy": 0.45, "time": 40.0}
    assert penalised(problem, metrics) == pytest.approx(1.0 / 0.5 / 0.5)
    assert share_of_optimum(problem, metrics, 0.5) == pytest.approx(0.125)


def test_what_is_outside_of_the_limits_is_never_better_than_the_optimum() -> None:
    assert share_of_optimum(TRIMTUNER, {"accuracy": 0.99, "cost": 0.0401}, 0.9) == 1.0


@pytest.mark.parametrize(("goal", "worse"), [("maximize", -4.0), ("minimize", 4.0)])
def test_objectives_and_limits_below_zero_are_penalised_too(goal: str, worse: float) -> None:
    wanted: dict[str, Any] = {goal: "gain"}
    problem = Problem(SPACE, **wanted, subject_to="loss <= -1", metrics=["gain", "loss"])
    metrics = {"gain": worse / 2, "loss": -0.5}
    assert penalised(problem, metrics) == pytest.approx(worse)
    assert share_of_optimum(problem, metrics, worse / 4) == pytest.approx(0.25)


def test_a_limit_of_zero_leaves_nothing() -> None:
    problem = Problem(SPACE, maximize="accuracy", subject_to="debt <= 0", metrics=["debt"])
    assert penalised(problem, {"accuracy": 0.9, "debt": 0.1}) == 0.0
    assert penalised(problem, {"accuracy": 0.9, "debt": -0.1}) == 0.9


amounts = st.floats(0.01, 100)


@given(amounts, amounts, amounts, st.booleans())
def test_a_share_lies_between_nothing_and_all_and_falls_as_the_limit_is_missed(
    objective: float, optimum: float, cost: float, maximize: bool
) -> None:
    goal: dict[str, Any] = {"maximize" if maximize else "minimize": "gain"}
    problem = Problem(SPACE, **goal, subject_to="cost <= 1", metrics=["gain"])
    share = share_of_optimum(problem, {"gain": objective, "cost": cost}, optimum)
    further = share_of_optimum(problem, {"gain": objective, "cost": 2 * cost}, optimum)
    assert 0 <= further <= share <= 1


@pytest.mark.parametrize(
    ("goal", "gain", "worst"),
    [("maximize", 2.0, 0.0), ("maximize", -2.0, -math.inf), ("minimize", 2.0, math.inf),
     ("minimize", -2.0, 0.0)],
)  # fmt: skip
def test_what_keeps_nothing_of_a_limit_is_as_bad_as_can_be(
    goal: str, gain: float, worst: float
) -> None:
    wanted: dict[str, Any] = {goal: "gain"}
    problem = Problem(SPACE, **wanted, subject_to="debt <= 0", metrics=["gain", "debt"])
    assert penalised(problem, {"gain": gain, "debt": 1.0}) == worst


def test_a_share_is_nothing_where_zero_lies_between_value_and_optimum() -> None:
    problem = Problem(SPACE, maximize="gain", metrics=["gain"])
    assert share_of_optimum(problem, {"gain": -1.0}, 2.0) == 0.0
    assert share_of_optimum(problem, {"gain": 0.0}, 2.0) == 0.0
    assert share_of_optimum(problem, {"gain": -4.0}, -2.0) == pytest.approx(0.5)
    assert share_of_optimum(problem, {"gain": 2.0}, 2.0) == 1.0
