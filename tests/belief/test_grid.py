import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import (
    Grid,
    bounds,
    known_trials,
    measured_at_full,
    open_trials,
    settled,
)
from tunewise.history import History, Trial, Unaffordable

FRACTIONS = (0.1, 0.5, 1.0)
PROBLEM = problem(3, FRACTIONS, maximize="accuracy")
GRID = Grid(Candidates.of(PROBLEM, PROBLEM.space.configs), np.array(FRACTIONS))


def numbers(*places: int) -> np.ndarray:
    return np.array(places, np.intp)


def test_trials_are_numbered_config_by_config() -> None:
    assert len(GRID) == 9
    assert [GRID.trial(n) for n in (0, 2, 3, 8)] == [
        ({"x": 0}, 0.1),
        ({"x": 0}, 1.0),
        ({"x": 1}, 0.1),
        ({"x": 2}, 1.0),
    ]
    assert GRID.config(numbers(0, 2, 3, 8)).tolist() == [0, 0, 1, 2]
    assert GRID.fraction(numbers(0, 2, 3, 8)).tolist() == [0.1, 1.0, 0.1, 1.0]


def test_trials_are_points_of_the_model() -> None:
    x, s = GRID.points(numbers(1, 8))
    assert x.tolist() == GRID.candidates.x[[0, 2]].tolist()
    assert s.tolist() == [0.5, 1.0]
    x, s = GRID.at_full(numbers(1))
    assert x.tolist() == GRID.candidates.x[[1]].tolist() and s.tolist() == [1.0]


def test_a_config_that_was_handed_out_is_a_copy() -> None:
    GRID.trial(0)[0]["x"] = 7
    assert GRID.trial(0)[0] == {"x": 0}


def test_what_was_run_is_found_by_number_and_what_is_elsewhere_is_not() -> None:
    key = PROBLEM.space.key
    known = [(key({"x": 2}), 0.5), (key({"x": 0}), 1.0), (key({"x": 0}), 0.3)]
    assert GRID.numbers(PROBLEM, known).tolist() == [2, 7]
    assert GRID.numbers(PROBLEM, []).tolist() == []
    smaller = Grid(GRID.candidates.at(numbers(0, 1)), np.array(FRACTIONS))
    assert smaller.numbers(PROBLEM, known).tolist() == [2]


def test_complete_failed_and_running_trials_and_snapshots_are_not_open() -> None:
    complete = ran(0, 0.5, 0, accuracy=0.5)
    failed = Trial(1, {"x": 1}, 0.1).told(tw.Failure("out of memory"))
    running = Trial(2, {"x": 2}, 0.5, snapshots=(0.1,))
    passed = Trial(3, {"x": 1}, 1.0).told(tw.Measurement({"accuracy": 1}, {0.5: {"accuracy": 0.9}}))
    history = History([complete, failed, running, passed])
    # Open are x = 0 on 0.1 and 1, and x = 2 on 1.
    assert open_trials(PROBLEM, history, GRID).tolist() == [0, 2, 8]


def test_a_snapshot_that_an_ended_trial_did_not_bring_is_open() -> None:
    told = Trial(0, {"x": 0}, 1.0, snapshots=(0.1,)).told(tw.Measurement({"accuracy": 0.5}))
    assert 0 in open_trials(PROBLEM, History([told]), GRID)


def test_what_a_person_cancelled_is_open_and_what_was_not_affordable_is_not() -> None:
    cancelled = Trial(0, {"x": 0}, 0.1).told(tw.Cancelled("stopped by a person"))
    unpaid = Trial(1, {"x": 1}, 0.1).told(Unaffordable("too dear"))
    key = PROBLEM.space.key
    assert list(known_trials(PROBLEM, History([cancelled, unpaid]))) == [(key({"x": 1}), 0.1)]


def test_where_repeats_teach_a_trial_may_run_five_times() -> None:
    for count in range(7):
        history = History([ran(0, 0.1, number, accuracy=0.5) for number in range(count)])
        assert (0 in open_trials(PROBLEM, history, GRID, repeats=True)) == (count < 5)
        assert (0 in open_trials(PROBLEM, history, GRID)) == (count == 0)


def test_a_failed_trial_is_not_repeated() -> None:
    failed = Trial(0, {"x": 0}, 0.1).told(tw.Failure("out of memory"))
    assert 0 not in open_trials(PROBLEM, History([failed]), GRID, repeats=True)


def test_without_noise_nothing_is_learned_from_what_is_complete_or_ended_on_the_full_data() -> None:
    slow = Trial(2, {"x": 1}, 1.0).told(tw.TimedOut("pruned: too slow", {"time": 3.0}))
    broken = Trial(3, {"x": 2}, 1.0).told(tw.Failure("out of memory"))
    history = History([ran(0, 0.5, 0, accuracy=0.5), ran(1, 0.1, 1, accuracy=0.5), slow, broken])
    # Of x = 0 and 1 what they completed, and all of x = 2; what was given up may run again.
    assert settled(PROBLEM, history, GRID).tolist() == [1, 3, 6, 7, 8]
    anywhere = problem(3, FRACTIONS, maximize="accuracy", deploy="any")
    assert settled(anywhere, history, GRID).tolist() == [1, 3]


def test_several_measurements_on_the_full_data_count_by_their_mean() -> None:
    history = History(
        [
            ran(2, 1.0, 0, accuracy=0.6, cost=1.0),
            ran(2, 1.0, 1, accuracy=0.8),
            ran(0, 1.0, 2, accuracy=0.5),
            ran(1, 0.5, 3, accuracy=0.9),
        ]
    )
    accuracy, cost = (measured_at_full(PROBLEM, history, GRID, m) for m in ("accuracy", "cost"))
    assert accuracy == pytest.approx([0.5, np.nan, 0.7], nan_ok=True)
    assert cost == pytest.approx([np.nan, np.nan, 1.0], nan_ok=True)


def test_before_anything_ran_on_the_full_data_nothing_is_certain() -> None:
    history = History([ran(0, 0.1, accuracy=0.5)])
    assert np.isnan(measured_at_full(PROBLEM, history, GRID, "accuracy")).all()


def pruned(number: int, x: int, fraction: float, seconds: float) -> Trial:
    return Trial(number, {"x": x}, fraction).told(tw.TimedOut("pruned: stopped", {"time": seconds}))


def test_what_a_trial_had_taken_when_it_was_given_up_bounds_larger_slices_too() -> None:
    history = History([pruned(0, 1, 0.5, 30.0), pruned(1, 1, 0.1, 40.0), ran(0, time=9.0)])
    expected = [[0, 0, 0], [40, 40, 40], [0, 0, 0]]
    assert bounds(PROBLEM, history, GRID, "time") == pytest.approx(np.array(expected, float))
    assert bounds(PROBLEM, history, GRID, "cost") == pytest.approx(np.zeros((3, 3)))
    longer = History([pruned(0, 1, 0.5, 30.0), pruned(1, 1, 0.1, 20.0)])
    assert bounds(PROBLEM, longer, GRID, "time")[1] == pytest.approx([20, 30, 30])


def test_a_trial_that_reached_a_persons_limit_bounds_nothing() -> None:
    stopped = Trial(0, {"x": 1}, 0.5).told(tw.TimedOut("it took 30 s", {"time": 30.0}))
    assert bounds(PROBLEM, History([stopped]), GRID, "time").max() == 0
