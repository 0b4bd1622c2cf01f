"""A short version of `make chaos`."""

from pathlib import Path

import pytest

from tests.chaos.kills import chaos
from tests.postgres import binaries


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_random_kills_lose_double_and_change_nothing(tmp_path: Path, store: str) -> None:
    if store == "postgres" and binaries() is None:
        pytest.skip("no PostgreSQL server is installed")
    found = chaos(
        12, 2, seed=3, stores=[store], folder=tmp_path, strategies=["random", "cherrypick"]
    )
    assert found.kills >= 12 and found.studies >= 2
    assert found.clean, found
