"""What settings do to seconds and slopes, from a few of them."""

import numpy as np
import pytest

from tests.extras import late
from tests.online.landscape import SPACE
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.belief.curve import Curve, Slopes, linked
from tunewise.online.belief.effects import Effects
from tunewise.online.segment import Segment
from tunewise.surrogate import Array

multivariate_normal = late("scipy.stats", "multivariate_normal")


def test_a_sum_over_parameters_is_foreseen_from_a_few_settings() -> None:
    rng = np.random.default_rng(0)
    x = SPACE.encode(SPACE.configs)
    y = x @ rng.standard_normal(x.shape[1]) + 5.0
    seen = rng.choice(len(x), 12, replace=False)
    effects = Effects.plain(x[seen], y[seen], 1e-4 * np.eye(12), 1.0)
    found = effects.predict(x)
    assert np.sqrt(np.mean((np.asarray(found.mean) - y) ** 2)) < 0.35
    z = (np.asarray(found.mean) - y) / np.asarray(found.std)
    assert np.abs(z).max() < 4


def test_evidence_is_the_density_of_what_was_measured_but_for_a_constant() -> None:
    x, y = np.array([[0.0], [0.4], [1.0]]), np.array([-0.3, 0.1, 0.2])
    effects = Effects.plain(x, y, 0.01 * np.eye(3), 1.0)
    covariance = effects._between(x, effects.known, x, effects.known) + effects.covariance
    density = multivariate_normal(np.full(3, y.mean()), covariance).logpdf(y)
    assert effects.evidence == pytest.approx(float(density) + 1.5 * np.log(2 * np.pi))


def test_noise_that_is_common_to_all_says_nothing_of_differences() -> None:
    """The second setting was measured later, when all were slower by a factor of e."""
    x = np.array([[0.0], [1.0]])
    drift = np.array([[1.0, 0.0], [0.0, 0.0]])
    alone = Effects.plain(x, np.array([0.0, -1.0]), 1e-4 * np.eye(2), 0.5).predict(x)
    common = Effects.plain(x, np.array([0.0, -1.0]), drift + 1e-4 * np.eye(2), 0.5).predict(x)
    assert float(np.diff(np.asarray(alone.mean))[0]) == pytest.approx(-1.0, abs=0.05)
    assert abs(float(np.diff(np.asarray(common.mean))[0])) < 0.5


def curve(slope: list[float], error: list[float]) -> Curve:
    loss, count = np.linspace(1.0, 0.6, len(slope)), len(slope)

    def made(log_slope: Array, variance: Array) -> Curve:
        seen = Slopes(loss, log_slope, variance, np.zeros(count), np.zeros(count))
        return Curve(seen, 0.6, 0.1, 1.0)

    return linked(np.array(slope), np.array(error), made)


def test_clear_slopes_keep_their_logarithms() -> None:
    found = curve([0.02, 0.015, 0.012], [1e-4] * 3).slopes
    assert found.log_slope == pytest.approx(np.log([0.02, 0.015, 0.012]), abs=0.02)


@pytest.mark.parametrize("noise", [-0.05, 0.0, 0.05])
def test_a_slope_that_noise_drowns_says_next_to_nothing(noise: float) -> None:
    clear = curve([0.02, 0.015, 0.012], [1e-4] * 3)
    drowned = curve([0.02, 0.015, noise], [1e-4, 1e-4, 0.2])
    at = np.array([0.6])
    assert drowned.slopes.variance[2] > 4
    assert float(drowned.law(at)[0]) == pytest.approx(float(clear.law(at)[0]), abs=0.5)


def test_iterations_that_end_while_nothing_begins_do_not_count_for_the_speed() -> None:
    usual = [Iteration(0.5, 0.1, 1.0)] * 6
    waited = [Iteration(0.5, 2.0, 1.0)] * 2
    segment = Segment({}, iterations=[*usual, *waited], late=2)
    assert segment.per_iteration == pytest.approx(0.1)
    assert segment.seconds.sum() == pytest.approx(4.6)


def test_what_is_not_known_of_all_settings_says_nothing_of_their_differences() -> None:
    x, y = np.array([[0.0], [1.0]]), np.array([0.0, -1.0])
    level = 4.0 * np.ones((2, 2))  # both were measured on a machine that nobody knows
    effects = Effects.plain(x, y, level + 1e-4 * np.eye(2), 0.5)
    ahead = effects.ahead(x, np.empty((2, 0)), x[:1], np.empty((1, 0)))
    alone = effects.predict(x)
    assert np.asarray(ahead.mean) == pytest.approx([0.0, np.diff(np.asarray(alone.mean))[0]])
    assert np.asarray(ahead.std)[1] < 0.1 < np.asarray(alone.std)[1]


def test_neighbours_do_not_overrule_what_was_measured_of_a_setting() -> None:
    """All around is slower: a setting that is measured well is believed as it was measured."""
    x = np.linspace(0.0, 1.0, 11)[:, None]
    y = np.where(np.arange(11) == 5, 0.0, 0.3)
    found = Effects.plain(x, y, np.diag(np.full(11, 0.02**2)), 1.0).predict(x)
    assert np.asarray(found.mean)[5] == pytest.approx(0.0, abs=0.03)
