"""Run times: what was said, what the log says, and what a user's own models teach."""

import numpy as np
import pytest

from tunewise.surrogate import Array
from tunewise.tenancy import Log, Scheduler
from tunewise.tenancy.priors.seconds import Seconds, SecondsPrior

ALL = np.ones(3, bool)


def measured(users: int = 30, seed: int = 0) -> Array:
    """Seconds of three models; a large data set is slow for all of them."""
    rng = np.random.default_rng(seed)
    size = rng.normal(0, 1, (users, 1))
    return np.asarray(np.exp(size + np.log([1.0, 5.0, 20.0]) + rng.normal(0, 0.1, (users, 3))))


def test_without_a_log_a_model_takes_about_a_second_give_or_take_much() -> None:
    prior = SecondsPrior.learn(None, 3, ())
    np.testing.assert_allclose(prior.belief.mean, 0.0)
    assert np.sqrt(prior.belief.variance) == pytest.approx([5**0.5] * 3)
    assert prior.typical == 1.0
    assert prior.directions.shape == (3, 0)


def test_the_typical_model_is_the_mean_of_what_was_measured() -> None:
    seconds = measured()
    seconds[0, 0] = np.nan
    assert SecondsPrior.learn(seconds, 3, ()).typical == pytest.approx(np.nanmean(seconds))
    assert SecondsPrior.learn(np.zeros((5, 3)), 3, ()).typical == pytest.approx(1e-4)
    assert SecondsPrior.learn(np.full((5, 3), np.nan), 3, ()).typical == 1.0


def test_a_part_of_the_data_takes_its_share() -> None:
    prior = SecondsPrior.learn(measured(), 3, (0.1, 0.5))
    slices = prior.belief.mean.reshape(3, 3)
    np.testing.assert_allclose(slices[0] - slices[2], np.log(0.1))
    np.testing.assert_allclose(slices[1] - slices[2], np.log(0.5))
    variance = prior.belief.variance.reshape(3, 3)
    np.testing.assert_allclose(variance[:2] - variance[2], 0.09)
    assert prior.noise.shape == (9,)


def test_all_that_was_said_is_certain_and_what_happens_changes_nothing() -> None:
    seconds = Seconds(SecondsPrior.learn(measured(), 3, ()), np.array([1.0, 2.0, 0.0]), ALL)
    seconds.told(0, 500.0)
    np.testing.assert_allclose(seconds.expected, [1.0, 2.0, 1e-4])


def test_what_was_said_of_one_model_teaches_the_others() -> None:
    prior = SecondsPrior.learn(measured(), 3, ())
    slow = Seconds(prior, np.array([8.0, np.nan, np.nan]), ALL)
    assert slow.expected[0] == 8.0
    np.testing.assert_allclose(slow.expected[1:], [40.0, 160.0], rtol=0.3)
    # Of models that do not suit the user, nothing needs to be known.
    chosen = Seconds(prior, np.array([8.0, np.nan, np.nan]), np.array([True, False, False]))
    chosen.told(0, 500.0)
    assert chosen.expected[0] == 8.0


def test_what_was_measured_teaches_and_is_kept_when_models_come() -> None:
    prior = SecondsPrior.learn(measured(), 3, ())
    seconds = Seconds(prior, None, ALL)
    before = seconds.expected.copy()
    seconds.told(1, 50.0)
    assert (seconds.expected > 5 * before).all()
    assert seconds.features is None
    larger = SecondsPrior.learn(None, 4, ())
    moved = seconds.moved(larger, np.array([0, 2, 3]), np.ones(4, bool))
    assert moved.expected[2] == pytest.approx(50.0, rel=0.8)
    assert moved.expected[2] > 5 * Seconds(larger, None, np.ones(4, bool)).expected[2] / 3
    said = Seconds(prior, np.array([1.0, 2.0, 3.0]), ALL)
    again = said.moved(larger, np.array([3, 2, 0]), np.ones(4, bool))
    np.testing.assert_allclose(again.expected[[3, 2, 0]], [1.0, 2.0, 3.0])


