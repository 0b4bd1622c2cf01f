"""What the Gaussian process promises: exact updates, honest samples, safety on hard data."""

from typing import Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import MeasurementError, StrategyError
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.gaussian.basis import BASES
from tunewise.surrogate.gaussian.finite_rank import FiniteRank
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.surrogate import points
from tunewise.testing.surrogates import agree

FRACTIONS = np.array([1 / 60, 0.1, 0.25, 0.5, 1.0])
each_basis = pytest.mark.parametrize("basis", list(BASES))
each_sampler = pytest.mark.parametrize("sampler", ["map", "mcmc"])


class Data(NamedTuple):
    x: Array
    s: Array
    y: Array


def measured(n: int, dims: int = 3, seed: int = 0, noise: float = 0.05) -> Data:
    rng = np.random.default_rng(seed)
    x, s = rng.random((n, dims)), rng.choice(FRACTIONS, n)
    y = np.sin(4 * x[:, 0]) + x[:, 1] - (1 - s) ** 2 * (1 + x[:, 0])
    return Data(x, s, y + noise * rng.standard_normal(n))


def places(m: int, dims: int = 3, seed: int = 9) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.random((m, dims)), rng.choice(FRACTIONS, m)


@each_basis
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 20))
def test_fantasies_equal_a_refit_with_the_same_hyper_parameters(
    basis: str, seed: int, n: int
) -> None:
    process = GaussianProcess(basis).fit(*measured(n, seed=seed))
    (xc, sc), (xt, st_) = places(4, seed=seed + 1), places(6, seed=seed + 2)
    fantasy = process.fantasize((xc, sc), (xt, st_))
    y = fantasy.mean + np.array([0.0, 0.3, -0.5, 1.0])
    for i in range(4):
        refit = process.condition(xc[i : i + 1], sc[i : i + 1], y[i : i + 1]).predict(xt, st_)
        assert np.allclose(fantasy.mean_after(y)[i], refit.mean, rtol=0, atol=1e-8)
        assert np.allclose(fantasy.std_after()[i] ** 2, np.square(refit.std), rtol=0, atol=1e-8)


def test_fantasies_start_from_the_prediction() -> None:
    process = GaussianProcess("accuracy").fit(*measured(20))
    candidates, targets = places(7), places(5, seed=3)
    fantasy = process.fantasize(candidates, targets)
    here, there = process.predict(*candidates), process.predict(*targets)
    assert np.allclose(fantasy.mean, here.mean)
    assert np.allclose(fantasy.std**2, np.square(here.std) + fantasy.noise**2)
    assert np.allclose(fantasy.target_mean, there.mean)
    assert np.allclose(fantasy.target_var, np.square(there.std))
    assert fantasy[[1, 4]].gain.shape == (2, 5)
    assert fantasy.after(fantasy.mean) == Normal(
        fantasy.mean_after(fantasy.mean), fantasy.std_after()
    )


def test_conditioning_in_one_go_equals_conditioning_one_by_one() -> None:
    data, more = measured(15), measured(3, seed=5)
    process = GaussianProcess("accuracy").fit(*data)
    at_once, one_by_one = process.condition(*more), process
    for i in range(3):
        one_by_one = one_by_one.condition(more.x[i : i + 1], more.s[i : i + 1], more.y[i : i + 1])
    where = places(8)
    assert np.allclose(at_once.predict(*where).mean, one_by_one.predict(*where).mean, atol=1e-10)
    before = GaussianProcess("accuracy").fit(*data).predict(*where)
    assert agree(process.predict(*where), before), "conditioning left the original as it was"


@each_sampler
def test_samples_have_the_predicted_mean_and_spread(sampler: Literal["map", "mcmc"]) -> None:
    process = GaussianProcess("accuracy", sampler=sampler, samples=4).fit(*measured(15))
    where = places(6)
    draws = process.sample(*where, 20_000, np.random.default_rng(1))
    belief = process.predict(*where)
    assert draws.shape == (20_000, 6)
    assert np.allclose(draws.mean(0), belief.mean, atol=0.03 * np.max(belief.std))
    assert np.allclose(draws.std(0), belief.std, rtol=0.04)


def test_samples_at_the_same_place_agree() -> None:
    process = GaussianProcess("accuracy").fit(*measured(15))
    x, s = places(3)
    draws = process.sample(np.vstack([x, x]), np.append(s, s), 5, np.random.default_rng(0))
    assert np.allclose(draws[:, :3], draws[:, 3:], atol=1e-9)


