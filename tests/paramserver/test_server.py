"""One server's part of the parameters: pulls, pushes and moves of a handful of values, by hand."""

import numpy as np
import pytest

from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.server import Forward, Part, Server, gathered

ONE, TWO = Layout("range", 1, 4), Layout("range", 2, 4)
BEGIN = np.array([10.0, 11.0, 12.0, 13.0])


def pair(rule: str = "sgd") -> tuple[Server, Server]:
    """Four parameters on their way from one server to two."""
    known = optimizer(rule)
    first, second = (Server(index, ONE, BEGIN, known) for index in range(2))
    for server in (first, second):
        server.relocate(TWO)
    return first, second


def test_a_server_owns_its_part_of_the_values_and_none_beyond_the_layout() -> None:
    layout = Layout("hash", 2, 5)
    values = np.arange(5.0)
    parts = [Server(index, layout, values, optimizer("sgd")).parts[0] for index in range(3)]
    assert [part.state.tolist() for part in parts] == [[[0, 2, 4]], [[1, 3]], [[]]]
    assert all(part.absent == 0 for part in parts)


def test_a_server_takes_all_that_an_optimiser_remembers_or_begins_at_nothing() -> None:
    state = np.array([[1.0, 2.0], [0.5, 0.25]])
    rule = optimizer("momentum")
    assert Server(0, Layout("range", 1, 2), state, rule).parts[0].state.tolist() == state.tolist()
    fresh = Server(0, Layout("range", 1, 2), state[0], rule).parts[0].state
    assert fresh.tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_a_push_changes_its_own_places_alone() -> None:
    server = Server(0, Layout("range", 1, 3), np.zeros(3), optimizer("momentum"))
    assert server.push(0, np.array([1]), np.array([2.0])) == []
    # A tenth of the update becomes the step, and the value takes it.
    np.testing.assert_allclose(server.parts[0].state, [[0, 0.2, 0], [0, 0.2, 0]])
    server.push(0, np.array([0, 2]), np.array([1.0, -1.0]))
    np.testing.assert_allclose(server.parts[0].state[0], [0.1, 0.2, -0.1])


def test_under_a_barrier_pushes_wait_for_each_other_and_count_alike() -> None:
    server = Server(0, Layout("range", 1, 2), np.zeros(2), optimizer("sgd"))
    nothing = np.empty(0, np.int64)
    server.push(0, np.array([0]), np.array([3.0]), expected=3)
    server.push(0, nothing, np.empty(0), expected=3)
    assert server.pull(0, slice(None))[0].tolist() == [0.0, 0.0]
    server.push(0, slice(None), np.array([3.0, 6.0]), expected=3)
    assert server.pull(0, slice(None))[0] == pytest.approx([2.0, 2.0])
    server.push(0, np.array([1]), np.array([4.0]), expected=1)
    assert server.pull(0, slice(None))[0] == pytest.approx([2.0, 6.0])


def test_what_stays_is_here_at_once_and_the_rest_is_known_to_be_missing() -> None:
    first, second = pair()
    values, present = first.pull(1, slice(None))
    assert (values.tolist(), present) == ([10.0, 11.0], None)
    assert first.settled and not second.settled
    _, there = second.pull(1, slice(None))
    assert there is not None and there.tolist() == [False, False]
    _, one = second.pull(1, np.array([1]))
    assert one is not None and one.tolist() == [False]
    assert first.original(0, np.array([2, 3])).tolist() == [[12.0, 13.0]]


def test_a_late_push_is_kept_here_or_sent_on_with_its_original() -> None:
    first, second = pair()
    [message] = first.push(0, slice(None), np.array([1.0, 2.0, 3.0, 4.0]))
    assert (message.server, message.epoch, message.local.tolist()) == (1, 1, [0, 1])
    assert (message.update.tolist(), message.original.tolist()) == ([3.0, 4.0], [[12.0, 13.0]])
    assert first.pull(1, slice(None))[0].tolist() == [11.0, 13.0]
    second.receive(message)
    values, present = second.pull(1, slice(None))
    assert (values.tolist(), present) == ([15.0, 17.0], None)


def test_the_first_original_counts_and_every_update() -> None:
    _, second = pair()
    place = np.array([0])
    second.receive(Forward(1, 1, place, np.array([1.0]), np.array([[12.0]])))
    second.receive(Forward(1, 1, place, np.array([2.0]), np.array([[99.0]])))
    assert second.pull(1, place)[0].tolist() == [15.0]
    second.push(1, np.array([0, 1]), np.array([1.0, 1.0]), (np.array([1]), np.array([[13.0]])))
    values, present = second.pull(1, slice(None))
    assert (values.tolist(), present) == ([16.0, 14.0], None)


def test_moving_a_parameter_without_an_update_leaves_its_momentum_alone() -> None:
    known = optimizer("momentum")
    state = np.stack([BEGIN, np.full(4, 0.5)])
    first, second = (Server(index, ONE, state, known) for index in range(2))
    for server in (first, second):
        server.relocate(TWO)
    for message in first.leaving():
        second.receive(message)
    assert second.parts[1].state.tolist() == [[12.0, 13.0], [0.5, 0.5]]
    assert second.settled
    assert second.leaving() == []  # it had nothing before


def test_a_message_says_nothing_of_what_stays() -> None:
    first, _ = pair()
    [message] = first.leaving()
    assert (message.server, message.local.tolist()) == (1, [0, 1])
    assert not message.update.any()


def test_all_parameters_are_gathered_wherever_they_are() -> None:
    first, second = pair()
    assert gathered([first, second], TWO, ONE, 1).tolist() == [BEGIN.tolist()]
    second.push(1, np.array([0]), np.array([5.0]), (np.array([0]), np.array([[12.0]])))
    # The third has come and was changed; the fourth is still where it was.
    assert gathered([first, second], TWO, ONE, 1).tolist() == [[10.0, 11.0, 17.0, 13.0]]


def test_a_second_move_waits_for_the_first() -> None:
    _, second = pair()
    with pytest.raises(AssertionError, match="an earlier relocation is not settled yet"):
        second.relocate(ONE)


def test_a_server_that_loses_all_of_its_part_sends_it_all_away() -> None:
    rule = optimizer("sgd")
    first, second = (Server(index, TWO, BEGIN, rule) for index in range(2))
    for server in (first, second):
        server.relocate(ONE)
    [message] = second.leaving()
    assert (message.server, message.local.tolist()) == (0, [2, 3])
    first.receive(message)
    assert first.pull(1, slice(None))[0].tolist() == BEGIN.tolist()
    assert second.parts[1].state.shape == (1, 0) and second.settled


def test_a_part_counts_what_is_still_absent() -> None:
    part = Part(np.zeros((1, 3)), present=False)
    part.create(np.array([0, 2]), np.array([[1.0, 3.0]]))
    assert (part.absent, part.present.tolist()) == (1, [True, False, True])
    part.create(np.array([2, 1]), np.array([[9.0, 2.0]]))
    assert (part.absent, part.state.tolist()) == (0, [[1.0, 2.0, 3.0]])
