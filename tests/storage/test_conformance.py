"""All stores keep the contract."""

from pathlib import Path

import pytest

from tunewise.storage import MemoryStore, open_store
from tunewise.testing.stores import MakeStore, StoreConformance


class TestMemoryStore(StoreConformance):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        store = MemoryStore()
        return lambda: store


class TestSqlite(StoreConformance):
    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return lambda: open_store(f"sqlite:///{tmp_path}/study.db")


@pytest.mark.postgres
class TestPostgresql(StoreConformance):
    @pytest.fixture
    def make_store(self, postgres_url: str) -> MakeStore:
        return lambda: open_store(postgres_url)
