"""Qualities are between 0 and 1, with intervals that hold, and without the luck of the choice."""

import numpy as np
import pytest

from tunewise.declarative.quality import Losses, at_best, baseline, interval, losses, optimism
from tunewise.declarative.quality.intervals import wilson


def test_of_labels_it_is_the_accuracy_with_wilsons_interval() -> None:
    found = losses(["a", "b", "a", "a"], ["a", "b", "b", "a"], ["a", "b"])
    assert found.value == 0.75
    assert found.accuracy
    assert wilson(0.5, 10) == pytest.approx((0.2692, 0.7308), abs=1e-3)  # by hand, z = 1.645
    assert interval(found) == wilson(0.75, 4)


def test_of_numbers_it_is_r_squared() -> None:
    truth = [np.array([v], np.float32) for v in (1.0, 2.0, 3.0)]
    assert losses(truth, truth, truth).value == 1
    mean = [np.array([2.0])] * 3
    assert losses(mean, truth, truth).value == 0
    half = [np.array([v]) for v in (1.0, 2.0, 2.0)]
    assert losses(half, truth, truth).value == pytest.approx(0.5)


def test_texts_are_compared_byte_by_byte() -> None:
    found = losses(["cat", "dog"], ["cat", "dig"], ["cat"], text=True)
    assert found.value == pytest.approx(1 - 1 / 6)


def test_sequences_of_another_length_lose_what_is_missing() -> None:
    truth = [np.array([[1.0], [-1.0]]), np.array([[1.0]])]
    assert losses(truth, truth, truth).value == 1
    assert losses([v[:1] for v in truth], truth, truth).value < 1


def test_the_baseline_is_what_needs_no_model() -> None:
    assert baseline([], ["a", "a", "b"], ["a", "a", "a", "b"]) == pytest.approx(2 / 3)
    image = np.random.default_rng(0).normal(size=(20, 4))
    assert baseline(list(image), list(image), list(image)) == 1


def test_the_bootstrap_holds_the_truth_about_as_often_as_it_says() -> None:
    rng, held = np.random.default_rng(0), 0
    for _ in range(60):
        truth = rng.normal(size=80)
        found = Losses((0.5 * rng.normal(size=80)) ** 2, truth**2)
        low, high = interval(found)
        held += low <= 0.75 <= high
    assert held >= 45


def test_errors_too_rare_to_have_been_met_are_within_the_interval() -> None:
    rng, held = np.random.default_rng(0), 0
    for _ in range(60):
        truth = rng.normal(size=200)
        wrong = rng.random(200) < 0.005  # in a third of the repeats none is
        low, high = interval(Losses(np.where(wrong, truth**2, 1e-9), truth**2))
        held += low <= 0.995 <= high
    assert held >= 53


def test_the_best_of_many_equal_models_is_told_without_its_luck() -> None:
    rng = np.random.default_rng(0)
    models = [Losses((rng.random(200) < 0.3).astype(float), np.ones(200)) for _ in range(10)]
    best = int(np.argmax([model.value for model in models]))
    luck = optimism(best, models)
    assert models[best].value > 0.72
    assert models[best].value - luck == pytest.approx(0.7, abs=0.03)
    assert optimism(0, models[:1]) == 0


def test_a_model_that_is_far_ahead_was_not_chosen_by_luck() -> None:
    rng = np.random.default_rng(0)
    shares = (0.1, 0.5, 0.5)
    models = [Losses((rng.random(300) < share).astype(float), np.ones(300)) for share in shares]
    assert optimism(0, models) < 0.01


def test_luck_is_not_counted_twice() -> None:
    told = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        models = [Losses((rng.random(150) < 0.3).astype(float), np.ones(150)) for _ in range(5)]
        best = int(np.argmax([model.value for model in models]))
        told.append(models[best].value - optimism(best, models))
    assert 0.7 <= np.mean(told) <= 0.72


def test_more_examples_help_at_best_by_their_square_root() -> None:
    assert at_best(0.8, 4.0) == pytest.approx(0.9)
    assert at_best(0.8, 1.0) == pytest.approx(0.8)
