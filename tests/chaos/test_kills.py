"""A short version of `make chaos`."""

from pathlib import Path

import pytest

from tests.chaos.kills import chaos
from tests.postgres import binaries


@pytest.mark.parametrize("kills", [3, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_random_kills_lose_double_and_change_nothing(
    tmp_path: Path, store: str, kills: int
) -> None:
    if store == "postgres" and binaries() is None:
        pytest.skip("no PostgreSQL server is installed")
    strategies = ["random"] if kills < 10 else ["random", "cherrypick"]
    found = chaos(kills, 2, seed=3, stores=[store], folder=tmp_path, strategies=strategies)
    assert found.kills >= kills and found.studies >= 1
    assert found.clean, found
