"""The configs that a strategy weighs."""

import pytest

import tunewise as tw
from tunewise.belief.candidates import pool

SPACES = [
    tw.Space(tw.Real("x", 0, 1)),
    tw.Space(tw.Integer("x", 1, 40)),
]


def tried(count: int) -> tw.History:
    return tw.History(
        tw.Trial(i, {"x": 1.0 / (i + 1)}).told(tw.Measurement({"accuracy": 0.5}))
        for i in range(count)
    )


@pytest.mark.parametrize("space", SPACES, ids=["continuous", "listed"])
@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_smallest_pool_has_something_new_while_there_is_any(space: tw.Space, most: int) -> None:
    problem = tw.Problem(space, maximize="accuracy")
    study = tw.Study(problem, tw.strategy("eic", candidates=most, initial=2), seed=1)
    seen = set()
    for _ in range(12):
        trial = study.ask()
        seen.add(space.key(trial.config))
        study.tell(trial, {"accuracy": 0.5 + 0.01 * trial.config["x"]})
        drawn = pool(problem, study.history, 1, most)
        assert any(space.key(config) not in seen for config in drawn.configs)
    assert len(seen) == 12


def test_a_pool_with_something_new_is_no_larger_than_asked_for() -> None:
    problem = tw.Problem(SPACES[0], maximize="accuracy")
    pools = [pool(problem, tried(8), seed, 20) for seed in range(10)]
    # What is the same to three digits as a tried one is left out.
    assert all(18 <= len(drawn) <= 20 for drawn in pools)


def test_nothing_that_is_the_same_to_three_digits_is_tried_again() -> None:
    problem = tw.Problem(SPACES[0], maximize="accuracy")
    history = tried(8)
    known = {trial.config["x"] for trial in history}
    for seed in range(20):
        for config in pool(problem, history, seed, 200).configs:
            apart = min(abs(config["x"] - x) for x in known)
            assert apart == 0 or apart > 1e-3
