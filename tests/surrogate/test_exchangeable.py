"""Configs that nothing relates."""

import numpy as np
import pytest

from tunewise.errors import MeasurementError
from tunewise.surrogate.exchangeable import Exchangeable
from tunewise.surrogate.hierarchy import COMMON, OWN, Guesses, Habits, Told, population

CONFIGS = np.eye(5)


def curves(levels: list[float], slope: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three slices of one config for each level."""
    s = np.tile([1 / 64, 1 / 8, 1.0], len(levels))
    x = np.repeat(CONFIGS[: len(levels)], 3, axis=0)
    return x, s, np.repeat(levels, 3) + slope * np.log10(s)


def test_one_guess_is_the_normal_posterior_of_configs_around_a_common_mean() -> None:
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((6, 2))
    told = Told(
        np.array([0, 0, 0, 1, 1, 2]), basis, rng.standard_normal(6), np.zeros(6), np.ones(6)
    )
    guess = Guesses(np.array([[0.7, 0.2]]), np.array([0.05]))
    found = population(guess, told, Habits.none(4, 2, 1.0))
    # The same by hand: all weights of four configs and of the mean, jointly normal.
    common, own = np.diag(np.square(COMMON[:2])), np.diag([0.7, 0.2])
    prior = np.kron(np.ones((4, 4)), common) + np.kron(np.eye(4), own)
    design = np.zeros((6, 8))
    for i, config in enumerate(told.config):
        design[i, 2 * config : 2 * config + 2] = basis[i]
    gain = prior @ design.T @ np.linalg.inv(design @ prior @ design.T + 0.05 * np.eye(6))
    mean, covariance = gain @ told.mean, prior - gain @ design @ prior
    assert found.mean == pytest.approx(mean.reshape(4, 2), abs=1e-9)
    for c in range(4):
        block = covariance[2 * c : 2 * c + 2, 2 * c : 2 * c + 2]
        assert found.covariance[c] == pytest.approx(block, abs=1e-9)


def test_guesses_are_believed_by_how_well_they_foretell() -> None:
    rng = np.random.default_rng(1)
    told = Told(np.arange(8), np.ones((8, 1)), 6 * rng.standard_normal(8), np.zeros(8), np.ones(8))
    guesses = Guesses(np.array([[0.1], [36.0]]), np.array([0.01, 0.01]))
    marginal = []
    for weight in (0.1, 36.0):
        variance = np.full((8, 8), COMMON[0] ** 2) + (weight + 0.01) * np.eye(8)
        squares = told.mean @ np.linalg.solve(variance, told.mean)
        marginal.append(-0.5 * (np.linalg.slogdet(variance)[1] + squares))
    odds = population(guesses, told, Habits.none(8, 1, 1.0)).credence
    assert np.log(odds[1] / odds[0]) == pytest.approx(marginal[1] - marginal[0])


def test_a_surprise_widens_what_is_believed_of_configs_nobody_has_seen() -> None:
    alike, apart = (
        Exchangeable(spread=1.0).fit(*curves(levels)).predict(CONFIGS[4:], 1.0)
        for levels in ([0.0, 0.1, -0.1, 0.05], [0.0, 0.1, -0.1, 6.0])
    )
    assert np.max(apart.std) > 3 * np.max(alike.std)


def test_slopes_are_learned_and_a_config_may_have_its_own() -> None:
    x, s, y = curves([0.0, 1.0, 2.0], slope=2.0)
    steep = 4.0 + 4.5 * np.log10(s[:2])
    model = Exchangeable(spread=1.0).fit(
        np.concatenate([x, np.repeat(CONFIGS[3:4], 2, axis=0)]),
        np.concatenate([s, s[:2]]),
        np.concatenate([y, steep]),
    )
    assert model.predict(CONFIGS[:1], 1.0).mean == pytest.approx([0.0], abs=0.2)
    foretold = model.predict(CONFIGS[3:4], 1.0)
    assert np.max(np.abs(foretold.mean - 4.0) / foretold.std) < 2


def test_a_fantasy_says_what_conditioning_does_to_the_config_itself() -> None:
    model = Exchangeable(spread=1.0).fit(*curves([0.0, 1.0, -1.0]))
    here = (CONFIGS[3:4], np.array([1 / 64]))
    fantasy = model.fantasize(here, (CONFIGS, 1.0))
    seen = fantasy.mean + 1.5 * fantasy.std
    after, told = model.condition(*here, seen).predict(CONFIGS, 1.0), fantasy.after(seen)
    assert np.asarray(told.mean)[0, 3] == pytest.approx(np.asarray(after.mean)[3], abs=0.35)
    assert (fantasy.gain[0, :3] == 0).all()


def test_a_repeat_teaches_less_than_the_first_measurement() -> None:
    x, s, y = curves([0.0, 1.0, -1.0])
    model = Exchangeable(spread=1.0).fit(x, s, y)
    first, again = model.fantasize((CONFIGS[[3, 0]], 1.0), (CONFIGS[[3, 0]], 1.0)).noise
    after = OWN + (1 - OWN) / 2
    assert again**2 / first**2 == pytest.approx(1 / (1 / after - 1))


def test_samples_have_the_predicted_moments() -> None:
    model = Exchangeable(spread=1.0).fit(*curves([0.0, 1.0, -1.0]))
    drawn = model.sample(CONFIGS, 1.0, 4000, np.random.default_rng(0))
    predicted = model.predict(CONFIGS, 1.0)
    assert drawn.mean(0) == pytest.approx(predicted.mean, abs=0.15)
    assert drawn.std(0) == pytest.approx(predicted.std, rel=0.1)


def test_what_is_known_before_moves_and_sharpens_what_is_believed_of_a_config() -> None:
    habits = Habits(
        np.array([[2.0, 0, 0], [0, 0, 0]]),
        np.array([[0.05, 1, 1], [1, 1, 1]]),
        np.zeros(3),
        np.array(COMMON),
    )
    seen = curves([0.0, 0.5, -0.5])
    plain = Exchangeable(spread=1.0).fit(*seen)
    taught = Exchangeable(spread=1.0, known=(CONFIGS[4:], habits)).fit(*seen)
    unseen = CONFIGS[3:]  # the first is unknown to all, the second was seen elsewhere
    before, after = plain.predict(unseen, 1.0), taught.predict(unseen, 1.0)
    assert np.asarray(after.mean)[1] > np.asarray(before.mean)[1] + 1.5
    assert np.asarray(after.std)[1] < np.asarray(before.std)[1]
    assert np.asarray(after.mean)[0] == pytest.approx(np.asarray(before.mean)[0], abs=0.3)


def fitted(**options: object) -> Exchangeable:
    """Three configs of their own, the first of which was measured twice on the full data."""
    x = np.array([[0.0], [0.0], [0.0], [0.5], [1.0]])
    s, y = np.array([1.0, 1.0, 0.1, 1.0, 0.1]), np.array([2.0, 2.2, 1.0, -1.0, 0.5])
    return Exchangeable("log", spread=1.0, **options).fit(x, s, y)  # type: ignore[arg-type] # options


def test_each_repeat_brings_less_than_the_one_before() -> None:
    model = fitted()
    known = model._config(np.array([[0.0], [0.5], [0.0]]))
    # Measured twice, once, and never on this slice.
    twice, once, never = model._remaining(known, np.array([1.0, 1.0, 0.5]))
    assert never == 1.0
    # Half of the noise is the slice's own: 1 falls to 3/4 and to 2/3 of it.
    assert once == pytest.approx(1.0 * 0.75 / (1.0 - 0.75))
    assert twice == pytest.approx(0.75 * (2 / 3) / (0.75 - 2 / 3))


def test_a_config_that_nobody_has_seen_is_the_last_of_all() -> None:
    model = fitted()
    assert model._config(np.array([[0.0], [0.5], [1.0], [0.25]])).tolist() == [0, 1, 2, 3]


def test_weights_are_the_curve_of_a_config_in_the_unit_of_the_targets() -> None:
    model = fitted()
    at = np.array([[0.0], [0.5], [0.25]])
    weights = model.weights(at)
    assert weights.shape == (3, 3)
    full = model.predict(at, 1.0)
    # On the full data slope and bend are nothing: the level is what is predicted.
    assert weights[:, 0] == pytest.approx(np.asarray(full.mean))
    assert float(np.asarray(full.mean)[0]) == pytest.approx(2.1, abs=0.3)


def test_a_bend_is_nothing_at_both_ends_of_what_was_seen() -> None:
    model = fitted()
    basis = model._basis(np.array([1.0, 0.1, 10**-0.5]))
    assert basis[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert basis[:, 1] == pytest.approx([0.0, -1.0, -0.5])
    assert basis[0, 2] == pytest.approx(0.0)
    assert Exchangeable("none", spread=1.0).size == 1


def test_the_scale_is_what_targets_are_expected_to_spread() -> None:
    assert fitted().scale_ == 1.0
    unknown = Exchangeable("none").fit(np.array([[0.0], [1.0]]), 1.0, np.array([0.0, 10.0]))
    assert unknown.scale_ == pytest.approx(5.0)


def test_what_a_config_teaches_is_left_out_of_the_fantasies_of_others() -> None:
    model = fitted()
    targets = (np.array([[0.0], [0.5]]), np.ones(2))
    fantasy = model.fantasize((np.array([[0.5]]), np.array([1.0])), targets)
    assert fantasy.gain[0, 0] == 0.0 and 0 < fantasy.gain[0, 1] < 1
    assert fantasy.std[0] ** 2 == pytest.approx(
        float(np.asarray(model.predict([[0.5]], 1.0).std)[0]) ** 2 + fantasy.noise[0] ** 2
    )


def test_what_is_stated_expects_the_slow_ones_to_have_grown_steeply() -> None:
    # On the smallest slice alone: one config far above the others.
    x, y = np.linspace(0.0, 1.0, 6)[:, None], np.array([0.0, 0.1, -0.1, 0.2, -0.2, 3.0])
    model = Exchangeable(spread=1.0).fit(x, 0.01, y)
    careful = model.careful()
    far, doubtful = model.predict(x, 1.0), careful.predict(x, 1.0)
    rise = np.asarray(doubtful.mean) - np.asarray(far.mean)
    assert rise[-1] > rise[:-1].max() + 0.05
    assert (np.asarray(doubtful.std) > np.asarray(far.std)).all()
    assert careful.predict(x, 0.01).mean == pytest.approx(model.predict(x, 0.01).mean, abs=0.3)
    assert Exchangeable("none", spread=1.0).fit(x, 1.0, y).careful().size == 1


def test_repeats_are_merged_into_their_mean_with_what_is_left_of_their_noise() -> None:
    x = np.array([[0.0], [0.0], [1.0], [0.0]])
    s, y = np.array([1.0, 1.0, 1.0, 0.1]), np.array([2.0, 4.0, 7.0, 1.0])
    model = Exchangeable("log", spread=1.0).fit(x, s, y, np.array([0.1, 0.3, 0.0, 0.2]))
    told = model._merged(model._told)
    assert told.config.tolist() == [0, 0, 1]
    assert told.mean == pytest.approx(np.array([1.0, 3.0, 7.0]) - 14.0 / 4), "around all of them"
    assert told.repeats.tolist() == [1, 2, 1]
    assert told.variance == pytest.approx([0.04, (0.01 + 0.09) / 4, 0.0])
    assert told.basis[:, 1] == pytest.approx([-1.0, 0.0, 0.0])


def test_the_guesses_keep_their_weights_when_more_is_seen_without_a_fit() -> None:
    model = fitted()
    more = model.condition(np.array([[0.5]]), np.array([0.1]), np.array([9.0]))
    assert more._population.credence == pytest.approx(model._population.credence)
    assert len(more._told.y) == 6 and len(model._told.y) == 5
    again = Exchangeable("log", spread=1.0).fit(*more._told.at, more._told.y)
    assert again._population.credence != pytest.approx(model._population.credence)


def test_what_other_studies_left_open_stays_so() -> None:
    habits = Habits(np.zeros((2, 3)), np.ones((2, 3)), np.zeros(3), np.array([9.0, 1.0, 1.0]))
    model = Exchangeable(spread=1.0, known=(CONFIGS[4:], habits))
    before = model.fit(*curves([0.0, 1.0]))._habits(1, 4)
    assert before.spread == pytest.approx([9.0, 1.0, 1.0])
    # The first config is known from elsewhere, all others are as any other.
    assert before.mean.shape == (4, 3)


def test_what_is_known_of_configs_is_stated_as_it_is() -> None:
    habits = Habits(np.zeros((2, 3)), np.ones((2, 3)), np.zeros(3), np.array(COMMON))
    model = Exchangeable(spread=1.0, known=(CONFIGS[4:], habits)).fit(*curves([0.0, 1.0]))
    assert model.careful() is model


def test_targets_too_far_apart_to_be_squared_are_refused() -> None:
    x = np.array([[0.0], [1.0]])
    with pytest.raises(MeasurementError, match="too much to look ahead from; expected at most 1e"):
        Exchangeable("none").fit(x, 1.0, np.array([-1e160, 1e160]))
