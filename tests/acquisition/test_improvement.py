import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.acquisition import (
    constrained_expected_improvement,
    expected_improvement,
    log_constrained_expected_improvement,
    log_expected_improvement,
)
from tunewise.surrogate import Normal

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


@settings(deadline=None)
@given(st.floats(-5, 5), st.floats(0.05, 5), st.floats(-5, 5))
def test_equals_the_integral_of_the_improvement(mean: float, std: float, best: float) -> None:
    start = (best - mean) / std
    width = max(-start, 0) + 12.0  # beyond 12 standard deviations nothing is left
    u = start + width * (NODES + 1) / 2
    improvement = (mean + std * u - best) * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
    exact = expected_improvement(Normal(np.array([mean]), np.array([std])), best)[0]
    assert exact == pytest.approx(WEIGHTS @ improvement * width / 2, rel=1e-6, abs=1e-9)


def test_equals_monte_carlo_over_many_candidates() -> None:
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=20), rng.uniform(0.1, 2, 20)
    draws = mean + std * rng.standard_normal((400_000, 20))
    estimate = np.maximum(draws - 0.3, 0).mean(0)
    assert np.allclose(expected_improvement(Normal(mean, std), 0.3), estimate, atol=0.02)


@settings(deadline=None)
@given(st.floats(-30, 30), st.floats(0.01, 10), st.floats(-30, 30))
def test_logarithm_agrees_where_the_plain_form_has_digits(
    mean: float, std: float, best: float
) -> None:
    belief = Normal(np.array([mean]), np.array([std]))
    plain = expected_improvement(belief, best)[0]
    if plain > 1e-8 * std:
        assert log_expected_improvement(belief, best)[0] == pytest.approx(np.log(plain), abs=1e-6)


def test_logarithm_follows_the_known_tail_and_never_jumps() -> None:
    z = -np.geomspace(0.5, 1e9, 4000)
    value = log_expected_improvement(Normal(z, np.ones_like(z)), 0.0)
    assert np.isfinite(value).all()
    assert (np.diff(value) < 0).all()
    far = z < -50
    tail = -0.5 * z[far] ** 2 - 0.5 * np.log(2 * np.pi) - 2 * np.log(-z[far])
    assert np.allclose(value[far], tail, atol=2e-3)
    # Where two ways of computing meet, the slope d/dz log h = Phi / h stays continuous.
    slope = np.diff(value + 0.5 * z**2) / np.diff(np.log(-z))
    middle = (z[1:] < -20) & (z[1:] > -1e4)
    assert np.abs(slope[middle] + 2).max() < 0.02


def test_a_certain_candidate_improves_by_its_gap() -> None:
    belief = Normal(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert expected_improvement(belief, 2.0) == pytest.approx(np.array([0.0, 0.0, 1.0]))
    gap = log_expected_improvement(belief, 2.0)
    assert np.isneginf(gap[:2]).all() and gap[2] == pytest.approx(0.0, abs=1e-12)


@settings(deadline=None)
@given(st.floats(-3, 3), st.floats(0.1, 3), st.floats(0.1, 3))
def test_more_mean_or_more_doubt_is_never_worth_less(mean: float, std: float, more: float) -> None:
    worth = expected_improvement(
        Normal(np.array([mean, mean + more, mean]), np.array([std, std, std + more])), 0.0
    )
    assert worth[1] >= worth[0]
    assert worth[2] >= worth[0]


def test_infeasible_candidates_are_worth_nothing() -> None:
    belief = Normal(np.array([5.0, 1.0]), np.ones(2))
    kept = np.array([0.0, 0.72])
    worth = constrained_expected_improvement(belief, 0.0, kept)
    assert worth[0] == pytest.approx(0.0, abs=1e-12)
    assert worth[1] == pytest.approx(0.72 * expected_improvement(belief, 0.0)[1])
    logs = log_constrained_expected_improvement(belief, 0.0, kept)
    assert logs[0] == -np.inf
    assert logs[1] == pytest.approx(np.log(worth[1]))


def test_without_a_feasible_config_the_likeliest_one_wins() -> None:
    belief = Normal(np.array([9.0, 1.0, 2.0]), np.ones(3))
    kept = np.array([0.1, 0.5, 0.3])
    assert constrained_expected_improvement(belief, None, kept).argmax() == 1
    assert log_constrained_expected_improvement(belief, None, kept).argmax() == 1
