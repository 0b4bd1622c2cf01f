"""A job may tell more than it was asked for: nothing breaks, and it is shown."""

from pathlib import Path

import pytest

from tests.cli.shell import job, tunewise

TRAIN = "def train(trial):\n    return {'accuracy': 0.5, 'loss': 0.25, 'time': 1.0}\n"


@pytest.mark.parametrize("strategy", ["random", "cherrypick"])
def test_an_undeclared_metric_is_told_at_the_end_shown_and_reported(
    tmp_path: Path, strategy: str
) -> None:
    path = job(tmp_path, strategy=strategy)
    (tmp_path / "work.py").write_text(TRAIN)
    done = tunewise("tune", path, "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "loss" in tunewise("show", "quick", "--trial", 0, cwd=tmp_path).stdout
    assert tunewise("show", "quick", cwd=tmp_path).returncode == 0
    assert tunewise("report", "quick", cwd=tmp_path).returncode == 0