def test_the_size_of_the_data_shows_in_the_run_times() -> None:
    prior = SecondsPrior.learn(measured(), 3, ())
    assert prior.directions.shape == (3, 3)
    usual, slow, partly = (
        prior.features_of(np.exp(prior.belief.mean) * factor)
        for factor in (np.ones(3), np.full(3, 10.0), np.array([10.0, np.nan, 10.0]))
    )
    np.testing.assert_allclose(usual, 0.0, atol=1e-9)
    # The first direction is that all models are slow; the others hardly move.
    assert abs(slow[0]) > 3 and np.abs(slow[1:]).max() < 0.5
    np.testing.assert_allclose(partly, slow, atol=0.3)
    np.testing.assert_allclose(prior.features_of(np.full(3, np.nan)), 0.0)
    given = Seconds(prior, np.exp(prior.belief.mean) * 10, ALL)
    assert given.features is not None
    np.testing.assert_allclose(given.features, slow)


def test_few_users_show_no_directions() -> None:
    assert SecondsPrior.learn(measured(5), 3, ()).directions.shape == (3, 0)
    assert SecondsPrior.learn(measured(6), 3, ()).directions.shape == (3, 3)


def test_features_are_those_given_and_those_that_run_times_show() -> None:
    seconds = measured()
    rng = np.random.default_rng(1)
    accuracy = np.clip(0.6 + 0.1 * np.log(seconds[:, :1]) + rng.normal(0, 0.02, (30, 3)), 0, 1)
    known = Log(accuracy, seconds, features=np.log(seconds[:, :1]))
    scheduler = Scheduler(["a", "b", "c"], "hybrid", known)
    scheduler.join("told", features=[2.0])
    scheduler.join("shown", {"a": 8.0, "b": 40.0, "c": 160.0})
    scheduler.join("small", features=[-1.5])
    scheduler.join("nothing")

    def level(user: str) -> float:
        return float(np.asarray(scheduler._tenant(user).believed().mean).mean())

    assert level("small") < level("nothing") < level("shown")
    assert level("nothing") < level("told")
    assert scheduler._tenant("nothing").features is None


def test_three_directions_are_told_apart_however_many_models_there_are() -> None:
    seconds = np.exp(np.random.default_rng(0).normal(0, 1, (20, 5)))
    assert SecondsPrior.learn(seconds, 5, ()).directions.shape == (5, 3)


def test_estimates_are_corrected_by_one_factor_that_is_learned() -> None:
    prior = SecondsPrior.learn(None, 3, ())
    given = np.array([1.0, 2.0, 8.0])
    certain, estimated = Seconds(prior, given, ALL), Seconds(prior, given, ALL, estimated=True)
    for each in (certain, estimated):
        each.told(0, 4.0)
    assert certain.expected.tolist() == [1.0, 2.0, 8.0]
    # One training counts for two thirds: 4 ** (2 / 3) times as long.
    assert estimated.expected == pytest.approx(given * 4 ** (2 / 3))
    estimated.told(1, 8.0)
    assert estimated.expected == pytest.approx(given * 4 ** (4 / 5))


def test_estimates_say_nothing_about_how_accurate_models_are() -> None:
    seconds = measured()
    accuracy = np.clip(0.6 + 0.1 * np.log(seconds[:, :1]) + np.zeros((30, 3)), 0, 1)
    scheduler = Scheduler(["a", "b", "c"], "hybrid", Log(accuracy, seconds))
    slow = {"a": 8.0, "b": 40.0, "c": 160.0}
    scheduler.join("measured", slow)
    scheduler.join("estimated", slow, estimated=True)
    scheduler.join("nothing")
    said, guessed, nothing = (
        np.asarray(scheduler._tenant(user).believed().mean)
        for user in ("measured", "estimated", "nothing")
    )
    np.testing.assert_allclose(guessed, nothing)
    assert said.mean() > nothing.mean() + 0.1
