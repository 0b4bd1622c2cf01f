"""Devices of different speeds, and how long anybody waits for them."""

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.tenancy import Device, Scheduler
from tunewise.tenancy.devices import Devices
from tunewise.tenancy.rules.board import Board
from tunewise.tenancy.waits import Waits


def test_the_fastest_free_device_comes_first_and_a_name_asks_for_one() -> None:
    devices = Devices([Device("slow", 0.5), Device("b", 2.0), Device("a", 2.0)])
    assert [each.name for each in devices.free()] == ["a", "b", "slow"]
    devices.take("a")
    assert [each.name for each in devices.free()] == ["b", "slow"]
    assert [each.name for each in devices.free("slow")] == ["slow"]
    assert devices.free("a") == []
    devices.release("a")
    assert [each.name for each in devices.free("a")] == ["a"]


def test_a_pool_is_as_fast_as_its_fastest_and_works_off_what_all_of_them_do() -> None:
    devices = Devices([Device("a", 2.0, "x"), Device("b", 3.0, "x"), Device("c", 9.0, "y")])
    assert (devices.fastest("x"), devices.speed("x")) == (3.0, 5.0)
    assert (devices.fastest("z"), devices.speed("z")) == (1.0, 1.0)
    assert (Devices().fastest(None), Devices().speed(None)) == (1.0, 1.0)
    assert devices and not Devices()


def test_two_devices_of_one_name_are_refused() -> None:
    with pytest.raises(TenancyError, match="two devices have the same name"):
        Devices([Device("a"), Device("a")])


@pytest.mark.parametrize(
    ("devices", "pool", "said"),
    [
        ([], "x", "has the pool 'x', and there are no devices"),
        ([Device("a", pool="vision")], None, "has no pool, and every device serves one"),
        ([Device("a", pool="vision")], "visoin", "which no device serves; did you mean 'vision'"),
    ],
)
def test_a_user_whom_no_device_serves_is_refused(
    devices: list[Device], pool: str | None, said: str
) -> None:
    with pytest.raises(TenancyError, match=said):
        Devices(devices).serving(pool, "anna")
    with pytest.raises(TenancyError, match="which no device serves; did you mean 'vision'"):
        Devices([Device("a"), Device("b", pool="vision")]).serving("visoin", "anna")
    Devices([Device("a"), Device("b", pool="vision")]).serving(None, "anna")


def test_a_pick_takes_its_device_until_it_is_told() -> None:
    scheduler = Scheduler(["a", "b"], devices=[Device("one"), Device("two", speed=2.0)])
    scheduler.join("anna")
    first, second = scheduler.next(), scheduler.next("one")
    assert first is not None and second is not None
    assert (first.device, second.device) == ("two", "one")
    scheduler.join("bert")
    assert scheduler.next() is None
    assert [pick.number for pick in scheduler.running] == [0, 1]
    scheduler.fail(first)
    third = scheduler.next()
    assert third is not None and (third.user, third.device, third.number) == ("bert", "two", 2)


def test_who_waits_is_due_after_as_many_rounds_as_were_promised() -> None:
    patience, waiting = Waits(2), np.ones(3, bool)
    for number in range(3):
        patience.begin(number, users=3)
    for pick in range(6):
        assert patience.overdue(waiting) is None, pick
        patience.served(0, users=3)
    # After 2 rounds of 3 picks, the two who were never served are due, the first of them first.
    assert patience.overdue(waiting) == 1
    assert patience.overdue(np.array([True, False, True])) == 2
    assert patience.overdue(np.array([True, False, False])) is None
    patience.served(1, users=3)
    assert patience.overdue(waiting) == 2
    assert [patience.longest_wait(number) for number in range(3)] == [9, 9, 9]


def test_nobody_is_ever_due_where_nothing_is_promised() -> None:
    patience = Waits(None)
    patience.begin(0, users=1)
    for _ in range(1000):
        patience.served(0, users=1)
    assert patience.overdue(np.ones(1, bool)) is None
    assert patience.longest_wait(0) is None
    assert Waits(1).overdue(np.ones(0, bool)) is None


def test_the_first_who_waits_may_have_any_number() -> None:
    for number in (0, 15, 16, 17, 40):
        patience = Waits(1)
        patience.begin(number, users=1)
        assert patience.longest_wait(number) == 2


def test_a_late_user_is_due_by_the_users_of_that_moment() -> None:
    patience = Waits(1)
    patience.begin(0, users=1)
    patience.begin(40, users=5)
    assert patience.longest_wait(0) == 2
    assert patience.longest_wait(40) == 10
    waiting = np.zeros(60, bool)
    waiting[40] = True
    for _ in range(5):
        assert patience.overdue(waiting) is None
        patience.served(0, users=2)
    assert patience.overdue(waiting) == 40


def test_a_board_grows_and_keeps_what_it_knew() -> None:
    board = Board()
    assert board.first(board.waiting) is None and board.next_after(-1) is None
    board.admit(2)
    board.waiting[2], board.value[2], board.arm[2] = True, 0.5, 7
    board.admit(100)
    assert len(board.waiting) >= 101
    assert (board.waiting[2], board.value[2], board.arm[2]) == (True, 0.5, 7)
    assert board.waiting.sum() == 1
    board.waiting[[5, 100]] = True
    assert [board.next_after(n) for n in (-1, 1, 2, 5, 99, 100)] == [2, 2, 5, 100, 100, 2]
    assert board.first(board.waiting) == 2
    board.value[[5, 100]] = 0.9
    assert board.highest(board.value, board.waiting) == 5
