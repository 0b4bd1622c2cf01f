"""Every kernel: covariances that are covariances, gradients that are gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.surrogate import Array
from tunewise.surrogate.gaussian.basis import BASES, Basis
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.kernel import Kernel, Sum
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.gaussian.own import Own
from tunewise.surrogate.gaussian.wander import Wander
from tunewise.surrogate.surrogate import Points

CUBIC = Basis("cubic", (lambda s: s, lambda s: s**2, lambda s: s**3))
KERNELS: dict[str, Kernel] = {
    "matern": Matern52(),
    "finite rank": FiniteRank(BASES["accuracy"]),
    "rank four": FiniteRank(CUBIC),
    "trend": Trend(BASES["log"]),
    "own": Own(BASES["log"], (0.4, 0.3)),
    "wander": Wander(0.1),
    "product": Product(Matern52(), FiniteRank(BASES["cost"])),
    "sum": Sum(Product(Matern52(), FiniteRank(BASES["accuracy"])), Trend(BASES["accuracy"])),
    "nested": Sum(Sum(Matern52(), FiniteRank(CUBIC)), Product(Matern52(), FiniteRank(CUBIC))),
}
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def random_points(rng: np.random.Generator, n: int, dims: int) -> Points:
    x = rng.random((n, dims))
    x[n // 2] = x[0]  # a config measured twice
    return Points(x, rng.choice([1 / 60, 0.1, 0.25, 0.5, 1.0], n))


def random_theta(kernel: Kernel, rng: np.random.Generator, dims: int) -> Array:
    prior = kernel.prior(dims)
    drawn = prior.mean + prior.std * rng.standard_normal(len(prior))
    return np.clip(drawn, prior.low, prior.high)


@each_kernel
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30), dims=st.integers(1, 6))
def test_matrix_is_positive_for_random_inputs(kernel: Kernel, seed: int, n: int, dims: int) -> None:
    rng = np.random.default_rng(seed)
    points, theta = random_points(rng, n, dims), random_theta(kernel, rng, dims)
    matrix = kernel.between(theta, points, points)
    assert np.allclose(matrix, matrix.T)
    smallest = np.linalg.eigvalsh(matrix)[0]
    assert smallest >= -1e-10 * np.trace(matrix)
    np.linalg.cholesky(matrix + (1e-6 * np.trace(matrix) / n + 1e-12) * np.eye(n))


@each_kernel
def test_bound_matrix_and_diagonal_agree_with_covariances(kernel: Kernel) -> None:
    rng = np.random.default_rng(1)
    points, theta = random_points(rng, 20, 3), random_theta(kernel, rng, 3)
    matrix = kernel.between(theta, points, points)
    assert np.allclose(kernel.bind(points)(theta)[0], matrix, atol=1e-12)
    assert np.allclose(kernel.diagonal(theta, points), matrix.diagonal(), atol=1e-12)


@each_kernel
def test_gradient_equals_finite_differences(kernel: Kernel) -> None:
    rng = np.random.default_rng(2)
    points, theta = random_points(rng, 12, 3), random_theta(kernel, rng, 3)
    weights = rng.standard_normal((12, 12))  # not symmetric: the law must hold all the same
    bound = kernel.bind(points)
    exact = bound(theta)[1](weights)
    step = 1e-6
    for j in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[j] += step
        down[j] -= step
        change = (weights * (bound(up)[0] - bound(down)[0])).sum() / (2 * step)
        assert exact[j] == pytest.approx(change, rel=1e-6, abs=1e-8)
    assert len(exact) == len(theta)


@each_kernel
def test_prior_draws_have_the_kernels_covariance(kernel: Kernel) -> None:
    rng = np.random.default_rng(3)
    points, theta = random_points(rng, 6, 2), random_theta(kernel, rng, 2)
    draws = kernel.draw(theta, points, 40_000, rng)
    matrix = kernel.between(theta, points, points)
    scale = np.sqrt(np.outer(matrix.diagonal(), matrix.diagonal()))
    assert np.abs(draws.T @ draws / len(draws) - matrix).max() < 0.04 * scale.max()


def test_matern_has_known_values() -> None:
    a, b = Points(np.array([[0.0]]), np.ones(1)), Points(np.array([[0.0], [0.5]]), np.ones(2))
    r = np.sqrt(5) * 0.5 / 0.25
    known = (1 + r + r**2 / 3) * np.exp(-r)
    assert np.allclose(Matern52().between(np.log([0.25]), a, b), [[1.0, known]])


@pytest.mark.parametrize("name", ["none", "accuracy", "log", "curved"])
def test_only_the_constant_is_left_on_the_full_data(name: str) -> None:
    constant, *others = BASES[name](np.array([1.0]))[0]
    assert constant == pytest.approx(1.0)
    assert others == pytest.approx([0.0] * len(others), abs=1e-12)


def test_what_a_config_has_of_its_own_says_nothing_of_its_neighbours() -> None:
    kernel, theta = Own(BASES["log"], (0.4, 0.3)), np.log([0.5, 0.2])
    here, beside = np.array([[0.3, 0.7]]), np.array([[0.3, 0.7 + 1e-9]])
    a, b = Points(here, np.array([0.1])), Points(here, np.array([0.01]))
    assert kernel.between(theta, a, b)[0, 0] == pytest.approx(0.5**2 + 1 * 2 * 0.2**2)
    assert kernel.between(theta, a, Points(beside, np.array([0.1])))[0, 0] == 0.0
    [small, full] = kernel.over_fractions(theta, a, here, np.array([0.01, 1.0]))
    assert small[0, 0] == pytest.approx(0.33)
    assert full[0, 0] == pytest.approx(0.25)
