"""How long tries may take, and what has to lie between them."""

from dataclasses import replace

import numpy as np
import pytest

from tunewise.online.managers.manager import Situation
from tunewise.online.managers.pace import PaceManager
from tunewise.online.reconfigurable import Iteration
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


def test_a_try_that_did_not_win_is_made_up_for_before_the_next() -> None:
    """Four times the seconds that it lost."""
    won = situation((1, 1.0, 10), (2, 0.5, 40), (3, 1.0, 10), (2, 0.5, 4))
    belief = SPEED.belief(won)
    owed = SPEED._owed(belief, {"workers": 2}, 100.0, won)
    assert owed == pytest.approx(4 * 10 * 0.5 - 2.0, rel=0.2)
    rested = situation((1, 1.0, 10), (2, 0.5, 40), (3, 1.0, 10), (2, 0.5, 60))
    assert SPEED._owed(SPEED.belief(rested), {"workers": 2}, 100.0, rested) < 0


def test_while_the_first_setting_is_the_best_tries_lose_a_twentieth_of_the_whole_at_most() -> None:
    first = situation((2, 0.5, 40), (3, 1.0, 10), (2, 0.5, 4))
    belief, seconds = SPEED.belief(first), 40 * 0.5 + 10 * 1.0 + 4 * 0.5
    # The try lost half of its ten seconds, a twentieth of a hundred.
    for left in (200.0, 20.0):
        owed = SPEED._owed(belief, {"workers": 2}, left, first)
        assert owed == pytest.approx(5.0 / 0.05 - seconds - left, abs=25)
        assert (owed > 0) == (left < 100)


def test_a_setting_as_good_as_the_first_has_won_nothing_that_tries_may_lose() -> None:
    alike = situation((2, 0.5, 40), (3, 1.0, 10), (1, 0.5, 40))
    twice = situation((2, 1.0, 40), (3, 1.0, 10), (1, 0.5, 40))
    assert SPEED._owed(SPEED.belief(alike), {"workers": 1}, 20.0, alike) > 0
    assert SPEED._owed(SPEED.belief(twice), {"workers": 1}, 20.0, twice) <= 0


def test_no_try_may_take_longer_than_the_first_or_a_share_of_all() -> None:
    young = situation((1, 1.0, 10), (2, 0.5, 10))
    assert SPEED._allowed(young) == pytest.approx(1.5 * 10)
    old = situation((1, 1.0, 10), (2, 0.5, 2000))
    assert SPEED._allowed(old) == pytest.approx(0.05 * 1010)


def test_what_is_hardly_known_does_not_take_the_place_of_what_ran_longest() -> None:
    loss = PaceManager(WORKERS, Until(loss=0.1))
    rng = np.random.default_rng(0)
    noisy = [Iteration(0.5 - 1e-4 * i + 0.01 * rng.standard_normal(), 1.0, 1.0) for i in range(400)]
    steep = [Iteration(0.46 - 4e-4 * i + 0.01 * rng.standard_normal(), 1.0, 1.0) for i in range(20)]
    settings: list[Config] = [{"workers": 1}, {"workers": 2}]
    segments = [Segment(settings[0], iterations=noisy), Segment(settings[1], iterations=steep)]
    now = Situation(segments, 0.45, 420.0, 420.0)
    assert loss._best(loss.belief(now), settings, now) == settings[0]