def test_samples_moved_by_matherons_rule_have_the_updated_mean_and_covariance() -> None:
    process = GaussianProcess("accuracy").fit(*measured(12))
    (xc, sc), (xt, st_) = places(3), places(4, seed=2)
    fantasy = process.fantasize((xc, sc), (xt, st_))
    rng = np.random.default_rng(3)
    n = 30_000
    draws = process.sample(np.vstack([xc, xt]), np.append(sc, st_), n, rng)
    noise = fantasy.noise * rng.standard_normal((n, 3))
    y = fantasy.mean + fantasy.std * np.array([1.0, -2.0, 0.5])
    surprise = y - draws[:, :3] - noise
    moved = draws[:, 3:][:, None, :] + surprise[..., None] * fantasy.gain
    assert moved.shape == (n, 3, 4)
    for i in range(3):
        refit = process.condition(xc[i : i + 1], sc[i : i + 1], y[i : i + 1])
        fresh = refit.sample(xt, st_, n, rng)
        spread = np.max(fresh.std(0))
        assert np.allclose(moved[:, i].mean(0), refit.predict(xt, st_).mean, atol=0.04 * spread)
        assert np.allclose(np.cov(moved[:, i].T), np.cov(fresh.T), atol=0.05 * spread**2)


@each_basis
def test_predictions_follow_a_change_of_units(basis: str) -> None:
    x, s, y = measured(25)
    where = places(10)
    plain = GaussianProcess(basis).fit(x, s, y).predict(*where)
    for scale, shift in ((1000.0, 0.0), (1e-3, 7.0), (-2.0, 3.0)):
        other = GaussianProcess(basis).fit(x, s, scale * y + shift).predict(*where)
        assert np.allclose(other.mean, scale * plain.mean + shift, atol=1e-4 * abs(scale))
        assert np.allclose(other.std, abs(scale) * plain.std, atol=1e-4 * abs(scale))


def test_learns_the_function_behind_noisy_observations() -> None:
    process = GaussianProcess("accuracy").fit(*measured(80))
    truth = measured(200, seed=1, noise=0.0)
    belief = process.predict(truth.x, truth.s)
    error = belief.mean - truth.y
    assert np.sqrt(np.mean(error**2)) < 0.08
    inside = np.abs(error) < 2 * np.asarray(belief.std)
    assert 0.8 < inside.mean() <= 1.0


def test_small_fractions_teach_about_the_full_data() -> None:
    rng = np.random.default_rng(4)
    x = np.repeat(rng.random((12, 2)), 3, axis=0)
    s = np.tile([0.1, 0.25, 0.5], 12)
    y = 2 * x[:, 0] - (1 - s) ** 2 * (1 + x[:, 1])
    process = GaussianProcess("accuracy").fit(x, s, y)
    new = rng.random((50, 2))
    full = process.predict(new, 1.0)
    assert np.abs(full.mean - 2 * new[:, 0]).max() < 0.15
    assert np.corrcoef(full.mean, new[:, 0])[0, 1] > 0.99


def test_time_that_grows_as_a_power_of_the_fraction_is_extrapolated() -> None:
    rng = np.random.default_rng(5)
    x = np.repeat(rng.random((10, 2)), 2, axis=0)
    s = np.tile([0.05, 0.2], 10)
    process = GaussianProcess("log").fit(x, s, 3 + x[:, 0] + 0.9 * np.log(s))
    new = rng.random((30, 2))
    assert np.abs(process.predict(new, 1.0).mean - (3 + new[:, 0])).max() < 0.2


def test_told_noise_is_believed() -> None:
    x, s, y = measured(25, noise=0.0)
    told = np.full(25, 0.01)
    sure = GaussianProcess("accuracy").fit(x, s, y, told).predict(x, s)
    told[4], y[4] = 2.0, y[4] + 3.0  # a measurement that says itself that it is not worth much
    unsure = GaussianProcess("accuracy").fit(x, s, y, told).predict(x, s)
    untold = GaussianProcess("accuracy").fit(x, s, y).predict(x, s)
    assert unsure[4].std > 1.5 * sure[4].std
    assert np.abs(unsure[4].mean - sure[4].mean) < 0.3
    assert np.abs(untold[4].mean - sure[4].mean) > 0.5


