"""What a history says of a problem: its best, its front, its bounds, and whether it is noisy."""

from typing import Any

import pytest

import tunewise as tw
from tunewise.history import Cancelled, History, Measurement, Outcome, TimedOut, Trial
from tunewise.history.repeats import differs, noisy, repeated

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4, 8]))


def problem(**more: Any) -> tw.Problem:
    return tw.Problem(SPACE, **{"maximize": "accuracy", "fractions": (0.1, 1.0), **more})


def told(*rows: tuple[int, float, Outcome]) -> History:
    trials = (Trial(i, {"width": w}, s).told(outcome) for i, (w, s, outcome) in enumerate(rows))
    return History(list(trials))


def measured(
    accuracy: float, cost: float = 1.0, deviations: dict[str, float] | None = None
) -> Measurement:
    return Measurement({"accuracy": accuracy, "cost": cost}, deviations=deviations or {})


TOLD = told(
    (1, 1.0, measured(0.7, 1.0)),
    (2, 1.0, measured(0.9, 3.0)),
    (4, 1.0, measured(0.8, 2.0)),
    (8, 0.1, measured(0.95, 0.5)),
    (4, 0.1, TimedOut("late", {"cost": 9.0})),
)


def test_the_best_keeps_the_limits_and_may_be_deployed() -> None:
    def best(**more: Any) -> int:
        found = TOLD.best(problem(**more))
        assert found is not None
        return found.number

    assert best() == 1
    assert best(subject_to=["cost <= 2"]) == 2
    assert best(deploy="any") == 3
    assert best(maximize=None, minimize="cost") == 0
    assert TOLD.best(problem(subject_to=["accuracy >= 0.99"])) is None


def test_the_front_has_what_nothing_dominates_the_first_objective_first() -> None:
    both = problem(maximize=["accuracy"], minimize=["cost"])
    assert [trial.number for trial in TOLD.front(both)] == [1, 2, 0]
    worse = History([*TOLD, Trial(9, {"width": 8}).told(measured(0.8, 2.5))])
    assert [trial.number for trial in worse.front(both)] == [1, 2, 0]
    twice = told((1, 1.0, measured(0.7)), (2, 1.0, measured(0.7)))
    assert [trial.number for trial in twice.front(both)] == [0]


def test_a_smaller_problem_keeps_its_trials_and_pays_for_the_others() -> None:
    narrow = problem(fractions=(1.0,))
    kept = TOLD.within(narrow)
    assert [trial.number for trial in kept] == [0, 1, 2]
    assert kept.spent == pytest.approx(TOLD.spent)
    assert TOLD.within(problem()) == TOLD
    assert TOLD.within(problem(fractions=(0.3, 1.0))).spent == pytest.approx(TOLD.spent)
    assert len(TOLD[3:].within(narrow)) == 0
    assert len(TOLD.within(problem(subject_to=["recall >= 0.5"], metrics=["recall"]))) == 1


def test_a_bound_is_the_longest_of_a_config_and_none_where_it_was_measured() -> None:
    late = [TimedOut("late", {"cost": usd}) for usd in (2.0, 5.0, 3.0)]
    bounds = told(*((1, 1.0, each) for each in late), (1, 0.1, late[0])).censored("cost")
    assert bounds.values.tolist() == [5.0, 2.0]
    assert bounds.fractions.tolist() == [1.0, 0.1]
    assert not len(told((1, 1.0, late[0]), (1, 1.0, measured(0.5))).censored("cost"))
    assert not len(told((1, 1.0, late[0])).censored("time"))


def test_only_repeats_that_differ_or_deviations_show_noise() -> None:
    wanted = problem()
    same = told((1, 1.0, measured(0.5)), (1, 1.0, measured(0.5)), (1, 0.1, measured(0.4)))
    assert not noisy(wanted, same)
    assert noisy(wanted, told((1, 1.0, measured(0.5)), (1, 1.0, measured(0.51))))
    assert noisy(wanted, told((1, 1.0, measured(0.5, 1.0, {"accuracy": 0.01}))))
    assert not noisy(wanted, told((1, 1.0, measured(0.5, 1.0, {"accuracy": 0.0, "cost": 0.1}))))
    differing = told((1, 1.0, measured(0.5, 1.0)), (1, 1.0, measured(0.5, 2.0)))
    assert not noisy(wanted, differing)
    assert noisy(wanted, differing, "cost")


def test_a_told_deviation_is_no_second_draw() -> None:
    wanted, steady = problem(), measured(0.5, 1.0, {"accuracy": 0.01})
    assert not differs(wanted, told((1, 1.0, steady), (1, 1.0, steady)), "accuracy")
    assert differs(wanted, told((1, 1.0, steady), (1, 1.0, measured(0.51))), "accuracy")


def test_a_repeat_is_the_same_config_at_the_same_fraction_begun_again() -> None:
    wanted = problem()
    assert repeated(wanted, told((1, 1.0, measured(0.5)), (1, 1.0, measured(0.5))))
    assert not repeated(wanted, told((1, 1.0, measured(0.5)), (1, 0.1, measured(0.5))))
    assert not repeated(wanted, told((1, 1.0, measured(0.5)), (1, 1.0, Cancelled("by a person"))))
    assert not repeated(wanted, History([]))
