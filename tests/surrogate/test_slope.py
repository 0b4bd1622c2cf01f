"""The common slope: a regression that is shrunken, and says how unsure it is."""

import numpy as np
import pytest

from tunewise.surrogate.slope import Slope

AWAY = np.array([1.0, 2.0, -1.0, 0.5])


def test_before_anything_was_seen_the_prior_is_believed() -> None:
    slope = Slope.learned(np.empty(0), np.empty(0), prior=0.7, spread=1.0)
    assert (slope.mean, slope.variance, slope.noise) == pytest.approx((0.0, 0.49, 1.0))


def test_without_a_prior_there_is_no_slope() -> None:
    slope = Slope.learned(AWAY, 3 * AWAY, prior=0.0, spread=1.0)
    assert (slope.mean, slope.variance) == (0.0, 0.0)
    given = slope.given(AWAY, 3 * AWAY)
    assert (given.mean, given.variance) == (0.0, 0.0)


def test_many_exact_observations_give_the_slope_itself() -> None:
    away = np.tile(AWAY, 50)
    slope = Slope.learned(away, 1.3 * away, prior=0.7, spread=0.1)
    assert slope.mean == pytest.approx(1.3, abs=0.01)
    assert slope.variance < 1e-4
    assert slope.noise == pytest.approx(0.05**2)


def test_one_observation_is_half_believed_where_it_is_as_vague_as_the_prior() -> None:
    # The noise settles where noise = (1 - mean)^2 / 2 + 1/2 with mean = 1 / (1 + noise).
    slope = Slope.learned(np.array([1.0]), np.array([1.0]), prior=1.0, spread=1.0)
    assert slope.mean == pytest.approx(1 / (1 + slope.noise), rel=1e-6)
    assert slope.noise == pytest.approx(((1 - slope.mean) ** 2 + 1) / 2, rel=0.02)
    assert slope.variance == pytest.approx(slope.noise / (1 + slope.noise), rel=1e-6)


def test_scattered_targets_are_noise_and_no_slope() -> None:
    above = np.array([1.0, -2.0, 1.0, -1.0])
    slope = Slope.learned(np.ones(4), above - above.mean(), prior=0.7, spread=0.0)
    assert slope.mean == pytest.approx(0.0, abs=1e-9)
    assert slope.noise == pytest.approx(float(np.var(above)))


def test_an_observation_moves_the_mean_by_its_gain_and_leaves_the_variance_foretold() -> None:
    slope = Slope(0.4, 0.25, 0.5)
    for away, surprise in ((2.0, 3.0), (-1.0, 0.2), (0.0, 5.0)):
        told = slope.given(np.array([away]), np.array([surprise]))
        unexpected = surprise - slope.mean * away
        moved = slope.mean + float(slope.gain(np.array([away]))[0]) * unexpected
        assert told.mean == pytest.approx(moved)
        assert told.variance == pytest.approx(float(slope.variance_after(np.array([away]))[0]))
        assert told.noise == slope.noise


def test_two_observations_at_once_are_as_one_after_the_other() -> None:
    slope, away, told = Slope(0.4, 0.25, 0.5), np.array([1.0, 2.0]), np.array([0.9, 0.3])
    one_by_one = slope.given(away[:1], told[:1]).given(away[1:], told[1:])
    at_once = slope.given(away, told)
    assert (at_once.mean, at_once.variance) == pytest.approx((one_by_one.mean, one_by_one.variance))


def test_nothing_is_learned_where_the_data_is() -> None:
    slope = Slope(0.4, 0.25, 0.5)
    assert slope.gain(np.zeros(1)) == pytest.approx([0.0])
    assert slope.variance_after(np.zeros(1)) == pytest.approx([0.25])
