"""What a training decides with more than its first impression."""

from collections.abc import Callable
from typing import Any

import pytest

from tunewise.online import Tuner
from tunewise.online.managers.pace import PaceManager
from tunewise.space import Config, Ordinal, Space

SPACE = Space(Ordinal("workers", [4, 2, 1]))


def trained(
    tuner: Tuner, now: list[float], seconds: Callable[[Config, int], float], switch: float = 0.0
) -> Tuner:
    """Train to the end on a clock that is a number; `seconds` by setting and its iteration."""
    ran: dict[int, int] = {}
    for setting in tuner:
        now[0] += switch
        while not tuner.changed:
            workers = int(setting["workers"])
            ran[workers] = ran.get(workers, 0) + 1
            now[0] += seconds(setting, ran[workers])
            tuner.report(samples=1)
    return tuner


@pytest.mark.parametrize(("quick", "unlucky"), [(0.7, 1.6), (0.8, 1.4), (0.85, 1.3)])
def test_a_setting_whose_first_iterations_were_slow_by_chance_gets_its_place(
    quick: float, unlucky: float
) -> None:
    now = [0.0]
    tuner = Tuner(SPACE, "samples >= 3000", clock=lambda: now[0], transfer=False)

    def seconds(setting: Config, number: int) -> float:
        swing = 1 + 0.15 * (-1) ** number
        if setting["workers"] == 2:
            return quick * (unlucky if number <= 5 else swing)
        return float({4: 1.0, 1: 0.95}[int(setting["workers"])] * swing)

    trained(tuner, now, seconds)
    under = sum(each.iterations for each in tuner.switches if each.setting["workers"] == 2)
    assert under > 2700


@pytest.mark.parametrize("deadline", [203, 207, 211])
def test_a_deadline_that_only_the_dearest_setting_keeps_is_kept(deadline: float) -> None:
    now = [0.0]
    prices = {4: 4.0, 2: 1.0, 1: 0.2}
    tuner = Tuner(
        SPACE,
        "samples >= 2000",
        price=lambda setting: prices[int(setting["workers"])],
        deadline=deadline,
        clock=lambda: now[0],
        transfer=False,
    )
    taken = {4: 0.1, 2: 0.15, 1: 0.4}
    trained(tuner, now, lambda setting, _: taken[int(setting["workers"])], switch=0.2)
    assert now[0] <= deadline


def test_what_was_thought_is_no_switch_where_seconds_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    decide = PaceManager.decide

    def slowly(*told: Any) -> Any:
        now[0] += 5.0
        return decide(*told)

    monkeypatch.setattr(PaceManager, "decide", slowly)
    tuner = Tuner(SPACE, "samples >= 300", clock=lambda: now[0], transfer=False)
    for setting in tuner:
        while not tuner.changed:
            seconds = 0.001 if setting["workers"] == 2 else 0.004
            now[0] += seconds
            tuner.report(samples=1, seconds=seconds)
    assert tuner.setting == {"workers": 2}
    assert all(each.reconfiguration < 0.001 for each in tuner.switches)


def test_a_setting_that_turns_slow_later_is_left() -> None:
    now = [0.0]
    tuner = Tuner(SPACE, "samples >= 2000", clock=lambda: now[0], transfer=False)

    def seconds(setting: Config, _: int) -> float:
        early = tuner.iterations < 200
        return (1 if setting["workers"] == 4 else 0.5 if early else 1.6) * 0.1

    trained(tuner, now, seconds)
    assert tuner.setting == {"workers": 4}
    assert now[0] < 1.1 * 200
