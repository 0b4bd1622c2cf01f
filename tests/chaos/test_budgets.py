"""A short version of `make budget-chaos`."""

from pathlib import Path

import pytest

from tests.chaos.budgets import chaos


@pytest.mark.parametrize("count", [4, pytest.param(16, marks=pytest.mark.long)])
def test_random_searches_in_real_processes_keep_their_budget(tmp_path: Path, count: int) -> None:
    results = chaos(count, count // 2, seed=1, folder=tmp_path)
    assert len(results) == count and sum(r.trials for r in results) > count
    assert [r for r in results if r.over > 1.0] == []
