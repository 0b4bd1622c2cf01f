"""What every store must do: inherit `StoreConformance` and say how yours is opened."""

from collections.abc import Iterator

import pytest

from tunewise.study import Store, StudyRecord
from tunewise.testing.stores.asking import AskingConformance
from tunewise.testing.stores.leases import LeasesConformance
from tunewise.testing.stores.money import MoneyConformance
from tunewise.testing.stores.outcomes import OutcomesConformance
from tunewise.testing.stores.parts import (
    DIFFICULT,
    LONG,
    MEASURED,
    SHORT,
    MakeStore,
    added,
    asked,
    dead_owner,
    far_owner,
    lost_attempt,
)
from tunewise.testing.stores.records import StudiesConformance
from tunewise.testing.stores.stopping import StoppingConformance

__all__ = [
    "DIFFICULT",
    "LONG",
    "MEASURED",
    "MakeStore",
    "SHORT",
    "StoreConformance",
    "added",
    "asked",
    "dead_owner",
    "far_owner",
    "lost_attempt",
]


class StoreConformance(
    StudiesConformance,
    LeasesConformance,
    OutcomesConformance,
    StoppingConformance,
    AskingConformance,
    MoneyConformance,
):
    """Tests that every store passes.

    A subclass overrides the fixture `make_store`: each call of what it returns opens the same
    store once more, as another process would.
    """

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """How to open the store under test; every test gets a fresh one."""
        raise NotImplementedError("override the fixture make_store")

    @pytest.fixture
    def store(self, make_store: MakeStore) -> Iterator[Store]:
        """The store under test, with the empty study "s"."""
        store = make_store()
        store.create(StudyRecord("s", {"metric": "accuracy"}, {"name": "random"}, 0))
        yield store
        store.close()

    @pytest.fixture
    def other(self, store: Store, make_store: MakeStore) -> Iterator[Store]:
        """The same store, opened once more."""
        other = make_store()
        yield other
        other.close()
