"""What travels of an update, and what it weighs on the wire."""

from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.paramserver.compression import compression
from tunewise.paramserver.data import dense
from tunewise.paramserver.linear import Logistic
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.worker import Finish, Push, Routes, Worker
from tunewise.surrogate import Array


def test_all_of_an_update_weighs_eight_bytes_a_value() -> None:
    update = np.array([0.1, -2.0, 3.0])
    packet = compression("none")(update)
    assert packet.values is update
    assert (packet.places, packet.size) == (None, 24)


def test_half_precision_rounds_weighs_a_quarter_and_never_becomes_infinite() -> None:
    packet = compression("fp16")(np.array([0.1, 1e9, -1e9]))
    assert (packet.places, packet.size) == (None, 6)
    assert packet.values.dtype == np.float64
    np.testing.assert_allclose(packet.values, [0.1, 65504.0, -65504.0], rtol=1e-3)
    assert packet.values[0] != 0.1


def test_the_largest_entries_of_either_sign_travel_with_their_places() -> None:
    update = np.full(200, 0.01)
    update[[150, 7]] = -5.0, 3.0
    packet = compression("topk")(update)
    assert packet.places is not None and packet.places.tolist() == [7, 150]
    assert packet.values.tolist() == [3.0, -5.0]
    assert packet.size == 2 * 12


@pytest.mark.parametrize(("length", "kept"), [(2, 1), (100, 1), (101, 2), (1000, 10)])
def test_one_in_a_hundred_is_rounded_up_to_at_least_one(length: int, kept: int) -> None:
    packet = compression("topk")(np.arange(1.0, length + 1))
    assert packet.places is not None
    assert packet.places.tolist() == list(range(length - kept, length))


@pytest.mark.parametrize("length", [100, 1000])
def test_the_largest_are_found_in_any_order(length: int) -> None:
    for seed in range(10):
        update = np.random.default_rng(seed).standard_normal(length)
        packet = compression("topk")(update)
        largest = np.sort(np.argsort(-np.abs(update))[: length // 100])
        assert packet.places is not None
        assert packet.places.tolist() == largest.tolist()


def test_an_update_of_one_value_travels_whole() -> None:
    packet = compression("topk")(np.array([0.5]))
    assert (packet.places, packet.size) == (None, 8)


def test_an_unknown_compression_names_the_nearest() -> None:
    with pytest.raises(ExecutionError, match="did you mean 'fp16'"):
        compression("fp1")


def pushed(name: str, count: int, features: int = 300) -> tuple[Array, Array, list[Push]]:
    """What one worker's model got and should have got in so many iterations, and the last pushes.

    The values stay at 0, so that every iteration has the same gradient.
    """
    data = dense(20, features)
    worker = Worker(
        Logistic(features, l2=0.0),
        data.batches(20, "range", 1, 0, seed=0),
        Routes(Layout("range", 2, features)),
        0.5,
        compression(name),
    )
    steps: Generator[Any, Any, None] = worker.iterations()
    got, last, answer = np.zeros(features), [], None
    while count:
        step = steps.send(answer)
        answer = [(np.zeros(pull.count), None) for pull in step] if type(step) is list else None
        if isinstance(step, Finish):
            last, count = list(step.pushes), count - 1
            for push in last:
                got[worker.routes.layout.keys(push.server)[push.local]] += push.update
    _, gradient = worker.model.gradient(np.zeros(features), worker.batches[0])
    return got, -0.5 * gradient, last


def test_what_is_not_sent_is_added_to_the_next_update() -> None:
    for name, share in (("none", 1e-12), ("fp16", 1e-3)):
        got, wanted, _ = pushed(name, 6)
        np.testing.assert_allclose(got, 6 * wanted, atol=share * np.abs(wanted).max())
    got, wanted, _ = pushed("topk", 200)
    sent = got != 0
    # In two hundred turns of three, the entry that is largest by then was sent again and again.
    assert sent.sum() > 100
    rest = 200 * wanted - got
    assert np.abs(rest).max() < 0.5 * np.abs(200 * wanted).max()
    # What was sent of an entry never overshoots what it should have got.
    assert (np.sign(got[sent]) == np.sign(wanted[sent])).all()
    assert (np.abs(got) <= np.abs(200 * wanted) * (1 + 1e-9)).all()


def test_bytes_are_shared_by_the_servers_that_get_a_part() -> None:
    for name, bytes_ in (("none", 8 * 150), ("fp16", 2 * 150), ("topk", 12 * 3 // 2)):
        _, _, pushes = pushed(name, 1)
        assert [push.size for push in pushes] == [bytes_, bytes_]
