"""The Gaussian process given its hyper-parameters, against the same written out."""

import numpy as np
import pytest

from tunewise.errors import StrategyError
from tunewise.surrogate.gaussian.basis import BASES, Basis, basis_named
from tunewise.surrogate.gaussian.conditioned import Conditioned
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.kernel import Hyperprior, Sum
from tunewise.surrogate.gaussian.matern import Matern52, root_of
from tunewise.surrogate.surrogate import Points, Targets

KERNEL = Sum(Product(Matern52(), FiniteRank(BASES["log"])), Trend(BASES["curved"]))


def places(count: int, seed: int) -> Points:
    rng = np.random.default_rng(seed)
    return Points(rng.random((count, 2)), rng.choice([0.1, 0.5, 1.0], count))


DATA = Targets(places(6, 0), np.random.default_rng(1).normal(size=6), np.linspace(0, 0.5, 6))
THETA = np.append(KERNEL.prior(2).mean, np.log(0.1))
AT = places(5, 2)
GIVEN = Conditioned.given(KERNEL, THETA, DATA, known=0.3)


def written_out(at: Points) -> tuple[np.ndarray, np.ndarray]:
    theta = THETA[:-1]
    noisy = KERNEL.between(theta, DATA.at, DATA.at) + np.diag(DATA.variance + 0.1)
    cross = KERNEL.between(theta, DATA.at, at)
    gain = np.linalg.solve(noisy, cross)
    return gain.T @ DATA.y, KERNEL.between(theta, at, at) - cross.T @ gain


def test_mean_and_variance_are_those_of_conditioning() -> None:
    mean, covariance = written_out(AT)
    predicted = GIVEN.predict(AT)
    assert predicted[0] == pytest.approx(mean)
    assert predicted[1] == pytest.approx(np.diag(covariance))
    assert GIVEN.noise == pytest.approx(0.4)


def test_a_grid_is_predicted_as_its_places_are() -> None:
    fractions = np.array([0.1, 1.0])
    means, variances = GIVEN.predict_grid(AT.x, fractions)
    for column, fraction in enumerate(fractions):
        mean, variance = GIVEN.predict(Points(AT.x, np.full(5, fraction)))
        assert means[:, column] == pytest.approx(mean)
        assert variances[:, column] == pytest.approx(variance)


def test_a_large_grid_is_predicted_as_its_parts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = GIVEN.predict_grid(AT.x, np.array([0.1, 1.0]))
    monkeypatch.setattr("tunewise.surrogate.gaussian.conditioned.ROWS", 2)
    parts = GIVEN.predict_grid(AT.x, np.array([0.1, 1.0]))
    assert parts[0] == pytest.approx(whole[0]) and parts[1] == pytest.approx(whole[1])


def test_joint_moments_are_those_of_conditioning() -> None:
    one, two = places(3, 3), places(4, 4)
    both = Points(np.concatenate([one.x, two.x]), np.concatenate([one.s, two.s]))
    mean, covariance = written_out(both)
    mean_a, var_a, mean_b, var_b, between = GIVEN.joint(one, two)
    assert np.append(mean_a, mean_b) == pytest.approx(mean)
    assert np.append(var_a, var_b) == pytest.approx(np.diag(covariance))
    assert between == pytest.approx(covariance[:3, 3:])


def test_samples_have_the_moments_of_the_belief() -> None:
    drawn = GIVEN.sample(AT, 20_000, np.random.default_rng(5))
    mean, covariance = written_out(AT)
    assert drawn.mean(0) == pytest.approx(mean, abs=0.05)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.1)


def test_repeated_places_of_almost_no_noise_are_still_conditioned_on() -> None:
    same = Points(np.zeros((40, 2)), np.ones(40))
    data = Targets(same, np.ones(40), np.zeros(40))
    given = Conditioned.given(KERNEL, np.append(KERNEL.prior(2).mean, np.log(1e-18)), data)
    assert given.predict(Points(np.zeros((1, 2)), np.ones(1)))[0] == pytest.approx([1.0], abs=0.01)


def test_a_covariance_that_is_singular_has_a_root() -> None:
    ones = np.ones((3, 3))
    root = root_of(ones)
    assert root @ root.T == pytest.approx(ones, abs=1e-5)
    assert np.triu(root, 1) == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize("name", BASES)
def test_every_basis_begins_with_a_constant_that_is_the_full_data(name: str) -> None:
    values = BASES[name](np.array([0.1, 0.5, 1.0]))
    assert values.shape == (3, BASES[name].size)
    assert values[:, 0].tolist() == [1.0, 1.0, 1.0]
    if name != "cost":
        assert values[-1, 1:] == pytest.approx(np.zeros(BASES[name].size - 1))


def test_bases_are_the_published_functions() -> None:
    s = np.array([0.1, 0.5])
    assert BASES["accuracy"](s)[:, 1] == pytest.approx([0.81, 0.25])
    assert BASES["cost"](s)[:, 1] == pytest.approx([0.1, 0.5])
    assert BASES["log"](s)[:, 1] == pytest.approx([1.0, 0.30103])


def test_a_basis_of_ones_own_is_taken_as_it_is_and_an_unknown_name_is_refused() -> None:
    own = Basis("own", (np.sqrt,))
    assert basis_named(own) is own and basis_named("log") is BASES["log"]
    with pytest.raises(StrategyError, match="unknown basis 'lgo'; did you mean 'log'"):
        basis_named("lgo")


def test_hyperpriors_are_joined_in_order() -> None:
    one, two = Hyperprior.same(2, 1.0, 2.0, -3.0, 4.0), Hyperprior.same(1, 5.0, 6.0, -7.0, 8.0)
    both = Hyperprior.join(one, two)
    assert len(both) == 3
    assert both.mean.tolist() == [1.0, 1.0, 5.0] and both.std.tolist() == [2.0, 2.0, 6.0]
    assert both.low.tolist() == [-3.0, -3.0, -7.0] and both.high.tolist() == [4.0, 4.0, 8.0]


def test_the_length_scales_that_are_expected_grow_with_the_dimensions() -> None:
    one, four = Matern52().prior(1), Matern52().prior(4)
    assert len(four) == 4
    assert four.mean[0] - one.mean[0] == pytest.approx(np.log(2))
    assert np.exp(four.low[0]) == pytest.approx(0.025) and np.exp(four.high[0]) == pytest.approx(
        100
    )


def test_the_weights_of_a_finite_rank_kernel_are_a_triangle_with_a_positive_diagonal() -> None:
    kernel = FiniteRank(BASES["curved"])
    theta = np.array([0.0, 0.5, np.log(2.0), -1.0, 3.0, np.log(0.5)])
    root = kernel.root(theta)
    assert root == pytest.approx(np.array([[1, 0, 0], [0.5, 2, 0], [-1, 3, 0.5]]))
    prior = kernel.prior(7)
    assert prior.mean == pytest.approx([0.0, 0.0, -0.5, 0.0, 0.0, -0.5])
    assert prior.low == pytest.approx([np.log(1e-3), -10, np.log(1e-3), -10, -10, np.log(1e-3)])
