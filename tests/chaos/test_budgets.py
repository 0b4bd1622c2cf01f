"""A short version of `make budget-chaos`."""

from pathlib import Path

from tests.chaos.budgets import chaos


def test_random_searches_in_real_processes_keep_their_budget(tmp_path: Path) -> None:
    results = chaos(16, 8, seed=1, folder=tmp_path)
    assert len(results) == 16 and sum(r.trials for r in results) > 16
    assert [r for r in results if r.over > 1.0] == []
