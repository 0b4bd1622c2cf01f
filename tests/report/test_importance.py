import math

import numpy as np
import pytest

from tests.report.studies import many, maximising, measured
from tunewise.history import History
from tunewise.report.charts.importance import FEWEST, draw_importance, importance


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
