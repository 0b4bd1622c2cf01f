"""What a belief about the objective is worth, on the scale of its kind."""

import numpy as np
import pytest

from tests.belief.tiny import problem, written
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.worth import in_own_unit, worth_of
from tunewise.problem import Problem
from tunewise.surrogate import Normal


def believed(wanted: Problem) -> MetricBelief:
    return written(wanted, {wanted.objective: ([0.0, 0.0], [1.0, 1.0])}).objective


SHARE = believed(problem(2, maximize="accuracy"))
POSITIVE = believed(problem(2, minimize="cost"))
REAL = believed(problem(2, maximize="reward", metrics=["reward"]))
BELIEF = Normal(np.array([-1.0, 0.0, 2.0]), np.zeros(3))


def test_a_share_is_worth_itself() -> None:
    shares = 1 / (1 + np.exp([1.0, 0.0, -2.0]))
    assert worth_of(BELIEF, SHARE, True, 0.0) == pytest.approx(shares)
    assert worth_of(BELIEF, SHARE, False, 0.0) == pytest.approx(1 - shares)


def test_doubt_pulls_the_expected_share_to_the_middle() -> None:
    rng = np.random.default_rng(0)
    for mean, std in ((2.0, 1.0), (-1.0, 2.0)):
        drawn = 1 / (1 + np.exp(-(mean + std * rng.standard_normal(200_000))))
        worth = worth_of(Normal(np.array([mean]), np.array([std])), SHARE, True, 0.0)
        assert float(worth[0]) == pytest.approx(drawn.mean(), abs=0.01)


def test_a_positive_metric_is_worth_its_ratio_to_the_best_expected() -> None:
    # Twice the least cost is worth a half, half of it two.
    belief = Normal(np.log([2.0, 4.0, 1.0]), np.zeros(3))
    assert worth_of(belief, POSITIVE, False, np.log(2.0)) == pytest.approx([1.0, 0.5, 2.0])
    assert worth_of(belief, POSITIVE, True, np.log(2.0)) == pytest.approx([1.0, 2.0, 0.5])


def test_any_other_metric_is_worth_where_it_lies_between_poor_and_good() -> None:
    worth = worth_of(BELIEF, REAL, True, 0.0)
    assert worth == pytest.approx(1 / (1 + np.exp([1.0, 0.0, -2.0])))
    assert worth_of(BELIEF, REAL, False, 0.0) == pytest.approx(1 - worth)


def test_numbers_beyond_all_measure_stay_numbers() -> None:
    far = Normal(np.array([-1e6, 1e6]), np.zeros(2))
    for objective in (SHARE, POSITIVE, REAL):
        assert np.isfinite(worth_of(far, objective, True, 0.0)).all()


def test_a_gain_of_worth_is_told_in_the_unit_of_the_objective() -> None:
    assert in_own_unit(0.02, SHARE, at=0.9) == pytest.approx(0.02)
    assert in_own_unit(0.02, POSITIVE, at=50.0) == pytest.approx(1.0)
    step = 0.001 * REAL.surrogate.scale_
    here, there = (
        worth_of(Normal(np.array([m]), np.zeros(1)), REAL, True, 0.0)[0] for m in (0.0, step)
    )
    assert in_own_unit(float(there - here), REAL, at=0.0) == pytest.approx(step, rel=1e-3)
