import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import ExecutionError
from tunewise.paramserver.consistency import Clocks, Consistency


@given(
    st.integers(1, 6),
    st.sampled_from(["bsp", "asp", "ssp:1", "ssp:3"]),
    st.lists(st.integers(0, 5)),
)
def test_no_worker_runs_farther_ahead_than_its_protocol_allows(
    workers: int, name: str, wishes: list[int]
) -> None:
    clocks = Clocks(workers, Consistency.named(name))
    for wish in wishes:
        worker = wish % workers
        if clocks.may_begin(worker):
            clocks.finish(worker)
        ahead = clocks.finished.max() - clocks.finished.min()
        assert ahead <= clocks.consistency.staleness + 1


def test_the_slowest_worker_may_always_begin() -> None:
    clocks = Clocks(3, Consistency.named("bsp"))
    clocks.finish(0)
    assert not clocks.may_begin(0)
    assert clocks.may_begin(1) and clocks.may_begin(2)


def test_asynchronous_workers_never_wait() -> None:
    clocks = Clocks(2, Consistency.named("asp"))
    for _ in range(100):
        clocks.finish(0)
    assert clocks.may_begin(0)
    assert math.isinf(clocks.consistency.staleness)


@pytest.mark.parametrize("wrong", ["ssp", "ssp:", "ssp:-1", "ssp:1.5", "BSP", ""])
def test_an_unknown_protocol_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(ExecutionError, match="expected 'bsp', 'asp', or 'ssp:3'"):
        Consistency.named(wrong)
