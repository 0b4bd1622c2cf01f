"""The course of a training, event by event."""

import math

import pytest

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.record.course import Course
from tunewise.online.record.events import (
    Decided,
    Due,
    Event,
    Refused,
    Reported,
    Resumed,
    Saved,
    Switched,
)
from tunewise.online.time_left import cost
from tunewise.online.until import Until
from tunewise.space import Config, Ordinal, Space

SPACE = Space(Ordinal("workers", [0, 1, 2]))
ZERO, ONE, TWO = ({"workers": n} for n in (0, 1, 2))
STEP = Reported(Iteration(0.5, 2.0, 10.0))
SWITCH = Switched(frozenset({"workers"}), 3.0, 0.5)


def course(*events: Event, until: str = "samples >= 1000") -> Course:
    made = Course(
        SPACE, Until.of(until), ZERO, 5, lambda s: 1 + s["workers"], ReconfigurationCosts()
    )
    for event in events:
        made.apply(event)
    return made


def decided(setting: Config, iterations: int = 4) -> Decided:
    return Decided(setting, iterations, "why not", (9.0, 1.0), 8.0)


def test_reports_are_counted_under_the_setting_of_now() -> None:
    made = course(STEP, STEP)
    [segment] = made.segments
    assert (segment.setting, len(segment.iterations), segment.planned, segment.round) == (
        ZERO,
        2,
        5,
        1,
    )
    assert (made.iterations, made.seconds, made.watch.samples) == (2, 4.0, 20.0)
    assert made.before is None and not made.done


def test_a_decision_for_the_same_setting_only_plans_on() -> None:
    made = course(STEP, decided(ZERO, 9))
    assert len(made.segments) == 1 and made.segments[0].planned == 9
    assert not made.switching and not made.trying
    [believed] = made.believed
    assert (believed.at, believed.iteration, believed.setting) == (2.0, 1, ZERO)
    assert (believed.why, believed.left) == ("why not", (9.0, 1.0))
    assert [(each.at, each.left) for each in made.forecasts] == [(2.0, 8.0)]


def test_a_decision_without_a_forecast_keeps_none() -> None:
    assert course(STEP, Decided(ZERO, 9)).forecasts == []


def test_a_switch_begins_a_segment_and_its_cost_is_learned_with_what_stood_idle() -> None:
    made = course(STEP, STEP, decided(TWO))
    assert made.switching and made.trying and made.setting == TWO
    assert made.segments[-1].kinds == {"workers"}
    assert (made.segments[-1].first, made.segments[-1].round) == (2, 3)
    made.apply(SWITCH)
    assert not made.switching and made.trying
    assert made.segments[-1].reconfiguration == 3.0
    assert made.seconds == 7.0
    assert made.costs.expected(ZERO, ONE) == pytest.approx(3.5)


def test_a_setting_that_gets_more_iterations_than_its_try_has_come_through() -> None:
    made = course(STEP, decided(ONE, 4), SWITCH, STEP)
    made.apply(decided(ONE, 4))
    assert made.trying
    made.apply(decided(ONE, 5))
    assert not made.trying
    made.apply(decided(ZERO, 4))
    assert not made.trying  # it has worked before


def test_what_ended_late_belongs_to_the_setting_of_before() -> None:
    late = Reported(Iteration(0.4, 1.0, 10.0), earlier=True)
    made = course(STEP, decided(ONE), late)
    assert [len(each.iterations) for each in made.segments] == [2, 0]
    assert [each.late for each in made.segments] == [1, 0]
    assert made.seconds == 3.0
    made.apply(SWITCH)
    made.apply(STEP)
    assert [each.first for each in made.segments] == [0, 2], "it begins after them"
    alone = course(late)
    assert [(len(each.iterations), each.late) for each in alone.segments] == [(1, 1)]


def test_a_setting_that_fails_at_once_leaves_the_one_of_before_at_work() -> None:
    made = course(STEP, STEP, decided(ONE), Refused("no node\nat all"))
    assert made.setting == ZERO and len(made.segments) == 1
    assert made.segments[0].planned == 2 + 5
    assert not made.switching and not made.trying
    assert made.refused == {SPACE.key(ONE)}
    assert made.believed[-1].why == "workers=1 failed: no node"
    assert made.believed[-1].setting == ZERO and made.believed[-1].left is None


