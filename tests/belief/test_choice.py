"""Equal scores are decided by the seed: neither by their order nor by their last digit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.acquisition.entropy import incumbent
from tunewise.belief.choice import chances, even_chances, highest, highest_few, told_apart

LAST_DIGIT = 1e-13


def _noisy(scores: np.ndarray, seed: int) -> np.ndarray:
    """The scores as another processor might compute them."""
    return scores * (1 + LAST_DIGIT * np.random.default_rng(seed).uniform(-1, 1, len(scores)))


def test_a_clearly_higher_score_wins_whatever_the_chances() -> None:
    scores = np.array([1.0, 1.0 + 1e-4, 1.0])
    assert {highest(scores, chances(3, seed)) for seed in range(50)} == {1}


@pytest.mark.parametrize("score", [3.7, 0.0, -2.0, -np.inf])
def test_the_seed_decides_between_equal_scores_and_every_candidate_gets_its_turn(
    score: float,
) -> None:
    scores = np.full(4, score)
    assert {highest(scores, chances(4, seed)) for seed in range(100)} == {0, 1, 2, 3}


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.booleans())
def test_another_last_digit_changes_no_choice(seed: int, count: int, logarithms: bool) -> None:
    scores = np.random.default_rng(seed).integers(1, 4, count).astype(float)
    if logarithms:
        scores = -np.log(scores) - 1.0
    chance = chances(count, seed, 7)
    other = _noisy(scores, seed)
    assert highest(scores, chance, logarithms=logarithms) == highest(
        other, chance, logarithms=logarithms
    )
    few = highest_few(scores, count // 2, chance, logarithms=logarithms)
    np.testing.assert_array_equal(
        few, highest_few(other, count // 2, chance, logarithms=logarithms)
    )


def test_a_logarithm_of_zero_is_told_apart_like_any_other() -> None:
    logarithms = np.zeros(5)
    assert len(set(told_apart(logarithms, chances(5, 0), logarithms=True))) == 5


def test_the_highest_few_are_ascending_and_drawn_among_equals() -> None:
    scores = np.array([0.0, 2.0, 0.0, 3.0, 0.0, 0.0])
    drawn = [tuple(highest_few(scores, 3, chances(6, seed))) for seed in range(60)]
    assert all(list(few) == sorted(few) and {1, 3} <= set(few) for few in drawn)
    assert {next(i for i in few if i not in (1, 3)) for few in drawn} == {0, 2, 4, 5}


def test_even_chances_differ_from_each_other_and_lie_between_0_and_1() -> None:
    chance = even_chances(1000)
    assert len(set(chance)) == 1000
    assert chance.min() >= 0
    assert chance.max() < 1


@given(st.integers(0, 2**32 - 1))
def test_another_last_digit_changes_no_incumbent(seed: int) -> None:
    value = np.array([0.8, 0.8, 0.8, 0.2])
    for feasible in (np.array([0.95, 0.99, 0.5, 1.0]), np.array([0.4, 0.4, 0.4, 0.1])):
        here, there = (
            incumbent(_noisy(value, seed), _noisy(feasible, s), 0.9) for s in (seed, seed + 1)
        )
        assert here == there
