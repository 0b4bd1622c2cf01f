"""Priors are learned from logs, from none on, and shrink as far as left-out users ask for."""

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.surrogate import Array
from tunewise.surrogate.normal import SURELY
from tunewise.tenancy import Log
from tunewise.tenancy.latent import LOGIT, PLAIN
from tunewise.tenancy.priors.covariance import by_the_others, shrunk
from tunewise.tenancy.priors.noise import NORMAL, UNKNOWN, fitted, log_t
from tunewise.tenancy.priors.prior import AccuracyPrior, ridge


def users(count: int, seed: int = 0, models: int = 5) -> Array:
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1, (count, 1))
    return np.asarray(1 + level + rng.normal(0, 0.3, (count, models)), float)


def test_leaving_a_user_out_by_rank_one_equals_doing_it_by_hand() -> None:
    values = users(9)
    centred = values - values.mean(axis=0)
    target, weight, n = np.eye(5), 0.7, 9
    sample = centred.T @ centred / (n - 1)
    distance, volume = by_the_others(centred, weight * sample + (1 - weight) * target, weight)
    for i in range(n):
        others = np.delete(values, i, axis=0)
        away = others - others.mean(axis=0)
        blend = weight * away.T @ away / (n - 1) + (1 - weight) * target
        residual = values[i] - others.mean(axis=0)
        np.testing.assert_allclose(distance[i], residual @ np.linalg.solve(blend, residual))
        np.testing.assert_allclose(volume[i], np.linalg.slogdet(blend)[1])


def test_more_users_are_trusted_more() -> None:
    values = users(200)
    few, many = (
        shrunk(v - v.mean(axis=0), np.zeros((5, 5)), np.full(5, len(v)), LOGIT.default, True)
        for v in (values[:8], values)
    )
    assert many.shrinkage < few.shrinkage


def test_users_who_differ_in_spread_are_recognised() -> None:
    rng = np.random.default_rng(1)
    alike = rng.normal(0, 1, (150, 6))
    apart = alike * np.exp(rng.normal(0, 1, (150, 1)))
    found = [
        shrunk(v - v.mean(axis=0), np.zeros((6, 6)), np.full(6, 150), LOGIT.default, False).spread
        for v in (alike, apart)
    ]
    assert found[1] < 8 < found[0]


@pytest.mark.parametrize("spread", [NORMAL, 4.0])
@pytest.mark.parametrize(("scale", "noise"), [(1.0, 0.03), (2.0, 0.3), (0.5, 0.1)])
def test_scale_and_noise_are_recovered_from_logs(scale: float, noise: float, spread: float) -> None:
    rng = np.random.default_rng(3)
    models, count = 30, 400
    factors = rng.normal(0, 1, (models, 4))
    shared, own = factors @ factors.T, np.exp(rng.normal(0, 0.5, models))
    covariance = scale * shared + noise * np.diag(own)
    values = rng.multivariate_normal(np.zeros(models), covariance, count)
    if spread != NORMAL:
        values /= np.sqrt(rng.chisquare(spread + 2, (count, 1)) / spread)
    fit = fitted(values - values.mean(axis=0), shared, own, 0.0, spread)
    assert fit.scale == pytest.approx(scale, rel=0.3)
    assert fit.noise == pytest.approx(noise, rel=0.35)


def test_too_few_users_to_tell_leave_the_default_noise() -> None:
    default = LOGIT.default
    found = shrunk(np.empty((0, 5)), np.zeros((5, 5)), np.zeros(5), default, False)
    np.testing.assert_allclose(found.noise, UNKNOWN * default.own)


def test_louder_logs_mean_louder_measurements() -> None:
    """Users follow few patterns; what they do not share shows as noise or as a model's own part."""
    rng = np.random.default_rng(5)
    patterns = rng.normal(0, 1, (60, 2)) @ rng.normal(0, 1, (2, 40))
    quiet, loud = (
        AccuracyPrior.learn(patterns + rng.normal(0, std, patterns.shape), None, LOGIT.default)
        for std in (0.05, 0.5)
    )
    told = np.array([8.0])
    moved = [p.belief.given(np.array([0]), told, p.noise[:1]).variance[0] for p in (quiet, loud)]
    assert moved[0] < moved[1]


def test_without_a_log_all_models_are_alike() -> None:
    prior = AccuracyPrior.learn(np.empty((0, 4)), None, LOGIT.default)
    assert np.ptp(prior.belief.mean) == pytest.approx(0)
    assert np.ptp(prior.belief.variance) == pytest.approx(0)
    assert (np.linalg.eigvalsh(prior.belief.covariance) > 0).all()


def test_a_model_that_nobody_ran_is_believed_average_and_uncertain() -> None:
    values = users(30)
    values[:, 2] = np.nan
    prior = AccuracyPrior.learn(values, None, LOGIT.default)
    others = np.delete(np.arange(5), 2)
    assert prior.belief.mean[2] == pytest.approx(prior.belief.mean[others].mean(), abs=0.1)
    assert prior.belief.variance[2] > 0.9 * prior.belief.variance[others].max()


def test_gaps_in_a_log_change_little() -> None:
    values = users(80)
    gaps = values.copy()
    gaps[np.random.default_rng(0).random(gaps.shape) < 0.1] = np.nan
    whole, holed = (AccuracyPrior.learn(v, None, LOGIT.default).belief for v in (values, gaps))
    np.testing.assert_allclose(whole.mean, holed.mean, atol=0.1)
    np.testing.assert_allclose(whole.covariance, holed.covariance, atol=0.25)


