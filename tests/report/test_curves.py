from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.studies import maximising, measured, mixed, told
from tunewise.history import Failure, History, Measurement
from tunewise.report.charts.curves import Effort, best_so_far, draw_best_so_far, in_order_told


def test_only_feasible_trials_on_the_deployed_fraction_make_steps() -> None:
    curve = best_so_far(maximising(), mixed(), "trials")
    assert [(p.number, p.y) for p in curve.steps] == [(1, 0.80), (4, 0.90)]


def test_every_ended_trial_adds_to_the_booked_cost() -> None:
    curve = best_so_far(maximising(), mixed(), "cost")
    assert [p.x for p in curve.steps] == pytest.approx([0.011, 0.063])
    assert curve.end == pytest.approx(mixed().spent["cost"])


def test_every_ended_trial_adds_to_the_booked_time() -> None:
    curve = best_so_far(maximising(), mixed(), "time")
    assert [p.x for p in curve.steps] == pytest.approx([120.0, 245.0])


def test_trials_that_break_a_limit_are_points_and_never_steps() -> None:
    curve = best_so_far(maximising(), mixed(), "trials")
    assert [p.number for p in curve.points if not p.keeps] == [2]


def test_where_the_fraction_is_part_of_the_answer_all_fractions_count() -> None:
    curve = best_so_far(maximising(deploy="any"), mixed(), "trials")
    assert [p.number for p in curve.steps] == [0]


def test_the_best_of_a_minimised_objective_falls() -> None:
    problem = maximising(maximize=None, minimize="cost", subject_to=["accuracy >= 0.82"])
    curve = best_so_far(problem, mixed(), "trials")
    assert [(p.number, p.y) for p in curve.steps] == [(2, 0.03), (4, 0.02), (5, 0.015)]


def test_steps_follow_the_order_in_which_outcomes_came() -> None:
    late = replace(measured(0, 0.9, 0.01), told_at=20.0)
    early = replace(measured(1, 0.8, 0.01), told_at=10.0)
    curve = best_so_far(maximising(), History([late, early]), "trials")
    assert [(p.number, p.x) for p in curve.steps] == [(1, 1.0), (0, 2.0)]


@pytest.mark.parametrize("history", [History(), History([told(0, Failure("no"))])])
def test_without_a_measurement_the_curve_is_empty_and_still_drawn(history: History) -> None:
    curve = best_so_far(maximising(), history, "cost")
    assert curve.steps == curve.points == ()
    assert len(draw_best_so_far(curve).data) == 0


def test_the_drawn_line_is_level_up_to_all_that_was_spent() -> None:
    curve = best_so_far(maximising(), mixed(), "cost")
    line = next(t for t in draw_best_so_far(curve).data if t.name == "best so far")
    assert line.x[-1] == pytest.approx(curve.end)
    assert line.y[-1] == line.y[-2] == 0.90


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.04)), max_size=30), st.booleans())
def test_the_curve_only_gets_better_and_ends_at_the_best_feasible_value(
    values: list[tuple[float, float]], maximise: bool
) -> None:
    direction = {"maximize": "accuracy"} if maximise else {"maximize": None, "minimize": "accuracy"}
    problem = maximising(**direction)
    history = History(measured(i, a, c) for i, (a, c) in enumerate(values))
    steps = best_so_far(problem, history, "trials").steps
    assert all(problem.better(b.y, a.y) for a, b in zip(steps, steps[1:], strict=False))
    feasible = [a for a, c in values if c <= 0.02]
    expected = (max if maximise else min)(feasible, default=None)
    assert (steps[-1].y if steps else None) == expected


def traces(effort: Effort) -> dict[str, Any]:
    drawn = draw_best_so_far(best_so_far(maximising(), mixed(), effort))
    return {trace.name: trace for trace in drawn.data}


def test_trials_that_did_not_better_the_best_are_dots_apart_from_those_that_break_a_limit() -> None:
    drawn = traces("trials")
    assert list(drawn["other trials"].customdata) == [5]
    assert list(drawn["breaks a limit"].customdata) == [2]
    stairs = drawn["best so far"]
    assert list(stairs.customdata) == [1, 4, None]
    assert list(stairs.marker.size) == [9, 9, 0]
    # Seven trials ended; one was preempted and comes again, and one is still running.
    assert list(stairs.x) == [2.0, 5.0, 7.0]


@pytest.mark.parametrize(
    ("effort", "title", "after"),
    [
        ("cost", "Booked cost (USD)", "0.011 USD"),
        ("time", "Booked time (min)", "2 m"),
        ("trials", "Trials ended", "2 trials"),
    ],
)
def test_hovering_tells_what_had_been_spent_by_then(effort: Effort, title: str, after: str) -> None:
    stairs = traces(effort)["best so far"]
    assert stairs.hovertext[0] == f"trial 1: accuracy 0.8, after {after}"
    assert stairs.hovertext[-1] == ""
    layout = draw_best_so_far(best_so_far(maximising(), mixed(), effort)).layout
    assert layout.xaxis.title.text == title


def test_what_was_spent_is_drawn_from_nothing_in_the_unit_of_its_axis() -> None:
    curve = best_so_far(maximising(), mixed(), "time")
    drawn = draw_best_so_far(curve)
    # 316 seconds in all: five of a minute, one of five, two and nine seconds.
    assert list(drawn.layout.xaxis.range) == pytest.approx([0.0, 1.02 * 316 / 60])
    assert list(traces("time")["best so far"].x) == pytest.approx([2.0, 245 / 60, 316 / 60])


def test_where_nothing_was_spent_the_axis_finds_its_own_range() -> None:
    free = History([told(0, Measurement({"accuracy": 0.5, "cost": 0.0}))])
    assert draw_best_so_far(best_so_far(maximising(), free, "cost")).layout.xaxis.range is None


def test_without_clocks_outcomes_count_in_the_order_of_their_numbers() -> None:
    timed = replace(measured(0, 0.9, 0.01), told_at=20.0)
    history = History([timed, measured(1, 0.95, 0.01), told(2, None)])
    assert [trial.number for trial in in_order_told(history)] == [0, 1]


def test_outcomes_of_one_moment_count_in_the_order_of_their_numbers() -> None:
    same = [replace(measured(i, 0.9, 0.01), told_at=5.0) for i in (2, 0, 1)]
    assert [trial.number for trial in in_order_told(History(same))] == [0, 1, 2]
