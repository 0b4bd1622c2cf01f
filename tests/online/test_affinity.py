"""Which cores a process computes on."""

import multiprocessing
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.online.affinity import cores_of, pin
from tunewise.paramserver import Machines


def test_packed_threads_lie_side_by_side_and_spread_ones_far_apart() -> None:
    assert [cores_of("packed", 2, place, range(4)) for place in (0, 1, 2)] == [
        [0, 1],
        [2, 3],
        [0, 1],
    ]
    assert [cores_of("spread", 2, place, range(4)) for place in (0, 1)] == [[0, 2], [1, 3]]
    assert cores_of("none", 2, 1, range(4)) == [0, 1, 2, 3]
    assert cores_of("packed", 8, 1, range(4)) == [0, 1, 2, 3]


def test_an_unknown_affinity_is_refused() -> None:
    with pytest.raises(ExecutionError, match="unknown affinity 'pack'; did you mean 'packed'"):
        cores_of("pack", 1, 0, range(2))


def _pinned(sent: Any) -> None:
    pin("packed", 1, 1)
    sent.send(os.sched_getaffinity(0))
    pin("none", 1, 0)
    sent.send(os.sched_getaffinity(0))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
def test_a_process_is_pinned_and_let_go_again() -> None:
    before = os.sched_getaffinity(0)
    heard, sent = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_pinned, args=(sent,))
    process.start()
    assert heard.poll(120) and len(heard.recv()) == 1
    assert heard.poll(120) and heard.recv() == before
    process.join(120)


def test_threads_on_two_sockets_pay_for_the_way_between_them() -> None:
    steady = Machines(jitter=0.0, stragglers=0.0, serial=0.0, per_iteration=0.0)
    machines = replace(steady, cores=8, sockets=2, across=0.5, crowded=0.1, per_operation=1.0)

    def seconds(threads: int, affinity: str) -> float:
        work = float(threads)  # a second on threads that nothing slows down
        return machines.compute_seconds(work, threads, 0, np.random.default_rng(0), affinity)

    assert seconds(4, "packed") == pytest.approx(1.3)
    assert seconds(4, "spread") == seconds(4, "none") == pytest.approx(1.6)
    assert seconds(8, "packed") == pytest.approx(1.8)