def test_features_move_the_mean_of_a_new_user() -> None:
    rng = np.random.default_rng(0)
    size = rng.normal(10, 3, (60, 1))
    values = 0.2 * size + rng.normal(0, 0.1, (60, 4))
    prior = AccuracyPrior.learn(values, size, LOGIT.default)
    small, large = (prior.of_user(np.array([s])).mean for s in (7.0, 13.0))
    np.testing.assert_allclose(large - small, 1.2, atol=0.3)
    unknown = prior.of_user(np.array([np.nan])).mean
    np.testing.assert_allclose(unknown, prior.of_user(None).mean)


def test_the_spread_of_a_surprising_user_grows() -> None:
    prior = AccuracyPrior.learn(users(50), None, LOGIT.default)
    assert prior.spread != NORMAL
    assert prior.scale(surprise=20.0, count=2) > 1 > prior.scale(surprise=0.1, count=5)


def test_the_papers_belief_takes_all_users_to_spread_alike() -> None:
    prior = AccuracyPrior.learn(users(50), None, PLAIN.default, normal=True)
    assert prior.scale(surprise=100.0, count=1) == 1.0


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (lambda: Log([[0.5, 1.5]]), "from 0 to 1"),
        (lambda: Log([[0.5, 0.6]], seconds=[[1.0]]), "shape"),
        (lambda: Log([0.5, 0.6]), "axes"),
        (lambda: Log([["a", "b"]]), "table of numbers"),
        (lambda: Log([[0.5, 0.6]], features=[[1], [2]]), "features of 2 users"),
        (lambda: Log([[0.5, 0.6]], models=["a"]), "1 names for 2"),
        (lambda: Log([[0.5]], fractions=(0.5, 0.1), slices=[[[0.1], [0.2]]]), "ascending"),
        (lambda: Log([[0.5, 0.6]]).named(["a"]), "2 models for 1"),
        (lambda: Log([[np.inf, 0.6]]), "0 to 1|infinite"),
    ],
)
def test_a_wrong_log_gets_a_sentence(log, told: str) -> None:  # type: ignore[no-untyped-def]  # a lambda
    with pytest.raises(TenancyError, match=told):
        log()


def test_a_log_finds_its_columns_by_name() -> None:
    log = Log([[0.1, 0.2]], models=["a", "b"]).of_models(["b", "new", "a"])
    np.testing.assert_array_equal(log.accuracy, [[0.2, np.nan, 0.1]])


def test_a_slope_is_believed_warily() -> None:
    inputs, residual = np.array([[-1.0], [1.0]]), np.array([[-2.0], [2.0]])
    # x'y / (x'x + 5), that is 4 / (2 + 5).
    np.testing.assert_allclose(ridge(inputs, residual), [[4 / 7]])


@pytest.mark.parametrize(("count", "features"), [(3, 0), (4, 1)])
def test_features_count_only_with_users_enough(count: int, features: int) -> None:
    values = users(count)
    prior = AccuracyPrior.learn(values, values[:, :1], LOGIT.default)
    assert len(prior.center) == features
    none = AccuracyPrior.learn(values, np.empty((count, 0)), LOGIT.default)
    assert not len(none.center)
    np.testing.assert_allclose(none.of_user(np.array([1.0])).mean, none.belief.mean)


def test_what_features_explain_is_no_longer_in_doubt() -> None:
    rng = np.random.default_rng(0)
    size = rng.normal(0, 1, (100, 1))
    values = size + rng.normal(0, 0.1, (100, 3))
    known, unknown = (AccuracyPrior.learn(values, f, LOGIT.default).belief for f in (size, None))
    assert (known.variance < 0.2 * unknown.variance).all()


def test_far_features_count_as_far_as_the_log_has_seen() -> None:
    size = np.linspace(-1, 1, 50)[:, None]
    prior = AccuracyPrior.learn(size + np.zeros((50, 2)), size, LOGIT.default)
    farthest = SURELY * float(size.std())
    far, beyond = (prior.of_user(np.array([s])).mean for s in (farthest, 100.0))
    np.testing.assert_allclose(far, beyond)
    assert prior.inputs(np.array([-100.0])).tolist() == [-SURELY]


def test_the_mean_of_few_users_is_drawn_to_the_mean_of_all_models() -> None:
    prior = AccuracyPrior.learn(np.array([[0.0, 3.0]]), None, LOGIT.default)
    # One imagined user has the overall mean of 1.5 everywhere.
    np.testing.assert_allclose(prior.belief.mean, [0.75, 2.25])
    assert AccuracyPrior.learn(np.empty((0, 2)), None, LOGIT.default).belief.mean.tolist() == [
        1.1,
        1.1,
    ]


def test_the_spread_scales_variances_like_those_of_a_t_process() -> None:
    prior = AccuracyPrior.learn(users(3), None, LOGIT.default)
    assert prior.spread == 4.0
    assert prior.scale(surprise=10.0, count=3) == pytest.approx(np.sqrt((4 + 10) / (4 + 3)))


def test_densities_are_those_of_the_t_and_of_the_normal() -> None:
    from scipy import stats

    distance, volume = np.array([0.5, 4.0]), np.zeros(2)
    spread = 3.0
    # A covariance of 1 means a scale of spread / (spread + 2) for spread + 2 degrees of freedom.
    width = np.sqrt(spread / (spread + 2))
    found = log_t(distance, volume, 1, spread)
    np.testing.assert_allclose(found, stats.t.logpdf(np.sqrt(distance), spread + 2, scale=width))
    plain = log_t(distance, volume, 1, NORMAL)
    np.testing.assert_allclose(plain, stats.norm.logpdf(np.sqrt(distance)))
