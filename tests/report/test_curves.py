from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.studies import maximising, measured, mixed, told
from tunewise.history import Failure, History
from tunewise.report.charts.curves import best_so_far, draw_best_so_far


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
