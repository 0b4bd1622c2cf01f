"""What only the store in memory does."""

from tunewise.storage import MemoryStore
from tunewise.study import StudyRecord
from tunewise.testing.stores import MEASURED, added, asked, far_owner


def test_a_virtual_clock_ends_leases_and_dates_trials() -> None:
    now = 100.0
    store = MemoryStore(clock=lambda: now)
    store.create(StudyRecord("s", {}, {}, 0))
    asked(store, far_owner(), lease=10)
    now = 109.0
    assert store.claim("s", far_owner("idle"), 10) is None
    now = 110.0
    assert store.claim("s", far_owner("idle"), 10) is not None
    told = store.tell("s", 0, MEASURED)
    assert (store.load("s").created_at, told.asked_at, told.told_at) == (100.0, 110.0, 110.0)


def test_a_history_does_not_change_after_it_was_read() -> None:
    store = MemoryStore()
    store.create(StudyRecord("s", {}, {}, 0))
    added(store)
    before = store.history("s")
    store.tell("s", 0, MEASURED)
    added(store)
    assert len(before) == len(before.pending) == 1
