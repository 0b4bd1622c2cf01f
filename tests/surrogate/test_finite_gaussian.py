"""A normal belief about finitely many things."""

import numpy as np
import pytest

from tunewise.surrogate.finite_gaussian import FiniteGaussian, log_density

TWO = FiniteGaussian(np.array([1.0, 2.0]), np.array([[4.0, 2.0], [2.0, 9.0]]))


def _random(rng: np.random.Generator, *stack: int, n: int = 5) -> FiniteGaussian:
    root = rng.standard_normal((*stack, n, n))
    return FiniteGaussian(rng.standard_normal((*stack, n)), root @ np.swapaxes(root, -1, -2))


def test_a_measurement_moves_the_other_by_covariance_over_variance() -> None:
    # By hand: gain 2 / (4 + 1) on the second, its variance 9 - 2 * 2 / 5.
    after = TWO.given(np.array([0]), np.array([6.0]), 1.0)
    np.testing.assert_allclose(after.mean, [1 + 5 * 4 / 5, 2 + 5 * 2 / 5])
    np.testing.assert_allclose(after.variance, [4 - 16 / 5, 9 - 4 / 5])


def test_without_noise_what_was_measured_is_known() -> None:
    after = TWO.given(np.array([1]), np.array([7.0]))
    assert after.mean[1] == pytest.approx(7.0)
    assert after.variance[1] == pytest.approx(0.0, abs=1e-12)


def test_nothing_measured_changes_nothing() -> None:
    assert TWO.given(np.array([], int), np.array([])) is TWO


def test_one_after_the_other_is_the_same_as_all_at_once() -> None:
    rng = np.random.default_rng(0)
    belief = _random(rng)
    at, values, noise = np.array([3, 0, 3]), rng.standard_normal(3), np.array([0.1, 0.2, 0.3])
    whole, steps = belief.given(at, values, noise), belief
    for place, value, doubt in zip(at, values, noise, strict=True):
        steps = steps.given(np.array([place]), np.array([value]), float(doubt))
    np.testing.assert_allclose(steps.mean, whole.mean)
    np.testing.assert_allclose(steps.covariance, whole.covariance, atol=1e-12)


def test_a_stack_of_beliefs_is_conditioned_as_each_by_itself() -> None:
    rng = np.random.default_rng(1)
    stack = _random(rng, 3)
    at, values = np.array([1, 4]), rng.standard_normal((3, 2))
    together = stack.given(at, values, 0.1)
    for k in range(3):
        alone = FiniteGaussian(stack.mean[k], stack.covariance[k])
        np.testing.assert_allclose(together.mean[k], alone.given(at, values[k], 0.1).mean)
        np.testing.assert_allclose(together.variance[k], alone.given(at, values[k], 0.1).variance)


def test_explained_is_what_the_variance_loses() -> None:
    belief = _random(np.random.default_rng(2))
    at = np.array([0, 2])
    after = belief.given(at, np.zeros(2), 0.5)
    np.testing.assert_allclose(belief.update(at, 0.5).explained(), belief.variance - after.variance)


def test_moved_samples_have_the_moments_of_the_belief_after() -> None:
    rng = np.random.default_rng(3)
    belief, at, values = _random(rng, n=3), np.array([1]), np.array([2.0])
    samples = rng.multivariate_normal(belief.mean, belief.covariance, 40_000)
    noisy = samples[:, at] + np.sqrt(0.5) * rng.standard_normal((len(samples), 1))
    moved = belief.update(at, 0.5).moved(samples, values - noisy)
    after = belief.given(at, values, 0.5)
    np.testing.assert_allclose(moved.mean(0), after.mean, atol=0.05)
    np.testing.assert_allclose(moved.var(0), after.variance, rtol=0.05, atol=0.01)


def test_the_log_density_is_that_of_a_multivariate_normal() -> None:
    from scipy.stats import multivariate_normal

    belief, values = _random(np.random.default_rng(4), n=3), np.array([0.3, -0.2])
    at = np.array([2, 0])
    own = belief.covariance[np.ix_(at, at)] + 0.1 * np.eye(2)
    expected = multivariate_normal(belief.mean[at], own).logpdf(values)
    assert float(log_density(own, values - belief.mean[at])) == pytest.approx(expected)


def test_marginals_are_one_normal_for_each_thing() -> None:
    marginals = TWO.marginals
    np.testing.assert_allclose(marginals.mean, [1, 2])
    np.testing.assert_allclose(marginals.std, [2, 3])
    assert len(TWO) == 2


def test_blocks_are_the_covariances_of_each_thing_over_the_groups() -> None:
    from tunewise.surrogate.finite_gaussian import blocks

    # Two groups of three things, numbered group by group.
    whole = np.arange(36.0).reshape(6, 6)
    found = blocks(whole, 2)
    assert found.shape == (3, 2, 2)
    for thing in range(3):
        places = [thing, 3 + thing]
        assert found[thing] == pytest.approx(whole[np.ix_(places, places)])


def test_noise_may_differ_from_measurement_to_measurement() -> None:
    belief = FiniteGaussian(np.zeros(2), np.array([[1.0, 0.0], [0.0, 1.0]]))
    given = belief.given(np.array([0, 1]), np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    assert given.mean == pytest.approx([1.0, 0.5])
    assert given.variance == pytest.approx([0.5, 0.75])


def test_a_thing_may_be_measured_twice_with_noise() -> None:
    belief = FiniteGaussian(np.zeros(1), np.ones((1, 1)))
    twice = belief.given(np.array([0, 0]), np.array([1.0, 2.0]), 1.0)
    assert twice.mean == pytest.approx([1.0]) and twice.variance == pytest.approx([1 / 3])


def test_a_variance_that_rounding_made_negative_is_nothing() -> None:
    belief = FiniteGaussian(np.zeros(2), np.array([[-1e-18, 0.0], [0.0, 1.0]]))
    assert belief.variance.tolist() == [0.0, 1.0]
    assert belief.marginals[0].std == 0.0
