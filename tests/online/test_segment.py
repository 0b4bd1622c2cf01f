import numpy as np
import pytest

from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.segment import windows


def test_the_slope_of_a_straight_fall_is_found() -> None:
    [window] = windows(np.array([1.0, 0.99, 0.98, 0.97]))
    assert window.slope == pytest.approx(0.01)
    assert window.loss == pytest.approx(0.985)


def test_noise_makes_windows_longer_and_slopes_vague() -> None:
    rng = np.random.default_rng(0)
    calm = windows(1.0 - 0.01 * np.arange(64) + 1e-4 * rng.standard_normal(64))
    wild = windows(1.0 - 0.01 * np.arange(64) + 0.2 * rng.standard_normal(64))
    assert len(wild) < len(calm)
    assert wild[-1].log_slope[1] > calm[-1].log_slope[1]


def test_all_losses_are_in_one_window_each() -> None:
    losses = np.random.default_rng(1).random(37)
    assert sum(window.iterations for window in windows(losses)) == 37


def test_a_rising_loss_has_a_vague_small_slope() -> None:
    [window] = windows(np.array([0.5, 0.6, 0.7, 0.9]))
    log_slope, variance = window.log_slope
    assert variance == pytest.approx(4.0)
    assert np.isfinite(log_slope)


def test_costs_of_switches_are_learned_by_kind() -> None:
    costs = ReconfigurationCosts(lambda old, new: frozenset(new["kinds"]), unknown=7.0)
    assert costs.expected({}, {"kinds": "a"}) == pytest.approx(7.0)
    costs.learn(frozenset("a"), 1.0)
    costs.learn(frozenset("a"), 3.0)
    assert costs.expected({}, {"kinds": "a"}) == pytest.approx(2.0)
    assert costs.expected({}, {"kinds": "ab"}) == pytest.approx(2.0)
    assert costs.expected({}, {"kinds": ""}) == 0.0
