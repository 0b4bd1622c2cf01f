"""What tries may cost in all, and what takes the place of the first setting."""

from dataclasses import replace

import numpy as np
import pytest

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Situation
from tunewise.online.managers.pace import PaceManager
from tunewise.online.segment import Segment
from tunewise.online.until import Until
from tunewise.space import Config, Ordinal, Space


def situation(*stretches: tuple[int, float, int]) -> Situation:
    """Stretches of workers, seconds an iteration, and how many; the last one runs."""
    segments = [
        Segment({"workers": workers}, iterations=[Iteration(1.0, seconds, 1.0)] * count)
        for workers, seconds, count in stretches
    ]
    taken = sum(float(each.seconds.sum()) for each in segments)
    return Situation(segments, 1.0, 0.0, taken)


WORKERS = Space(Ordinal("workers", [1, 2, 3]))
SPEED = PaceManager(WORKERS, Until(samples=1000.0))


def test_a_try_that_is_faster_than_all_others_is_not_looked_at_before_its_end() -> None:
    assert SPEED.due(situation((1, 0.1, 10), (2, 0.2, 2)))
    assert not SPEED.due(situation((1, 0.1, 10), (2, 0.05, 2)))
    priced = replace(SPEED, price=lambda setting: 10.0 ** setting["workers"])
    assert priced.due(situation((1, 0.1, 10), (2, 0.05, 2)))


def switched(first: tuple[int, float, int], *stretches: tuple[int, float, int]) -> Situation:
    """Stretches after switches of three seconds each."""
    now = situation(first, *stretches)
    for each in now.segments[1:]:
        each.reconfiguration, each.kinds = 3.0, frozenset({"workers"})
    return replace(now, seconds=now.seconds + 3.0 * len(stretches))


def costs(seconds: float) -> ReconfigurationCosts:
    known = ReconfigurationCosts()
    known.learn(frozenset({"workers"}), seconds)
    return known


@pytest.mark.parametrize(("left", "tries"), [(1000.0, True), (50.0, False)])
def test_nothing_is_tried_where_that_may_cost_more_than_a_twentieth_of_the_training(
    left: float, tries: bool
) -> None:
    begun = situation((1, 1.0, 20))
    begun.running.planned = 20
    manager = PaceManager(WORKERS, Until(samples=left))
    setting = manager.decide(begun, costs(3.0)).setting
    assert (setting != {"workers": 1}) == tries
    free = replace(manager, tries=1.0)
    assert free.decide(begun, costs(3.0)).setting != {"workers": 1}


def test_what_tries_have_cost_is_not_there_to_be_spent_again() -> None:
    manager = PaceManager(WORKERS, Until(samples=400.0), tries=0.04)
    for stretches, tries in (
        (((1, 1.0, 20),), True),
        (((1, 1.0, 20), (2, 2.0, 5), (1, 1.0, 5)), False),
    ):
        now = switched(*stretches)
        now.running.planned = len(now.running.iterations)
        assert (manager.decide(now, costs(3.0)).setting != {"workers": 1}) == tries


def test_a_try_that_lost_goes_on_with_the_next_one_where_there_is_room() -> None:
    now = switched((2, 1.0, 20), (1, 4.0, 4))
    now.running.planned = 10
    decided = PaceManager(WORKERS, Until(samples=1e6)).decide(now, costs(3.0))
    assert decided.setting == {"workers": 3}


def test_what_is_hardly_known_does_not_take_the_place_of_the_first() -> None:
    loss = PaceManager(WORKERS, Until(loss=0.1))
    rng = np.random.default_rng(0)
    noisy = [Iteration(0.5 - 1e-4 * i + 0.01 * rng.standard_normal(), 1.0, 1.0) for i in range(400)]
    steep = [Iteration(0.46 - 4e-4 * i + 0.01 * rng.standard_normal(), 1.0, 1.0) for i in range(20)]
    settings: list[Config] = [{"workers": 1}, {"workers": 2}]
    segments = [Segment(settings[0], iterations=noisy), Segment(settings[1], iterations=steep)]
    now = Situation(segments, 0.45, 420.0, 420.0)
    assert loss._best(loss.belief(now), settings, now) == settings[0]


def test_a_setting_that_is_not_surely_ahead_gives_the_first_one_its_place_back() -> None:
    rng = np.random.default_rng(0)
    segments = [
        Segment({"workers": workers}, iterations=[Iteration(1.0, each, 1.0) for each in seconds])
        for workers, seconds in ((1, rng.normal(1.0, 0.15, 20)), (2, rng.normal(0.99, 0.15, 60)))
    ]
    segments[1].planned = 60
    taken = sum(float(each.seconds.sum()) for each in segments)
    now = Situation(segments, 1.0, 80.0, taken)
    two = PaceManager(Space(Ordinal("workers", [1, 2])), Until(samples=200.0))
    assert two.decide(now, costs(0.0)).setting == {"workers": 1}
