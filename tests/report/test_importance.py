import math
from typing import Any

import numpy as np
import pytest

from tests.report.studies import many, maximising, measured
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.report.charts.importance import (
    FEWEST,
    GROUPS,
    Importance,
    _explained,
    _groups,
    _ranks_within,
    draw_importance,
    importance,
)
from tunewise.report.layout import theme
from tunewise.space import Choice, Parameter, Real, Space


def test_the_parameter_that_decides_explains_most_even_if_not_monotone() -> None:
    found = importance(maximising(), many(120))
    assert found[0].parameter == "rate"
    assert found[0].clear
    assert found[0].share > 0.7


@pytest.mark.parametrize("seed", range(5))
def test_a_peak_in_the_middle_shows_with_few_trials(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = (np.arange(12) + rng.random(12)) / 12
    trials = [
        measured(i, 0.9 - abs(x - 0.4), 0.01, rate=10 ** (4 * float(x) - 5), layers=1 + i % 4)
        for i, x in enumerate(rng.permutation(rates))
    ]
    found = importance(maximising(), History(trials))
    assert found[0].parameter == "rate"
    assert found[0].clear and found[0].share > 0.4


@pytest.mark.parametrize("seed", range(3))
def test_parameters_without_effect_explain_next_to_nothing(seed: int) -> None:
    for other in importance(maximising(), many(200, seed))[1:]:
        assert other.share < 0.08


def test_chance_is_taken_off_and_called_clear_in_about_one_of_twenty() -> None:
    rng = np.random.default_rng(1)
    clear = 0
    shares = []
    for _ in range(50):
        trials = [
            measured(i, float(a), 0.01, rate=float(10 ** rng.uniform(-5, -1)), layers=1 + i % 4)
            for i, a in enumerate(rng.random(40))
        ]
        found = {i.parameter: i for i in importance(maximising(), History(trials))}
        clear += found["rate"].clear + found["layers"].clear
        shares.append(found["rate"].share)
        assert 0.1 < found["rate"].chance < 0.3
    assert clear <= 14
    assert np.mean(shares) < 0.08


def test_more_data_is_not_mistaken_for_a_better_config() -> None:
    # The fraction alone decides, and one vm was tried on small fractions only.
    trials = [
        measured(i, 0.5 if small else 0.9, 0.01, fraction=0.1 if small else 1.0,
                 vm="small" if small else "large")
        for i, small in enumerate([True, False] * 20)
    ]  # fmt: skip
    assert all(i.share == 0 for i in importance(maximising(), History(trials)))


def test_too_few_trials_say_nothing() -> None:
    assert importance(maximising(), many(FEWEST - 1)) == ()
    assert len(importance(maximising(), many(FEWEST))) == 4


def test_the_same_history_gives_the_same_answer() -> None:
    assert importance(maximising(), many(30)) == importance(maximising(), many(30))


def test_equal_objectives_explain_nothing() -> None:
    history = History(measured(i, 0.9, 0.01, layers=1 + i % 4) for i in range(20))
    assert all(i.share == 0 and not i.clear for i in importance(maximising(), history))


def test_shares_lie_between_none_and_all() -> None:
    exact = History(measured(i, (1 + i % 4) / 10, 0.01, layers=1 + i % 4) for i in range(40))
    found = {i.parameter: i for i in importance(maximising(), exact)}
    assert math.isclose(found["layers"].share, 1.0)
    assert all(0 <= i.share <= 1 for i in found.values())


def test_bars_are_drawn_with_the_longest_on_top() -> None:
    drawn = draw_importance(importance(maximising(), many(60)))
    assert list(drawn.data[0].x) == sorted(drawn.data[0].x)
    assert drawn.layout.yaxis.ticktext[-1] == "rate"


def groups_of(parameter: Parameter, values: list[Any]) -> list[int]:
    return [int(group) for group in _groups(parameter, values)]


def test_numbers_are_grouped_in_bins_of_equally_many_trials() -> None:
    rate = Real("rate", 0.0, 1.0)
    # Twelve trials in groups of three; how far apart they are does not matter.
    values = [0.9, 0.01, 0.02, 0.03, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.91, 0.92]
    assert groups_of(rate, values) == [3, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert max(groups_of(rate, [i / 100 for i in range(100)])) == GROUPS - 1
    # With as few different values as there may be groups, each is one.
    assert groups_of(rate, [0.5, 0.1, 0.5, 0.9]) == [0, 1, 0, 2]


def test_names_are_groups_and_true_is_not_one() -> None:
    assert groups_of(Choice("a", ["x", "y"]), ["y", "x", "y"]) == [0, 1, 0]
    assert groups_of(Choice("a", [0, 1]), [1, True, 1]) == [0, 1, 0]
    absent = Real("rate", 0.0, 1.0)
    assert groups_of(absent, [None, 0.5, None]) == [0, 1, 0]


def test_ranks_are_shared_among_equals_and_taken_within_a_fraction() -> None:
    values, fractions = np.array([1.0, 3.0, 3.0, 9.0]), np.array([0.5, 1.0, 1.0, 0.5])
    # On half of the data the ranks 1 and 2 of 2; on all of it twice 1.5 of 2.
    assert _ranks_within(values, fractions) == pytest.approx([-0.25, 0.0, 0.0, 0.25])
    whole = _ranks_within(values, np.ones(4))
    assert whole == pytest.approx(np.array([1, 2.5, 2.5, 4]) / 4 - 2.5 / 4)


def test_what_is_explained_is_the_variance_between_groups() -> None:
    # Means of 1 and 5 around 3: between them 4 * 4 of a total of 20.
    rows = np.array([[0.0, 2.0, 4.0, 6.0]])
    assert _explained(rows, np.array([0, 0, 1, 1])) == pytest.approx([16 / 20])
    # A group that nobody is in changes nothing.
    assert _explained(rows, np.array([0, 0, 2, 2])) == pytest.approx([16 / 20])
    assert _explained(np.ones((1, 4)), np.array([0, 0, 1, 1])) == pytest.approx([0.0])


def test_a_conditional_parameter_is_judged_by_the_trials_it_applies_to() -> None:
    space = Space(Choice("kind", ["a", "b"]), Choice("mode", ["x", "y"], when={"kind": "a"}))
    problem = Problem(space, maximize="accuracy")

    def trial(number: int, kind: str, mode: str | None, accuracy: float) -> Trial:
        config = {"kind": kind} if mode is None else {"kind": kind, "mode": mode}
        return Trial(number, config).told(Measurement({"accuracy": accuracy}))

    few = [trial(i, "b", None, 0.1) for i in range(20)]
    ten = [trial(20 + i, "a", "xy"[i % 2], 0.5 + 0.1 * (i % 2)) for i in range(10)]
    found = {each.parameter: each for each in importance(problem, History([*few, *ten]))}
    assert found["mode"].share == pytest.approx(1.0) and found["mode"].clear
    nine = {each.parameter: each for each in importance(problem, History([*few, *ten[1:]]))}
    assert (nine["mode"].share, nine["mode"].clear) == (0.0, False)


def test_bars_that_chance_could_explain_are_pale_and_say_so() -> None:
    found = (Importance("rate", 0.8, 0.1, True), Importance("<b>", 0.05, 0.04, False))
    drawn = draw_importance(found)
    [bars] = drawn.data
    assert list(bars.text) == ["not clear", "80 %"]
    assert list(bars.marker.color) == [theme.colour("line"), theme.colour("keeps")]
    assert list(bars.hovertext) == [
        "&lt;b&gt;: 5 % of the differences (chance could explain this); shuffled results explain"
        " 4 %",
        "rate: 80 % of the differences; shuffled results explain 10 %",
    ]


@pytest.mark.parametrize(("top", "end"), [(0.0, 0.1), (0.4, 0.5), (0.99, 1.18)])
def test_the_axis_of_bars_has_room_for_their_text(top: float, end: float) -> None:
    drawn = draw_importance((Importance("rate", top, 0.0, True),))
    assert list(drawn.layout.xaxis.range) == pytest.approx([0, end])
