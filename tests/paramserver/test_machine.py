"""How long work and messages take on simulated machines, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tunewise.paramserver.links import Links
from tunewise.paramserver.machine import Machines

STEADY = Machines(
    nodes=3,
    cores=4,
    bandwidth=100.0,
    latency=0.5,
    per_operation=0.01,
    serial=0.2,
    per_message=1.0,
    per_value=0.1,
    per_iteration=3.0,
    jitter=0.0,
    stragglers=0.0,
)


def seconds(machines: Machines, threads: int = 1, node: int = 0) -> float:
    return machines.compute_seconds(100.0, threads, node, np.random.default_rng(0))


def test_threads_speed_up_what_is_not_serial_as_far_as_there_are_cores() -> None:
    assert seconds(STEADY) == pytest.approx(3.0 + 1.0)
    assert seconds(STEADY, 4) == pytest.approx(3.0 + 0.2 + 0.8 / 4)
    assert seconds(STEADY, 64) == pytest.approx(seconds(STEADY, 4))


def test_a_faster_node_shortens_the_gradient_only() -> None:
    uneven = replace(STEADY, speeds=(1.0, 2.0, 0.5))
    assert [seconds(uneven, node=n) for n in range(3)] == pytest.approx([4.0, 3.5, 5.0])


def test_stragglers_are_as_rare_and_as_slow_as_told() -> None:
    late = replace(STEADY, stragglers=0.1, slowdown=5.0)
    rng = np.random.default_rng(0)
    taken = np.array([late.compute_seconds(100.0, 1, 0, rng) for _ in range(2000)])
    assert sorted(set(taken.round(9).tolist())) == pytest.approx([4.0, 20.0])
    assert (taken > 10).mean() == pytest.approx(0.1, abs=0.03)


def test_jitter_is_the_deviation_of_the_logarithm() -> None:
    shaky, rng = replace(STEADY, jitter=0.3), np.random.default_rng(0)
    taken = np.log([shaky.compute_seconds(100.0, 1, 0, rng) for _ in range(2000)])
    assert taken.mean() == pytest.approx(np.log(4.0), abs=0.03)
    assert taken.std() == pytest.approx(0.3, abs=0.03)


def test_a_message_takes_its_bytes_and_the_latency() -> None:
    assert Links(STEADY).send(10.0, 0, 1, 200) == pytest.approx(10 + 2 + 0.5)


def test_a_link_sends_one_message_after_another() -> None:
    links = Links(STEADY)
    assert links.send(0.0, 0, 1, 200) == pytest.approx(2.5)
    assert links.send(1.0, 0, 2, 200) == pytest.approx(4.5)
    assert links.send(9.0, 0, 2, 200) == pytest.approx(11.5)


def test_a_receivers_link_takes_one_message_after_another() -> None:
    links = Links(STEADY)
    assert links.send(0.0, 0, 2, 200) == pytest.approx(2.5)
    assert links.send(0.0, 1, 2, 200) == pytest.approx(4.5)


def test_a_group_receives_over_all_its_links() -> None:
    links = Links(STEADY)
    links.send(0.0, 0, 2, 400)
    assert links.send(0.0, 1, 2, 400, width=4) == pytest.approx(4.5 + 1.0)


def test_a_server_works_off_one_message_at_a_time() -> None:
    links = Links(STEADY)
    assert links.serve(5.0, 0, 20) == pytest.approx(5 + 1 + 2)
    assert links.serve(5.0, 0, 0) == pytest.approx(9.0)
    assert links.serve(5.0, 1, 0) == pytest.approx(6.0)
    assert links.serve(50.0, 0, 0) == pytest.approx(51.0)


def test_shared_cores_make_work_wait_and_own_ones_do_not() -> None:
    shared, own = Links(replace(STEADY, shared_cores=2)), Links(STEADY)
    assert [shared.compute(0.0, 3.0) for _ in range(3)] == pytest.approx([3.0, 3.0, 6.0])
    assert [own.compute(0.0, 3.0) for _ in range(3)] == pytest.approx([3.0, 3.0, 3.0])