@each_sampler
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_observations_are_enough_to_answer(sampler: Literal["map", "mcmc"], n: int) -> None:
    data = measured(n)
    belief = GaussianProcess("accuracy", sampler=sampler).fit(*data).predict(*places(20))
    assert np.isfinite(belief.mean).all()
    assert np.all(np.asarray(belief.std) > 0)


@each_sampler
@pytest.mark.parametrize("value", [0.0, 1.0, -3e7])
def test_constant_targets_are_predicted_with_little_doubt_near_them(
    sampler: Literal["map", "mcmc"], value: float
) -> None:
    x, s = places(12)
    process = GaussianProcess("accuracy", sampler=sampler).fit(x, s, np.full(12, value))
    assert np.allclose(process.predict(x, s).mean, value, atol=1e-6 + 1e-9 * abs(value))
    assert np.isfinite(process.predict(*places(30)).std).all()


def test_targets_that_hardly_differ_are_no_certainty_where_a_spread_is_expected() -> None:
    x, y = np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.2]]), np.array([6.400, 6.401, 6.399])
    far = np.array([[1.0, 1.0]])
    sure = GaussianProcess().fit(x, 1.0, y).predict(far, 1.0)
    open_minded = GaussianProcess(spread=1.0).fit(x, 1.0, y).predict(far, 1.0)
    assert sure.std < 0.01
    assert open_minded.std > 0.1


def test_an_expected_spread_gives_way_to_many_observations() -> None:
    data, where = measured(200), places(20)
    plain = GaussianProcess("accuracy").fit(*data).predict(*where)
    expecting = GaussianProcess("accuracy", spread=1.0).fit(*data).predict(*where)
    assert np.allclose(plain.mean, expecting.mean, atol=0.02)
    assert np.allclose(plain.std, expecting.std, rtol=0.1)


def test_many_measurements_of_one_config_are_averaged() -> None:
    rng = np.random.default_rng(6)
    x = np.repeat([[0.3, 0.3], [0.7, 0.1]], 40, axis=0)
    y = np.repeat([1.0, 2.0], 40) + 0.2 * rng.standard_normal(80)
    belief = GaussianProcess().fit(x, 1.0, y).predict(x[[0, 40]], 1.0)
    assert np.allclose(belief.mean, [y[:40].mean(), y[40:].mean()], atol=0.03)
    assert np.all(belief.std < 0.08)


def test_huge_and_tiny_targets_stay_finite() -> None:
    x, s, y = measured(10)
    for factor in (1e140, 1e-140):
        belief = GaussianProcess("accuracy").fit(x, s, factor * y).predict(x, s)
        assert np.isfinite(belief.mean).all()
        assert np.isfinite(belief.std).all()


def test_two_thousand_observations_are_all_used() -> None:
    x, s, y = measured(2000, dims=8)
    process = GaussianProcess("accuracy").fit(x, s, y)
    truth = measured(200, dims=8, seed=1, noise=0.0)
    assert np.sqrt(np.mean((process.predict(truth.x, truth.s).mean - truth.y) ** 2)) < 0.03
    some = GaussianProcess("accuracy").fit(x[:300], s[:300], y[:300])
    assert np.mean(process.predict(truth.x, truth.s).std) < np.mean(
        some.predict(truth.x, truth.s).std
    )


@each_sampler
def test_the_same_data_give_the_same_answer(sampler: Literal["map", "mcmc"]) -> None:
    data, where = measured(20), places(10)
    first = GaussianProcess("accuracy", sampler=sampler, seed=1).fit(*data).predict(*where)
    again = GaussianProcess("accuracy", sampler=sampler, seed=1).fit(*data).predict(*where)
    assert first == again


def test_mcmc_averages_over_its_samples() -> None:
    data, where = measured(15), places(10)
    process = GaussianProcess("accuracy", sampler="mcmc", samples=6).fit(*data)
    assert process.hyper_parameters_.shape[0] == 6
    assert len(np.unique(process.hyper_parameters_, axis=0)) == 6
    fantasy = process.fantasize(where, where)
    belief = process.predict(*where)
    assert np.allclose(fantasy.target_mean, belief.mean)
    assert np.allclose(fantasy.std**2 - fantasy.noise**2, np.square(belief.std))
    # A candidate that is its own target: the covariance is the variance.
    own = fantasy.gain.diagonal() * fantasy.std**2
    assert np.allclose(own, fantasy.target_var)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_targets_that_are_no_numbers_are_refused(wrong: float) -> None:
    x, s, y = measured(5)
    y[3] = wrong
    with pytest.raises(MeasurementError, match=f"finite number, not {wrong}"):
        GaussianProcess().fit(x, s, y)


