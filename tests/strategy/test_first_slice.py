"""An untried config begins on a slice that costs little of the trial that was chosen for it."""

from dataclasses import replace
from math import log

import pytest

from tests.belief.tiny import problem, ran, written
from tunewise.belief.posterior import Posterior
from tunewise.history import History
from tunewise.strategy.loop.first_slice import FirstSlice

FRACTIONS = (0.1, 0.25, 1.0)
FULL = 5
"""The full data of the second config."""


def posterior(
    costs: tuple[float, float, float], *trials: tuple[int, float], related: bool = False
) -> Posterior:
    """Two configs of the same costs, and what was tried of them."""
    told = [ran(x, s, number, accuracy=0.5, cost=0.01) for number, (x, s) in enumerate(trials)]
    cost = ([log(usd) for usd in costs * 2], [0.5] * 6)
    accuracy = ([0.0] * 6, [0.1] * 6)
    wanted = problem(2, FRACTIONS, maximize="accuracy", subject_to="cost <= 1")
    believed = written(wanted, {"accuracy": accuracy, "cost": cost}, History(told))
    believed = replace(believed, learned=replace(believed.learned, related=related))
    return believed


@pytest.mark.parametrize(
    ("costs", "first"),
    [((0.1, 0.25, 1.0), 4), ((0.1, 0.4, 1.0), 3), ((0.5, 0.6, 1.0), FULL)],
    ids=["the largest that is cheap", "another is too dear", "a set-up makes all of them dear"],
)
def test_the_largest_cheap_slice_comes_first(costs: tuple[float, float, float], first: int) -> None:
    assert FirstSlice()(posterior(costs, (0, 0.1)), FULL) == first


def test_what_was_tried_on_any_slice_is_trusted() -> None:
    assert FirstSlice()(posterior((0.1, 0.25, 1.0), (0, 0.1), (1, 0.1)), FULL) == FULL


def test_related_configs_begin_where_they_were_chosen() -> None:
    assert FirstSlice()(posterior((0.1, 0.25, 1.0), (0, 0.1), related=True), FULL) == FULL


def test_what_is_being_tried_is_trusted_too() -> None:
    waiting = posterior((0.1, 0.25, 1.0), (0, 0.1)).assuming([({"x": 1}, 0.1)])
    assert FirstSlice()(waiting, FULL) == FULL


def test_the_smallest_slice_has_none_before_it() -> None:
    assert FirstSlice()(posterior((0.1, 0.25, 1.0), (0, 0.1)), 3) == 3
