"""The pace of runs: their mean, its error, and how sure what they reached is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmark.races import run
from tunewise.benchmark.measures.pace import Pace, spending

COST = spending("cost")


def test_mean_and_error_are_those_of_the_runs() -> None:
    pace = Pace.of([run(0.5, 1.0), run(0.3, 0.8)], COST)
    assert pace.efforts == pytest.approx([1.0, 2.0])
    assert pace.mean == pytest.approx([0.4, 0.9])
    assert pace.error == pytest.approx([0.1, 0.1])


def test_one_run_has_no_error() -> None:
    assert Pace.of([run(0.5, 1.0)], COST).error == pytest.approx([0.0, 0.0])


def test_the_mean_can_be_read_between_steps() -> None:
    pace = Pace.of([run(0.5, 1.0)], COST)
    assert pace.at(np.array([0.5, 1.0, 1.9, 2.0, 9.0])) == pytest.approx([0.0, 0.5, 0.5, 1.0, 1.0])


def test_spending_may_be_time() -> None:
    assert Pace.of([run(0.5, 1.0)], spending("time")).reached(0.9) == pytest.approx(20.0)


def test_runs_that_agree_leave_no_doubt() -> None:
    pace = Pace.of([run(0.5, 1.0, seed=i) for i in range(5)], COST)
    assert pace.interval(0.9) == (2.0, 2.0)


def test_an_interval_may_end_at_never() -> None:
    half = Pace.of([run(1.0), run(1.0), run(1.0), run(0.0)], COST)
    assert half.interval(0.7) == (1.0, None)
    assert Pace.of([run(0.1)], COST).interval(0.9) == (None, None)
    assert Pace.of([run()], COST).interval(0.9) == (None, None)


def test_an_interval_is_the_same_each_time() -> None:
    runs = [run(*np.linspace(0, 1, 9 + i), seed=i) for i in range(6)]
    first, again = (Pace.of(runs, COST).interval(0.9) for _ in range(2))
    assert first == again
    low, high = first
    assert low is not None and high is not None
    assert low < high


shares = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(st.lists(shares, min_size=1, max_size=5), st.floats(0.05, 1))
def test_what_was_reached_lies_within_what_single_runs_reached(
    curves: list[list[float]], level: float
) -> None:
    runs = [run(*curve, seed=i) for i, curve in enumerate(curves)]
    found = Pace.of(runs, COST).reached(level)
    alone = [Pace.of([r], COST).reached(level) for r in runs]
    reached = [cost for cost in alone if cost is not None]
    if len(reached) == len(alone):
        assert found is not None
        assert found <= max(reached)
    if not reached:
        assert found is None or found < max(len(c) for c in curves)
