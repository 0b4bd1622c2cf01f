"""A short version of `make work-chaos`."""

from pathlib import Path

import pytest

from tests.chaos.work import chaos
from tests.postgres import binaries


@pytest.mark.postgres
@pytest.mark.parametrize("count", [1, pytest.param(4, marks=pytest.mark.long)])
def test_four_processes_on_postgresql_keep_their_budget_and_every_trial(
    tmp_path: Path, count: int
) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed")
    found = chaos(count, 2, seed=11, folder=tmp_path)
    assert found.scenarios == count and found.kills >= count and found.trials > 5 * count
    assert found.clean, found
