"""Feeders and workers may be killed at any moment."""

from pathlib import Path

import pytest

from tests.extras import needs

needs("lightgbm", "tasks")
needs("onnxruntime", "tasks")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking: it is what is tested
def test_nothing_accepted_is_lost_or_doubled_when_processes_are_killed(tmp_path: Path) -> None:
    from benchmarks.tasks.kills import survived

    found = survived(tmp_path, 3, longest=1.0)
    assert found["examples"] >= 60
