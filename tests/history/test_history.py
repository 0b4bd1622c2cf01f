"""What a history says of a problem: its best, its front, its bounds, and whether it is noisy."""

import math
from typing import Any

import pytest

import tunewise as tw
from tests.report.test_markup import Seen
from tunewise.history import (
    Cancelled,
    History,
    Measurement,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
    TrialState,
)
from tunewise.history.repeats import agree, differs, noisy

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


def test_repeats_of_a_metric_agree_when_two_have_the_same_result() -> None:
    wanted, once = problem(), [(1, 1.0, measured(0.5)), (1, 1.0, measured(0.5))]

    def agreed(*trials: tuple[int, float, Outcome], metric: str = "accuracy") -> bool:
        return agree(wanted, told(*trials), metric)

    assert not agreed((1, 1.0, measured(0.5)), (2, 1.0, measured(0.5)))
    assert not agreed(*once), "one may be a tie"
    assert agreed(*once, (1, 1.0, measured(0.5)))
    assert agreed(*once, (1, 0.1, measured(0.4)), (1, 0.1, measured(0.4)))
    assert not agreed(*once, (1, 1.0, measured(0.51)), (1, 1.0, measured(0.5)))
    cost = [(1, 1.0, measured(0.5, usd)) for usd in (1.0, 2.0, 3.0)]
    assert agreed(*cost) and not agreed(*cost, metric="cost")


def test_a_told_deviation_is_no_second_draw() -> None:
    wanted, steady = problem(), measured(0.5, 1.0, {"accuracy": 0.01})
    assert not differs(wanted, told((1, 1.0, steady), (1, 1.0, steady)), "accuracy")
    assert differs(wanted, told((1, 1.0, steady), (1, 1.0, measured(0.51))), "accuracy")


def test_a_value_that_was_not_measured_before_is_no_other_result() -> None:
    without = Measurement({"accuracy": 0.5})
    for order in ((without, measured(0.5)), (measured(0.5), without)):
        assert not differs(problem(), told(*((1, 1.0, each) for each in order)), "cost")


def test_a_trial_that_lacks_an_objective_is_no_answer() -> None:
    lacking = told((1, 1.0, Measurement({"cost": 1.0})), (2, 1.0, measured(0.6)))
    best = lacking.best(problem())
    assert best is not None and best.number == 1
    assert [trial.number for trial in lacking.front(problem())] == [1]
    assert told((1, 1.0, Measurement({"cost": 1.0}))).best(problem()) is None


def test_a_smaller_space_leaves_out_the_configs_that_it_lacks() -> None:
    narrow = tw.Problem(
        tw.Space(tw.Ordinal("width", [2, 4])), maximize="accuracy", fractions=(0.1, 1.0)
    )
    kept = TOLD.within(narrow)
    assert [trial.number for trial in kept] == [1, 2, 4]
    # What the others spent is booked as a loss of the first; no time was measured, none is lost.
    assert kept[0].lost == pytest.approx({"cost": 1.5})


def test_the_order_of_parameters_makes_no_other_config() -> None:
    def late(config: dict[str, int], usd: float, number: int) -> Trial:
        return Trial(number, config).told(TimedOut("late", {"cost": usd}))

    one, same = {"width": 1, "depth": 2}, {"depth": 2, "width": 1}
    assert History([late(one, 2.0, 0), late(same, 5.0, 1)]).censored("cost").values.tolist() == [
        5.0
    ]
    for first, second in ((one, same), (same, one)):
        done = Trial(1, second).told(measured(0.5))
        assert not len(History([late(first, 2.0, 0), done]).censored("cost"))


def test_what_a_running_trial_reported_is_observed_by_ascending_fraction() -> None:
    reported = {0.5: {"accuracy": 0.8}, 0.1: {"accuracy": 0.6}, 0.3: {"cost": 1.0}}
    seen = History([Trial(0, {"width": 1}, reported=reported)]).observations("accuracy")
    assert seen.fractions.tolist() == [0.1, 0.5]
    assert seen.values.tolist() == [0.6, 0.8]
    assert all(map(math.isnan, seen.deviations))


def test_only_what_may_still_be_measured_is_pending() -> None:
    running, waiting = Trial(0, {"width": 1}), Trial(1, {"width": 2}, state=TrialState.WAITING)
    lost = Trial(2, {"width": 4}).told(Preempted("gone"))
    done = Trial(3, {"width": 8}).told(measured(0.5))
    stopped = Trial(4, {"width": 8}).told(Cancelled("by a person"))
    history = History([running, waiting, lost, done, stopped])
    assert [trial.number for trial in history.pending] == [0, 1, 2]
    assert [trial.number for trial in history.complete] == [3]


def test_a_history_equals_only_a_history() -> None:
    trials = [Trial(0, {"width": 1})]
    assert History(trials) == History(trials)
    assert History(trials) != trials
    assert History(trials) != History([])


def test_a_history_in_words_leaves_out_what_was_not_spent() -> None:
    assert repr(History([])) == "History(0 trials, 0 complete)"
    free = told((1, 1.0, Measurement({"accuracy": 0.5, "time": 60.0})))
    assert repr(free) == "History(1 trials, 1 complete, 1 m)"
    assert repr(told((1, 1.0, measured(0.5)))) == "History(1 trials, 1 complete, 1.00 USD)"


def test_a_notebook_shows_one_trial_by_its_number_and_several_by_their_sum() -> None:
    one = Seen(TOLD[1:2]._repr_html_()).text
    assert "Trial 1" in one and "History(" not in one
    assert "History(2 trials" in Seen(TOLD[:2]._repr_html_()).text
    assert "earlier" not in Seen(TOLD._repr_html_()).text


def test_a_notebook_leaves_a_cell_empty_where_a_parameter_does_not_apply() -> None:
    trials = [Trial(0, {"optimizer": "sgd", "momentum": 0.9}), Trial(1, {"optimizer": "adam"})]
    page = History(trials)._repr_html_()
    assert "0.9" in page and page.count("<td") == 2 * 5
