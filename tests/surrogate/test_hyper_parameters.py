from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.surrogate.gaussian.basis import BASES
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.hyper_parameters import around, most_probable, probable
from tunewise.surrogate.gaussian.kernel import NOISE, Hyperprior, Sum
from tunewise.surrogate.gaussian.likelihood import LogPosterior
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import observations

KERNEL = Sum(Product(Matern52(), FiniteRank(BASES["accuracy"])), Trend(BASES["accuracy"]))


def posterior(n: int, seed: int, noise: Array | None = None) -> LogPosterior:
    rng = np.random.default_rng(seed)
    x, s = rng.random((n, 3)), rng.choice([0.1, 0.5, 1.0], n)
    y = np.sin(4 * x[:, 0]) + s + 0.1 * rng.standard_normal(n)
    data = observations(x, s, (y - y.mean()) / y.std(), noise)
    return LogPosterior(KERNEL, NOISE, data)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 25), told=st.booleans())
def test_gradient_equals_finite_differences(seed: int, n: int, told: bool) -> None:
    density = posterior(n, seed, np.full(n, 0.1) if told else None)
    prior, rng = density.prior, np.random.default_rng(seed)
    drawn = prior.mean + 0.7 * prior.std * rng.standard_normal(len(prior))
    theta = np.clip(drawn, prior.low + 0.01, prior.high - 0.01)
    value, gradient = density.value_and_gradient(theta)
    assert value == pytest.approx(density.value(theta), rel=1e-9)
    step = 1e-5
    for j in range(len(theta)):
        away = step * np.eye(len(theta))[j]
        change = (density.value(theta + away) - density.value(theta - away)) / (2 * step)
        assert gradient[j] == pytest.approx(change, rel=1e-4, abs=1e-4)


def test_nothing_is_believed_outside_the_bounds() -> None:
    density = posterior(5, 0)
    assert density.value(density.prior.high + 0.1) == -np.inf
    assert density.value(density.prior.low - 0.1) == -np.inf


@pytest.mark.parametrize("seed", range(5))
def test_most_probable_beats_every_random_guess(seed: int) -> None:
    density = posterior(20, seed)
    prior, rng = density.prior, np.random.default_rng(seed)
    best = density.value(most_probable(density))
    guesses = prior.mean + prior.std * rng.standard_normal((500, len(prior)))
    assert best > max(density.value(guess) for guess in guesses)


class Conjugate(LogPosterior):
    """A likelihood with a known posterior: one measurement of each hyper-parameter."""

    def __init__(self) -> None:
        self.prior = Hyperprior(
            np.array([1.0, -2.0]), np.array([1.0, 0.5]), np.full(2, -50.0), np.full(2, 50.0)
        )

    def log_likelihood(self, theta: Array) -> float:
        return float(-0.5 * np.sum(((theta - np.array([2.0, -3.0])) / 0.5) ** 2))

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        away = (np.array([2.0, -3.0]) - theta) / 0.5**2
        return self.value(theta), away + (self.prior.mean - theta) / self.prior.std**2


def test_slice_samples_follow_the_posterior() -> None:
    chain = probable(Conjugate(), np.zeros(2), 4000, np.random.default_rng(0), thin=3)
    precision = 1 / np.array([1.0, 0.5]) ** 2 + 1 / 0.5**2
    weighed = np.array([1.0, -2.0]) / np.array([1.0, 0.5]) ** 2 + np.array([2.0, -3.0]) / 0.25
    assert np.allclose(chain.mean(0), weighed / precision, atol=0.04)
    assert np.allclose(chain.std(0), precision**-0.5, rtol=0.06)
    assert abs(np.corrcoef(chain[:, 0], chain[:, 1])[0, 1]) < 0.06


class Choosy(Conjugate):
    """A likelihood that refuses the first proposal and takes the second."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = iter([0.0, -np.inf, np.inf])

    def log_likelihood(self, theta: Array) -> float:
        return next(self.answers)


def test_after_a_refusal_the_next_proposal_is_drawn_from_one_turn_of_the_ellipse() -> None:
    density, start = Choosy(), np.array([1.5, -1.0])
    (sample,) = probable(density, start, 1, np.random.default_rng(0), thin=1)
    prior, rng = density.prior, np.random.default_rng(0)
    other = rng.standard_normal(2) * prior.std
    rng.uniform()  # the level
    refused = rng.uniform(0.0, 2 * np.pi)
    taken = rng.uniform(refused - 2 * np.pi, refused)
    on_ellipse = (start - prior.mean) * np.cos(taken) + other * np.sin(taken)
    assert sample == pytest.approx(prior.mean + on_ellipse)


def test_slice_samples_stay_within_the_bounds() -> None:
    density = posterior(10, 1)
    chain = probable(density, density.prior.mean, 20, np.random.default_rng(0))
    assert np.all(chain >= density.prior.low)
    assert np.all(chain <= density.prior.high)


def test_points_around_the_top_are_as_far_apart_as_a_normal_posterior_is_wide() -> None:
    prior = Conjugate().prior
    precision = 1 / prior.std**2 + 1 / 0.5**2
    top = (prior.mean / prior.std**2 + np.array([2.0, -3.0]) / 0.5**2) / precision
    points = around(Conjugate(), top, 4)
    assert points.mean(0) == pytest.approx(top, abs=2e-3)
    assert points.T @ points / 4 - np.outer(top, top) == pytest.approx(
        np.diag(1 / precision), abs=1e-2
    )


class Bounded(Conjugate):
    """The same, and nothing can be computed beyond the most that is believed."""

    def __init__(self) -> None:
        super().__init__()
        self.prior = replace(self.prior, high=np.full(2, 1.8))

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        if np.any(theta > self.prior.high):
            return -np.inf, np.zeros(2)
        return super().value_and_gradient(theta)


def test_at_a_bound_the_curvature_is_measured_on_the_side_that_is_believed() -> None:
    top = np.array([1.8, -2.5])
    below = top - around(Bounded(), top, 4)
    # Half of the points are clipped to the bound. The deviations of the others, two in directions
    # at right angles, have squares that add up to twice the variance 1 / (1 + 4).
    assert np.sum(below[:, 0] ** 2) == pytest.approx(2 / 5, abs=1e-2)
    assert (below[:, 0] >= 0).all()


def test_where_the_observations_say_nothing_points_are_as_far_apart_as_the_prior() -> None:
    density = posterior(2, 0)
    points = around(density, most_probable(density), 2 * len(density.prior))
    assert np.all(points >= density.prior.low) and np.all(points <= density.prior.high)
    assert np.all(points.std(0) <= 1.1 * density.prior.std)
    assert np.median(points.std(0) / density.prior.std) > 0.8
