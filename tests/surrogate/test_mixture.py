"""Moments of mixtures and units of targets: values that were computed by hand."""

import numpy as np
import pytest

from tunewise.surrogate.gaussian_process import GaussianProcess, mixed
from tunewise.surrogate.slope import Slope
from tunewise.surrogate.surrogate import centre_and_spread


def test_a_mixture_of_two_has_the_moments_of_both_and_of_their_distance() -> None:
    # Of two equally likely joint normals: means (1, 5) and (3, 1), covariances 0.5 and 0.1.
    one = tuple(np.array(v) for v in ([1.0], [4.0], [5.0], [1.0], [[0.5]]))
    two = tuple(np.array(v) for v in ([3.0], [2.0], [1.0], [3.0], [[0.1]]))
    mean_a, var_a, mean_b, var_b, covariance = mixed([one, two])
    assert (mean_a[0], mean_b[0]) == (2.0, 3.0)
    assert var_a[0] == pytest.approx(3.0 + 1.0)
    assert var_b[0] == pytest.approx(2.0 + 4.0)
    assert covariance[0, 0] == pytest.approx(0.3 - 2.0)
    assert mixed([one]) is one


def test_each_target_of_a_mixture_has_the_variance_of_its_own_means() -> None:
    one = tuple(np.array(v) for v in ([0.0], [1.0], [5.0, 9.0], [1.0, 1.0], [[0.0, 0.0]]))
    two = tuple(np.array(v) for v in ([0.0], [1.0], [1.0, 9.0], [3.0, 1.0], [[0.0, 0.0]]))
    _, _, mean_b, var_b, _ = mixed([one, two])
    assert mean_b == pytest.approx([3.0, 9.0])
    assert var_b == pytest.approx([2.0 + 4.0, 1.0 + 0.0])


def test_what_a_candidate_teaches_is_what_samples_of_all_models_say() -> None:
    rng = np.random.default_rng(0)
    x, s = rng.random((8, 1)), np.ones(8)
    process = GaussianProcess(sampler="mcmc", seed=0).fit(x, s, np.sin(5 * x[:, 0]))
    at = np.array([[0.1], [0.55], [0.9]])
    drawn = process.sample(at, np.ones(3), 40_000, np.random.default_rng(1))
    fantasy = process.fantasize((at[:1], np.ones(1)), (at[1:], np.ones(2)))
    with_noise = np.var(drawn[:, 0]) + fantasy.noise[0] ** 2
    expected = [np.cov(drawn[:, 0], drawn[:, k])[0, 1] / with_noise for k in (1, 2)]
    assert fantasy.gain[0] == pytest.approx(expected, abs=0.05)
    assert fantasy.std[0] == pytest.approx(np.sqrt(with_noise), rel=0.05)


def test_targets_are_measured_in_units_of_their_spread() -> None:
    assert centre_and_spread(np.array([1.0, 3.0]), 0.0) == pytest.approx((2.0, 1.0))
    assert centre_and_spread(np.array([1.0, 3.0]), 2.0) == pytest.approx((2.0, np.sqrt(2.0)))
    assert centre_and_spread(np.array([5.0, 5.0]), 0.0) == (5.0, 1.0)
    assert centre_and_spread(np.array([0.0, 0.0]), 3.0) == pytest.approx((0.0, np.sqrt(3.0)))
    centre, spread = centre_and_spread(np.array([1e200, 3e200]), 0.0)
    assert (centre / 1e200, spread / 1e200) == pytest.approx((2.0, 1.0))


def test_without_a_slope_targets_scatter_by_their_own_unit() -> None:
    assert Slope.learned(np.ones(3), np.ones(3), prior=0.0, spread=1.0).noise == 1.0
