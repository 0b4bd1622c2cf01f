"""What every store must do with the money of running trials: a part of `StoreConformance`."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tunewise.history import Measurement, Preempted, Trial, TrialState
from tunewise.study import Store
from tunewise.study.store import Allocation
from tunewise.testing.stores.parts import LONG, SHORT, far_owner, lost_attempt


def _allocation(usd: float, budget: float = 10.0) -> Allocation:
    """Takes so much when there is as much, and else waits."""
    return Allocation(budget, lambda trial, free, waiting: usd if usd <= free + 1e-9 else 0.0)


def _paid(store: Store, name: str, usd: float, lease: float = LONG) -> Trial:
    with store.asking("s", far_owner(name)):
        return store.add("s", {"x": 1}, 1.0, (), far_owner(name), lease, _allocation(usd))


class MoneyConformance:
    """Booked and set aside together never pass the budget."""

    def test_money_is_set_aside_when_a_trial_is_given_out_and_back_when_it_is_told(
        self, store: Store, other: Store
    ) -> None:
        """A trial that was not paid for holds nothing; one without an allocation is left out."""
        _paid(store, "a", 6.0)
        _paid(other, "b", 5.0)
        with store.asking("s", far_owner("c")):
            store.add("s", {"x": 1}, 1.0, (), far_owner("c"), LONG)
        assert other.held("s") == {0: 6.0, 1: 0.0}
        store.tell("s", 0, Measurement({"cost": 4.0}), far_owner("a"))
        assert other.held("s") == {1: 0.0}
        other.set_aside("s", 1, far_owner("a"), _allocation(5.0))
        assert store.held("s") == {1: 0.0}
        other.set_aside("s", 1, far_owner("b"), _allocation(5.0))
        assert store.held("s") == {1: 5.0}
        _paid(store, "d", 1.5)
        assert store.held("s") == {1: 5.0, 3: 0.0}

    def test_whoever_takes_money_is_told_what_is_free_and_who_waits(
        self, store: Store, other: Store
    ) -> None:
        """Free is what is neither booked nor set aside."""
        seen: list[tuple[int, float, int]] = []

        def take(trial: Trial, free: float, waiting: int) -> float:
            seen.append((trial.number, free, waiting))
            return 100.0

        _paid(store, "a", 3.0)
        _paid(store, "b", 8.0)
        store.tell("s", 0, Preempted("gone", {"cost": 1.0}), far_owner("a"))
        other.claim("s", far_owner("c"), LONG, None, Allocation(10.0, take))
        number, free, waiting = seen[-1]
        assert (number, waiting) == (0, 1)
        assert free == pytest.approx(9.0)
        assert store.held("s") == {0: pytest.approx(9.0), 1: 0.0}

    def test_what_a_lost_attempt_has_cost_is_booked_before_money_is_set_aside_again(
        self, store: Store, other: Store
    ) -> None:
        """Until then all that it held stays set aside."""
        _paid(store, "gone", 10.0, lease=SHORT)
        store.renew("s", far_owner("gone"), SHORT, {0: 1.0})
        time.sleep(2 * SHORT)
        waiting = _paid(other, "a", 1.0)
        assert store.held("s") == {0: 10.0, waiting.number: 0.0}
        claimed = other.claim("s", far_owner("b"), LONG, lost_attempt, _allocation(8.0))
        assert claimed is not None and claimed.lost["cost"] == pytest.approx(2.0)
        assert store.held("s") == {0: 8.0, waiting.number: 0.0}

    def test_many_who_take_money_at_once_never_take_more_than_there_is(
        self, store: Store, other: Store
    ) -> None:
        """Each gets all it wants or waits, and nothing is left over."""

        def work(worker: int) -> None:
            mine = store if worker % 2 else other
            for _ in range(3):
                _paid(mine, str(worker), 0.7)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        held = store.held("s")
        assert sorted(held) == list(range(18))
        assert math.fsum(held.values()) == pytest.approx(14 * 0.7)
        assert {t.state for t in store.history("s")} == {TrialState.RUNNING}
