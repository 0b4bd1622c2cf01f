"""Where nothing keeps the limits: which limit is to blame, and how near it came."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.history import Failure, History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.space import Space
from tunewise.study.infeasible import infeasible

SPACE = Space.of([{"x": i} for i in range(9)])


def problem(**changes: Any) -> Problem:
    wanted: dict[str, Any] = {
        "maximize": "accuracy",
        "subject_to": ["cost <= 0.02", "time <= 5 min"],
        "fractions": (0.1, 1.0),
    }
    return Problem(SPACE, **(wanted | changes))


def trial(number: int, cost: float, time: float, fraction: float = 1.0) -> Trial:
    metrics = {"accuracy": 0.9, "cost": cost, "time": time}
    return Trial(number, {"x": number}, fraction).told(Measurement(metrics))


def test_the_limit_that_most_trials_break_is_to_blame_and_the_nearest_miss_is_named() -> None:
    found = infeasible(
        problem(), History([trial(0, 0.1, 100), trial(1, 0.024, 200), trial(2, 0.021, 900)])
    )
    assert found is not None
    assert str(found.blamed) == "cost <= 0.02"
    assert (found.broken_by, found.trials, found.nearest.number) == (3, 3, 1)
    assert found.misses == {"cost": 0.024}
    assert found.sentence == (
        "no measured config keeps the limits: all 3 measured trials break cost ≤ 0.02 USD; the"
        " nearest miss is trial 1 with cost 0.024 USD"
    )


def test_a_limit_that_some_trials_keep_is_counted_as_it_is() -> None:
    history = History([trial(0, 0.01, 600), trial(1, 0.03, 360), trial(2, 0.04, 30)])
    found = infeasible(problem(), history)
    assert found is not None
    assert found.sentence.startswith(
        "no measured config keeps the limits: 2 of 3 measured trials break "
    )


def test_equal_counts_are_decided_by_how_far_the_limit_is_missed() -> None:
    found = infeasible(problem(), History([trial(0, 0.2, 301)]))
    assert found is not None
    assert found.blamed.metric == "cost"
    assert found.sentence == (
        "no measured config keeps the limits: the only measured trial breaks cost ≤ 0.02 USD; the"
        " nearest miss is trial 0 with cost 0.20 USD and time 5 m 1 s"
    )


@pytest.mark.parametrize(
    "history",
    [
        History(),
        History([trial(0, 0.5, 10), trial(1, 0.01, 10)]),
        History([trial(0, 0.5, 10, fraction=0.1)]),
        History([Trial(0, {"x": 0}).told(Failure("broken"))]),
    ],
    ids=["nothing measured", "one keeps them", "only a part of the data", "all failed"],
)
def test_there_is_nothing_to_say(history: History) -> None:
    assert infeasible(problem(), history) is None


def test_without_limits_nothing_is_broken() -> None:
    assert infeasible(problem(subject_to=[]), History([trial(0, 9.0, 9.0)])) is None


def test_with_any_fraction_a_part_of_the_data_may_be_the_nearest_miss() -> None:
    history = History([trial(0, 0.5, 10), trial(1, 0.03, 10, fraction=0.1)])
    found = infeasible(problem(deploy="any"), history)
    assert found is not None
    assert found.describe()["nearest"]["fraction"] == 0.1


@given(st.lists(st.tuples(st.floats(0.001, 1), st.floats(1, 1000)), min_size=1, max_size=8))
def test_it_speaks_exactly_where_there_is_no_best_trial(values: list[tuple[float, float]]) -> None:
    history = History([trial(i, cost, time) for i, (cost, time) in enumerate(values)])
    found = infeasible(problem(), history)
    assert (found is None) == (history.best(problem()) is not None)
    if found is not None:
        assert found.misses


def test_trials_on_parts_of_the_data_are_told_apart_from_those_that_could_tell() -> None:
    history = History([trial(0, 0.5, 10, fraction=0.1), trial(1, 0.1, 100)])
    found = infeasible(problem(), history)
    assert found is not None and "the only trial on the full data breaks" in found.sentence
