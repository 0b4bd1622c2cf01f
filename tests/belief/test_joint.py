"""The joint belief that exploration paths lead through."""

import math

import numpy as np
import pytest

from tests.belief.tiny import problem, written
from tunewise.belief.joint import JointMetric, joint
from tunewise.surrogate import Fantasy

WANTED = problem(3, minimize="cost", subject_to=["accuracy >= 0.5", "time <= 10"])
BELIEFS = {
    "cost": ([0.0, 1.0, 2.0], [1.0, 2.0, 1.0]),
    "accuracy": ([0.0, 0.5, 1.0], [0.5, 0.5, 0.5]),
    "time": ([1.0, 1.0, 1.0], [0.1, 0.2, 0.3]),
}
POSTERIOR = written(WANTED, BELIEFS, together={"cost": 0.5})
TRIALS = np.array([0, 2], np.intp)


def test_every_metric_has_its_means_and_covariances_at_the_trials() -> None:
    found = joint(POSTERIOR, TRIALS)
    assert len(found) == 2 and set(found.metrics) == {"cost", "accuracy", "time"}
    cost = found.metrics["cost"]
    assert cost.mean == pytest.approx([0.0, 2.0])
    assert cost.covariance == pytest.approx(np.array([[1.0, 0.5], [0.5, 1.0]]))
    assert cost.variance == pytest.approx([1.0, 1.0])
    assert cost.noise == pytest.approx([0.0, 0.0])


def test_limits_are_on_the_modelled_scale_with_their_side() -> None:
    limits = {limit.metric: limit for limit in joint(POSTERIOR, TRIALS).limits}
    assert limits["accuracy"].bound == pytest.approx(0.0) and not limits["accuracy"].below
    assert limits["time"].bound == pytest.approx(math.log(10)) and limits["time"].below


def test_objective_direction_and_spending_are_those_of_the_posterior() -> None:
    found = joint(POSTERIOR, TRIALS)
    assert (found.objective, found.sign, found.spending) == ("cost", -1.0, "cost")
    most = written(problem(2, maximize="accuracy"), {"accuracy": ([0.0, 0.0], [1.0, 1.0])})
    other = joint(most, np.array([1], np.intp))
    assert (other.objective, other.sign, other.spending) == ("accuracy", 1.0, None)
    assert list(other.limits) == []


def test_cost_and_time_go_together_and_all_else_is_speculated_about_apart() -> None:
    found = joint(POSTERIOR, TRIALS).metrics
    assert {name: metric.second for name, metric in found.items()} == {
        "cost": False,
        "time": False,
        "accuracy": True,
    }
    most = problem(3, maximize="accuracy", subject_to=["time <= 10"])
    beliefs = {name: BELIEFS[name] for name in ("accuracy", "time")}
    second = {n: m.second for n, m in joint(written(most, beliefs), TRIALS).metrics.items()}
    assert second == {"accuracy": False, "time": True}


def test_where_trials_may_fail_success_is_one_more_limit() -> None:
    beliefs = {**BELIEFS, "success": ([1.0, 0.5, 0.0], [0.1, 0.1, 0.1])}
    found = joint(written(WANTED, beliefs), TRIALS)
    assert found.metrics["success"].mean == pytest.approx([1.0, 0.0])
    last = found.limits[-1]
    assert (last.metric, last.bound, last.below) == ("success", 0.5, False)


def test_a_fantasy_becomes_covariances_with_the_exact_variances_on_the_diagonal() -> None:
    fantasy = Fantasy(
        mean=np.array([1.0, 2.0]),
        std=np.array([2.0, 3.0]),
        noise=np.array([0.5, 0.25]),
        gain=np.array([[0.9, 0.5], [0.2, 0.8]]),
        target_mean=np.array([1.0, 2.0]),
        target_var=np.array([3.9, 8.7]),
    )
    metric = JointMetric.of(fantasy, np.array([10.0, 20.0]), second=True)
    assert metric.mean == pytest.approx([11.0, 22.0])
    assert metric.covariance == pytest.approx(np.array([[3.9, 2.0], [1.8, 8.7]]))
    assert metric.noise == pytest.approx([0.25, 0.0625])
    assert metric.second and not JointMetric.of(fantasy, np.zeros(2)).second
