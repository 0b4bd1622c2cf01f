"""The page on how far it goes measures problems of the sizes that it says."""

import pytest

from benchmarks.scale.asks import AXES, Size, history_of, problem_of, tunewise
from benchmarks.scale.places import store


@pytest.mark.parametrize("count", AXES["candidates"][:3])
def test_a_space_lists_as_many_configs_as_are_asked_for(count: int) -> None:
    assert problem_of(Size(candidates=count)).space.size == count


def test_a_history_has_as_many_trials_as_are_asked_for_though_configs_are_few() -> None:
    size = Size(trials=250, candidates=100, limits=3)
    problem = problem_of(size)
    history = history_of(problem, size)
    assert len(history) == 250
    assert all(set(problem.needed) <= set(trial.metrics) for trial in history)


def test_an_ask_gives_as_many_trials_as_are_asked_for() -> None:
    assert len(tunewise(Size(trials=6, parameters=2, at_once=3))()) == 3


def test_the_store_is_asked_and_told_with_so_many_trials_in_it() -> None:
    told = store(30)
    assert set(told) == {"open", "ask", "tell", "file_mb"}
    assert told["file_mb"] > 0