def test_other_wrong_input_gets_a_sentence() -> None:
    x, s, y = measured(5)
    with pytest.raises(MeasurementError, match=r"fraction must be in \(0, 1\], not 0.0"):
        GaussianProcess().fit(x, np.zeros(5), y)
    with pytest.raises(MeasurementError, match=r"fraction must be in \(0, 1\], not 1.5"):
        GaussianProcess().fit(x, [1.0, 0.5, 1.0, 1.5, 1.0], y)
    with pytest.raises(MeasurementError, match="5 configs need as many values .* not 4 and 4"):
        GaussianProcess().fit(x, s, y[:4])
    with pytest.raises(MeasurementError, match="at least one observation"):
        GaussianProcess().fit(np.empty((0, 3)), np.empty(0), np.empty(0))
    with pytest.raises(MeasurementError, match="0 or more, not -1.0"):
        GaussianProcess().fit(x, s, y, [0.1, 0.1, -1, 0.1, 0.1])
    with pytest.raises(MeasurementError, match="NaN or infinite"):
        GaussianProcess().fit(np.full((5, 3), np.nan), s, y)
    with pytest.raises(MeasurementError, match="5 configs need as many fractions, not 2"):
        GaussianProcess().fit(x, [0.1, 0.2], y)
    with pytest.raises(StrategyError, match="unknown basis 'acuracy'; did you mean 'accuracy'"):
        GaussianProcess("acuracy")
    with pytest.raises(StrategyError, match="unknown sampler 'mcm'; did you mean 'mcmc'"):
        GaussianProcess(sampler="mcm")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(StrategyError, match="spread must be 0 or more and finite, not -1"):
        GaussianProcess(spread=-1)
    with pytest.raises(StrategyError, match="samples must be 1 or more, not 0"):
        GaussianProcess(samples=0)


def test_a_careful_belief_doubts_more_with_slices_and_without() -> None:
    data, (x, _) = measured(10), places(40)
    process = GaussianProcess("log").fit(*data)
    careful, there = process.careful(), (x, np.ones(40))
    assert len(careful.hyper_parameters_) > 1
    assert np.median(careful.predict(*there).std) > 1.02 * np.median(process.predict(*there).std)
    assert careful.careful() is not process
    alone = GaussianProcess("none").fit(data.x, 1.0, data.y)
    doubted = alone.careful()
    assert doubted.noise_ > alone.noise_ and len(doubted.hyper_parameters_) > 1
    assert doubted.careful() is doubted
    published = GaussianProcess("log", plain=True).fit(*data)
    assert published.careful() is published
    many = GaussianProcess("log").fit(*measured(200))
    assert many.careful() is many


def test_a_careful_belief_knows_what_was_conditioned_on() -> None:
    process = GaussianProcess("log").fit(*measured(10))
    seen = process.condition([[0.5, 0.5, 0.5]], 1.0, [7.0]).careful()
    assert np.all(np.asarray(seen.predict([[0.5, 0.5, 0.5]], 1.0).mean) > 3)


def test_a_plain_process_has_no_trend() -> None:
    # Two like configs gain on more data: a trend carries that far away, the product does not.
    x, s = np.array([[0.0], [0.0], [0.02], [0.02]]), np.array([0.1, 1.0, 0.1, 1.0])
    y, far = np.array([0.0, 10.0, 0.1, 10.1]), np.array([[50.0]])
    plain, trended = (GaussianProcess("accuracy", plain=p).fit(x, s, y) for p in (True, False))
    by_plain, by_trend = (float(np.asarray(g.predict(far, 1.0).mean)[0]) for g in (plain, trended))
    assert by_plain == pytest.approx(y.mean(), abs=0.1)
    assert by_trend > y.mean() + 2
    theta, one, two = plain.hyper_parameters_[0], points([[0.0]], 0.1), points([[0.3]], 0.5)
    config, fraction = Matern52(), FiniteRank(BASES["accuracy"])
    scale, weights = theta[:1], theta[1:4]
    by_hand = config.between(scale, one, two) * fraction.between(weights, one, two)
    assert plain.kernel.between(theta[:4], one, two) == pytest.approx(by_hand)
