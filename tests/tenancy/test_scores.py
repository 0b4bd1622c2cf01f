"""Scores, the scales on which they are believed, and what a rise on them is worth."""

import math

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.surrogate import Normal
from tunewise.tenancy import Score
from tunewise.tenancy.latent import LOGIT, PLAIN, Latent
from tunewise.tenancy.score import SCORES


@pytest.mark.parametrize(
    ("score", "value", "unit"),
    [
        (SCORES["accuracy"], 0.3, 0.3),
        (SCORES["error"], 0.3, 0.7),
        (SCORES["similarity"], 0.0, 0.5),
        (Score(100.0, 1.0), 1.0, 1.0),
        (Score(100.0, 0.0), 75.0, 0.25),
        (Score(0.0, 1.0), -3.0, 0.0),
        (Score(10.0, 0.0), 12.0, 0.0),
        (SCORES["accuracy"], 1 + 1e-9, 1.0),
        (SCORES["accuracy"], -1e-9, 0.0),
    ],
)
def test_a_score_is_brought_to_the_scale_of_accuracy(
    score: Score, value: float, unit: float
) -> None:
    assert score.unit(value) == pytest.approx(unit)
    if 0 < unit < 1:
        assert score.own(unit) == pytest.approx(value)


@pytest.mark.parametrize(
    ("score", "value", "said"),
    [
        (SCORES["accuracy"], 1.001, "a score of 1.001 on a scale from 0 to 1"),
        (SCORES["accuracy"], -0.001, "a score of -0.001 on a scale from 0 to 1"),
        (SCORES["error"], 1.2, "a score of 1.2 on a scale from 0 to 1"),
        (Score(10.0, 0.0), -1.0, "a score of -1 on a scale from 0 to 10"),
    ],
)
def test_a_score_of_another_scale_is_refused(score: Score, value: float, said: str) -> None:
    with pytest.raises(TenancyError, match=said):
        score.unit(value)


def test_a_logit_comes_back_and_never_becomes_infinite() -> None:
    inside = np.array([0.05, 0.2, 0.5, 0.995])
    np.testing.assert_allclose(LOGIT.accuracy(LOGIT.of(inside)), inside)
    assert float(LOGIT.of(0.5)) == pytest.approx(0.0)
    assert float(LOGIT.of(0.8)) == pytest.approx(math.log(4))
    np.testing.assert_allclose(LOGIT.accuracy(LOGIT.of([0.0, 1.0])), [0.05, 0.9999])


@pytest.mark.parametrize("latent", [PLAIN, LOGIT], ids=["plain", "logit"])
@pytest.mark.parametrize("best", [0.0, 0.6, 0.9])
def test_a_gain_is_the_mean_rise_above_the_best_of_what_counts(latent: Latent, best: float) -> None:
    mean, std = np.asarray(latent.of([0.5, 0.85])), np.array([0.1, 0.2])
    draws = np.random.default_rng(0).standard_normal((20_000, 1))
    outcomes = np.minimum(latent.accuracy(mean + std * draws), 1.0)
    expected = np.maximum(outcomes - best, 0).mean(axis=0)
    # A normal accuracy may lie below 0 as well; nothing is below a best of 0.
    np.testing.assert_allclose(latent.gain(Normal(mean, std), best), expected, atol=0.004)


def test_nothing_is_gained_above_what_is_perfect() -> None:
    sure = Normal(np.array([1.5]), np.array([0.01]))
    assert float(PLAIN.gain(sure, 0.8)[0]) == pytest.approx(0.2, abs=1e-6)
    assert float(PLAIN.gain(sure, 1.0)[0]) == 0.0
