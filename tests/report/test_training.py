"""What a training's page shows, as data."""

import math

import numpy as np
import pytest

from tunewise.online import Iteration, Tuner
from tunewise.online.record.events import Decided, Reported, Switched
from tunewise.report.training.charts import draw_outcomes
from tunewise.report.training.course import (
    Outcome,
    _range,
    expected_cost,
    losses,
    outcomes,
    stretches,
)
from tunewise.space import Ordinal, Space

SPACE = Space(Ordinal("workers", [0, 1]))


def followed(*losses: float, until: str = "samples >= 1000") -> Tuner:
    """Two settings, one after the other: the second from the third iteration on."""
    tuner = Tuner(SPACE, until, default={"workers": 0})
    course = tuner.course
    for number, loss in enumerate(losses):
        if number == 2:
            course.apply(Decided({"workers": 1}, 5, "why", (10.0, 5.0)))
            course.apply(Switched(frozenset({"workers"}), 3.0))
        course.apply(Reported(Iteration(loss, 1.0 + number, 10.0)))
    tuner.done = course.done
    return tuner


def test_losses_are_placed_after_the_seconds_that_switches_took() -> None:
    found = losses(followed(0.9, 0.8, math.nan, 0.6))
    # Seconds of 1 and 2, a switch of 3, then 3 (without a loss) and 4.
    assert found.at.tolist() == pytest.approx([1.0, 3.0, 13.0])
    assert found.loss.tolist() == [0.9, 0.8, 0.6]


def test_many_losses_are_thinned_to_means() -> None:
    many = np.linspace(1.0, 0.0, 1801).tolist()
    found = losses(followed(*many))
    assert len(found.at) == len(found.loss) == 600
    assert found.loss.mean() == pytest.approx(np.mean(many), abs=1e-3)
    assert (np.diff(found.at) > 0).all() and (np.diff(found.loss) < 0).all()
    assert len(losses(followed(*many[:600])).at) == 600


def test_a_stretch_begins_with_its_switch_and_those_that_never_ran_are_left_out() -> None:
    tuner = followed(0.9, 0.8, 0.7, 0.6)
    tuner.course.apply(Decided({"workers": 0}, 5))
    first, second = stretches(tuner)
    assert (first.setting, first.begin, first.end) == ({"workers": 0}, 0.0, 3.0)
    assert (second.setting, second.begin, second.end) == ({"workers": 1}, 3.0, 13.0)
    assert (second.iterations, second.reconfiguration, second.loss) == (2, 3.0, 0.6)


def test_a_belief_is_compared_with_what_came_true_once_all_is_done() -> None:
    [unknown] = outcomes(followed(0.9, 0.8, 0.7))
    assert unknown.true is None and unknown.held is None
    assert unknown.low < 10.0 < unknown.high
    [known] = outcomes(followed(0.9, 0.8, 0.7, 0.6, until="samples >= 40"))
    # Of 13 seconds, 3 were over when it was decided.
    assert known.true == pytest.approx(10.0) and known.held
    believed = known.believed
    assert not Outcome(believed, 11.0, 20.0, 10.0).held
    assert Outcome(believed, 10.0, 20.0, 10.0).held and Outcome(believed, 1.0, 10.0, 10.0).held


def test_the_range_of_a_belief_holds_four_of_five_draws_of_its_log_normal() -> None:
    low, high = _range(10.0, 5.0)
    variance = math.log1p(0.25)
    middle = math.log(10.0) - variance / 2
    draws = np.exp(np.random.default_rng(0).normal(middle, math.sqrt(variance), 20_000))
    assert draws.mean() == pytest.approx(10.0, rel=0.02)
    assert (draws < low).mean() == pytest.approx(0.1, abs=0.01)
    assert (draws > high).mean() == pytest.approx(0.1, abs=0.01)
    assert _range(10.0, 0.0) == pytest.approx((10.0, 10.0))
    assert _range(0.0, 1.0) == (0.0, 0.0)


def test_what_a_training_costs_in_all_is_what_it_cost_once_it_is_done() -> None:
    done = followed(0.9, 0.8, 0.7, 0.6, until="samples >= 40")
    cost = expected_cost(done, lambda setting: 3600.0 * (1 + setting["workers"]))
    assert cost == pytest.approx((3.0 + 2 * 10.0, 3.0 + 2 * 10.0))
    assert expected_cost(done, None) is None


def test_beliefs_are_drawn_with_their_range_in_a_readable_unit() -> None:
    [told] = outcomes(followed(0.9, 0.8, 0.7, 0.6, until="samples >= 40"))
    hours = Outcome(told.believed, 3600.0, 4 * 3600.0, 7200.0)
    believed, true = draw_outcomes([hours]).data
    assert list(believed.y) == pytest.approx([2.0])
    assert list(believed.error_y.array) == pytest.approx([2.0])
    assert list(believed.error_y.arrayminus) == pytest.approx([1.0])
    assert list(true.y) == pytest.approx([2.0])
    assert believed.hovertext[0] == "1 h to 4 h left"
