"""What one observation does to a joint normal belief, by hand."""

import numpy as np
import pytest

from tunewise.surrogate import Fantasy

FANTASY = Fantasy(
    mean=np.array([1.0, 3.0]),
    std=np.array([2.0, 0.5]),
    noise=np.array([0.1, 0.2]),
    gain=np.array([[0.5, 0.0, 0.25], [2.0, 1.0, 0.0]]),
    target_mean=np.array([10.0, 20.0, 30.0]),
    target_var=np.array([4.0, 1.0, 0.25]),
)


def test_a_surprise_moves_each_target_by_its_gain() -> None:
    # Candidate 0 comes out 2 above what was expected, candidate 1 one below.
    moved = FANTASY.mean_after([3.0, 2.0])
    assert moved == pytest.approx(np.array([[11.0, 20.0, 30.5], [8.0, 19.0, 30.0]]))


def test_several_outcomes_are_looked_at_at_once() -> None:
    moved = FANTASY.mean_after([[3.0, 2.0], [1.0, 3.0]])
    assert moved.shape == (2, 2, 3)
    assert moved[0] == pytest.approx(FANTASY.mean_after([3.0, 2.0]))
    assert moved[1] == pytest.approx(np.array([[10.0, 20.0, 30.0]] * 2))


def test_what_an_observation_explains_leaves_the_variance() -> None:
    explained = (FANTASY.gain * FANTASY.std[:, None]) ** 2
    assert explained[0] == pytest.approx([1.0, 0.0, 0.25])
    assert FANTASY.std_after()[0] == pytest.approx(np.sqrt([3.0, 1.0, 0.0]))
    assert FANTASY.std_after()[1] == pytest.approx(np.sqrt([3.0, 0.75, 0.25]))


def test_a_variance_never_falls_below_0() -> None:
    certain = Fantasy(
        FANTASY.mean, FANTASY.std, FANTASY.noise, FANTASY.gain * 3, FANTASY.target_mean, np.ones(3)
    )
    assert certain.std_after().min() == 0.0


def test_the_belief_after_has_both() -> None:
    after = FANTASY.after([[3.0, 2.0], [1.0, 3.0]])
    assert after.mean == pytest.approx(FANTASY.mean_after([[3.0, 2.0], [1.0, 3.0]]))
    assert after.std == pytest.approx(np.stack([FANTASY.std_after()] * 2))


@pytest.mark.parametrize("chosen", [1, [1], np.array([False, True]), slice(1, 2)])
def test_some_candidates_are_taken_with_all_their_effects(chosen: object) -> None:
    part = FANTASY[chosen]  # type: ignore[index] # an index of any kind
    assert part.mean_after([2.0]) == pytest.approx(FANTASY.mean_after([3.0, 2.0])[[1]])
    assert part.std_after() == pytest.approx(FANTASY.std_after()[[1]])
    assert part.noise.tolist() == [0.2]
    assert part.observation().mean == pytest.approx([3.0])
    assert part.observation().std == pytest.approx([0.5])
