"""A short version of `make work-chaos`."""

from pathlib import Path

import pytest

from tests.chaos.work import chaos
from tests.postgres import binaries


@pytest.mark.postgres
def test_four_processes_on_postgresql_keep_their_budget_and_every_trial(tmp_path: Path) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed")
    found = chaos(4, 2, seed=11, folder=tmp_path)
    assert found.scenarios == 4 and found.kills >= 4 and found.trials > 20
    assert found.clean, found