def test_a_setting_that_fails_later_keeps_what_it_took_as_part_of_the_course() -> None:
    made = course(STEP, decided(ONE), SWITCH, STEP, Refused(" "))
    assert [each.setting for each in made.segments] == [ZERO, ONE, ZERO]
    assert made.segments[-1].planned == 5 and made.segments[-1].kinds == frozenset()
    assert made.believed[-1].why == "workers=1 failed: no reason was told"
    assert made.seconds == 7.0


def test_the_way_back_leads_to_the_last_that_worked_and_was_not_refused() -> None:
    made = course(STEP, decided(ONE), SWITCH, STEP, decided(TWO), SWITCH, STEP)
    assert made.before is not None and made.before.setting == ONE
    made.apply(Refused("broke"))
    assert made.setting == ONE
    made.apply(STEP)
    made.apply(Refused("broke too"))
    assert made.setting == ZERO
    assert made.before is None


def test_after_a_crash_samples_count_from_the_last_checkpoint_and_time_goes_on() -> None:
    made = course(STEP, STEP, Saved(), STEP, Resumed())
    assert made.watch.samples == 20.0 and math.isnan(made.watch.loss)
    assert made.seconds == 6.0 and made.iterations == 3
    assert [len(each.iterations) for each in made.segments] == [3, 0]
    assert made.setting == ZERO and made.segments[-1].planned == 5
    made.apply(Resumed())
    assert len(made.segments) == 2
    assert not course(STEP, decided(ONE), Resumed()).switching


def test_after_a_crash_without_a_checkpoint_samples_count_from_0() -> None:
    made = course(STEP, STEP, Resumed(0.0), STEP)
    assert made.watch.samples == 10.0 and made.seconds == 6.0 and made.iterations == 3
    made = course(STEP, Saved(), STEP, Resumed(0.0))
    assert made.watch.samples == 0.0 and made.saved is None, "it is gone"
    assert course(STEP, Resumed()).watch.samples == 10.0, "as it was in older stores"


def test_what_is_left_of_a_plan_is_left_after_a_crash() -> None:
    made = course(*[STEP] * 12, decided(ZERO, 30), Resumed(0.0))
    assert made.segments[-1].planned == 18
    made.apply(STEP)
    made.apply(decided(ZERO, 3))
    made.apply(Resumed(0.0))
    assert made.segments[-1].planned == 3, "no fewer than were asked for at once"


def test_seconds_of_two_switches_to_one_setting_are_all_paid() -> None:
    made = course(STEP, decided(ONE), SWITCH, SWITCH)
    assert cost(made.segments, lambda _: 3600.0) == pytest.approx(made.seconds)


def test_a_deadline_may_be_set_and_lifted() -> None:
    made = course(Due(60.0))
    assert made.deadline == 60.0
    made.apply(Due(None))
    assert made.deadline is None


def test_a_situation_is_what_has_happened_so_far() -> None:
    made = course(STEP, decided(ONE), SWITCH, STEP)
    now = made.situation()
    assert (now.loss, now.samples, now.seconds) == (0.5, 20.0, 7.0)
    assert now.segments == made.segments and now.refused == frozenset()


def test_what_went_by_costs_its_price_while_training_stood_still_too() -> None:
    made = course(STEP, decided(ONE), SWITCH, STEP, STEP)
    usd = cost(made.segments, lambda setting: 3600.0 * (1 + setting["workers"]))
    assert usd == pytest.approx(2.0 * 1 + (3.0 + 4.0) * 2)


def test_a_setting_that_is_no_try_does_not_become_one_by_fewer_iterations() -> None:
    assert not course(STEP, decided(ZERO, 3)).trying


def test_a_setting_that_never_ran_is_no_way_back() -> None:
    made = course(STEP, decided(ONE), decided(TWO))
    assert made.before is not None and made.before.setting == ZERO


def test_where_nothing_has_run_yet_the_first_setting_is_gone_back_to() -> None:
    made = course(decided(ONE), Refused("no node"))
    assert made.setting == ZERO and made.refused == {SPACE.key(ONE)}
