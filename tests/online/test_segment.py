import numpy as np
import pytest

from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.segment import fitted, slope_error, windows
from tunewise.surrogate import Array


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


def test_iterations_of_before_are_left_out_where_others_follow() -> None:
    losses: Array = np.asarray(1.0 - 0.01 * np.arange(12), float)
    losses[:3] = 5.0
    together = windows(losses, together=3)
    assert sum(window.iterations for window in together) == 9
    assert together[0].slope == pytest.approx(0.01)
    # Where few follow, all count.
    assert sum(window.iterations for window in windows(losses[:7], together=3)) == 7
    assert sum(window.iterations for window in windows(losses, together=1)) == 12


def test_the_error_of_a_slope_is_that_of_least_squares_and_wider_where_noise_lasts() -> None:
    swinging = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    lasting = np.array([1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0])
    steps = np.arange(8) - 3.5

    def residual(losses: Array) -> Array:
        fit = steps * (steps @ losses) / (steps @ steps)
        return np.asarray(losses - losses.mean() - fit, float)

    for losses, correlated in ((swinging, False), (lasting, True)):
        [window] = windows(losses, shortest=8)
        left = residual(losses)
        plain = np.sqrt(left @ left / 6)
        lag = max(float(left[1:] @ left[:-1] / (left @ left)), 0.0)
        assert (lag > 0.1) == correlated
        assert window.noise == pytest.approx(plain * np.sqrt((1 + lag) / (1 - lag)))
        assert (window.wander > 0) == correlated
        walked = 1.56 * max(window.wander, 0.0) / 8
        assert window.error == pytest.approx(np.sqrt(window.noise**2 / (steps @ steps) + walked))


def test_a_slope_that_a_random_walk_has_by_chance_is_within_its_error() -> None:
    rng = np.random.default_rng(3)
    seen = [fitted(rng.standard_normal(96).cumsum()) for _ in range(300)]
    far = np.abs([each.slope / each.error for each in seen])
    assert np.mean(far < 2) > 0.85  # with the error of independent noise: less than half


def test_windows_do_not_end_where_chance_makes_the_loss_fall() -> None:
    rng = np.random.default_rng(4)
    falls = [
        each.slope
        for _ in range(100)
        for each in windows(1 - 0.05 * np.arange(200) + rng.standard_normal(200).cumsum())[-1:]
    ]
    assert np.mean(falls) == pytest.approx(0.05, abs=3 * 0.1 / np.sqrt(100))


def test_windows_part_where_the_slope_changes() -> None:
    rng = np.random.default_rng(5)
    level = np.concatenate([np.full(64, 1.0), 1.0 - 0.02 * np.arange(1, 65)])
    *_, last = windows(level + 1e-3 * rng.standard_normal(128))
    assert last.slope == pytest.approx(0.02, rel=0.1) and last.iterations <= 64


def test_a_single_round_says_nothing_of_the_slope() -> None:
    assert windows(np.linspace(1.0, 0.9, 9), together=6) == []


def test_errors_fall_slower_where_the_loss_walks() -> None:
    counts = np.array([10.0, 40.0])
    noisy, walking = slope_error(1.0, 0.0, counts), slope_error(0.0, 1.0, counts)
    assert noisy[0] / noisy[1] == pytest.approx(8.0, rel=0.02)
    assert walking[0] / walking[1] == pytest.approx(2.0)


def test_a_loss_that_does_not_move_at_all_has_a_slope_of_nothing() -> None:
    [window] = windows(np.ones(8))
    assert window.slope == 0.0 and np.isfinite(window.log_slope).all()
