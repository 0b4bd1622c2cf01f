"""Configs of one population, against the same belief written out as one large normal."""

from dataclasses import replace

import numpy as np
import pytest

from tunewise.surrogate.hierarchy import (
    COMMON,
    NOISE,
    OWN,
    USUAL,
    Guesses,
    Habits,
    Population,
    Told,
    population,
)

CONFIGS, SIZE = 4, 3
"""The last config was never measured."""


def told(seed: int = 0, count: int = 7) -> Told:
    rng = np.random.default_rng(seed)
    decades = -rng.integers(0, 3, count).astype(float)
    basis = np.stack([np.ones(count), decades, decades**2], 1)[:, :SIZE]
    return Told(
        rng.integers(0, CONFIGS - 1, count).astype(np.intp),
        basis,
        rng.normal(0.0, 2.0, count),
        rng.uniform(0.0, 0.2, count),
        rng.integers(1, 4, count).astype(float),
    )


def guesses(count: int = 3, seed: int = 1) -> Guesses:
    rng = np.random.default_rng(seed)
    return Guesses(rng.uniform(0.2, 3.0, (count, SIZE)), rng.uniform(0.05, 1.0, count))


def habits(seed: int = 2) -> Habits:
    rng = np.random.default_rng(seed)
    return Habits(
        rng.normal(0.0, 1.0, (CONFIGS, SIZE)),
        rng.uniform(0.3, 1.0, (CONFIGS, SIZE)),
        rng.normal(0.0, 1.0, SIZE),
        rng.uniform(0.5, 2.0, SIZE),
    )


def written_out(
    guess: Guesses, place: int, seen: Told, known: Habits
) -> tuple[np.ndarray, np.ndarray, float]:
    """Means (c, k), covariances (c, k, k) and the log density of the measurements."""
    size = CONFIGS * SIZE
    prior_mean = (known.mean + known.centre).ravel()
    common = np.diag(known.spread**2)
    covariance = np.tile(common, (CONFIGS, CONFIGS))
    own = (guess.weights[place] * known.ratio).ravel()
    covariance = covariance + np.diag(own)
    for level in range(0, size, SIZE):
        both = known.linked * np.sqrt(own[level] * own[level + 1])
        covariance[level, level + 1] += both
        covariance[level + 1, level] += both
    design = np.zeros((len(seen.mean), size))
    for row, (config, basis) in enumerate(zip(seen.config, seen.basis, strict=True)):
        design[row, config * SIZE : (config + 1) * SIZE] = basis
    share = OWN + (1 - OWN) / seen.repeats
    observed = design @ covariance @ design.T
    observed += np.diag(guess.noise[place] * share + seen.variance)
    away = seen.mean - design @ prior_mean
    gain = covariance @ design.T @ np.linalg.inv(observed)
    mean = (prior_mean + gain @ away).reshape(CONFIGS, SIZE)
    after = covariance - gain @ design @ covariance
    blocks = np.stack(
        [after[c * SIZE : (c + 1) * SIZE, c * SIZE : (c + 1) * SIZE] for c in range(CONFIGS)]
    )
    density = -0.5 * (away @ np.linalg.solve(observed, away) + np.linalg.slogdet(observed)[1])
    return mean, blocks, float(density)


@pytest.mark.parametrize("linked", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_one_guess_is_conditioning_of_one_large_normal(seed: int, linked: float) -> None:
    seen, known, guess = told(seed), replace(habits(seed), linked=linked), guesses(1, seed)
    found = population(guess, seen, known)
    mean, covariance, _ = written_out(guess, 0, seen, known)
    assert found.mean == pytest.approx(mean)
    assert found.covariance == pytest.approx(covariance)
    assert found.noise == pytest.approx(float(guess.noise[0]))


@pytest.mark.parametrize("seed", range(3))
def test_several_guesses_are_weighed_by_how_well_they_foretell_what_was_measured(
    seed: int,
) -> None:
    seen, guess = told(seed), guesses(4, seed)
    # Without habits the variances of all configs are those of the guess itself.
    known = Habits.none(CONFIGS, SIZE, 1.0)
    found = population(guess, seen, known)
    each = [written_out(guess, place, seen, known) for place in range(4)]
    density = np.array([one[2] for one in each])
    likely = np.exp(density - density.max())
    likely /= likely.sum()
    assert found.credence == pytest.approx(likely)
    mean = np.einsum("h,hck->ck", likely, np.array([one[0] for one in each]))
    assert found.mean == pytest.approx(mean)
    second = sum(
        weight * (one[1] + (one[0] - mean)[:, :, None] * (one[0] - mean)[:, None, :])
        for weight, one in zip(likely, each, strict=True)
    )
    assert found.covariance == pytest.approx(second)
    assert found.noise == pytest.approx(float(likely @ guess.noise))


def test_credence_that_is_given_is_kept() -> None:
    seen, guess = told(), guesses(2)
    known = Habits.none(CONFIGS, SIZE, 1.0)
    found = population(guess, seen, known, np.array([0.25, 0.75]))
    assert found.credence.tolist() == [0.25, 0.75]
    each = [written_out(guess, place, seen, known)[0] for place in range(2)]
    assert found.mean == pytest.approx(0.25 * each[0] + 0.75 * each[1])


def alone(value: float, repeats: float) -> Population:
    seen = Told(
        np.zeros(1, np.intp), np.ones((1, 1)), np.array([value]), np.zeros(1), np.array([repeats])
    )
    return population(Guesses(np.ones((1, 1)), np.ones(1)), seen, Habits.none(2, 1, 1.0))


def test_a_repeat_narrows_less_than_a_new_measurement_would() -> None:
    once, often = (float(alone(1.0, repeats).covariance[0, 0, 0]) for repeats in (1.0, 1e9))
    # Half of the noise comes again, however often a slice is measured.
    before = 1.0 + COMMON[0] ** 2
    assert once == pytest.approx(before - before**2 / (before + 1.0))
    assert often == pytest.approx(before - before**2 / (before + OWN))


def test_a_config_that_nobody_measured_is_believed_as_the_others_are() -> None:
    found = alone(6.0, 1.0)
    assert 0 < found.mean[1, 0] < found.mean[0, 0] < 6.0
    assert found.covariance[1, 0, 0] > found.covariance[0, 0, 0]


def test_guesses_spread_around_what_is_usual_in_units_of_the_targets() -> None:
    small, large = Guesses.spread(3, 255, 1.0), Guesses.spread(3, 255, 10.0)
    assert small.weights.shape == (255, 3) and small.noise.shape == (255,)
    assert large.weights == pytest.approx(100 * small.weights)
    assert large.noise == pytest.approx(100 * small.noise)
    assert np.median(small.weights[:, 0]) == pytest.approx(USUAL[0][0] ** 2, rel=0.1)
    assert np.median(small.noise) == pytest.approx(NOISE[0] ** 2, rel=0.1)
    spread = np.std(np.log(small.weights[:, 0])) / 2
    assert spread == pytest.approx(USUAL[0][1], rel=0.1)
    one = Guesses.spread(1, 64, 1.0)
    assert one.weights.shape == (64, 1)


def test_without_habits_only_what_all_have_in_common_is_in_doubt() -> None:
    none = Habits.none(5, 2, 3.0)
    assert not none.mean.any() and not none.centre.any()
    assert (none.ratio == 1.0).all() and none.ratio.shape == (5, 2)
    assert none.spread == pytest.approx(3.0 * np.array(COMMON[:2]))
