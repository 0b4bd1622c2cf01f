"""Job files whose trials differ in epochs."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import job, tunewise
from tunewise.job.loading import load_study

TRAIN = """
import json, os, sys
for epoch in range(1, int(sys.argv[2]) + 1):
    print(json.dumps({"accuracy": 0.5 + float(sys.argv[1]) / 10 + epoch / 100, "step": epoch}))
assert sys.argv[2] == os.environ["TUNEWISE_EPOCHS"]
"""

FUNCTION = """
def train(trial):
    for epoch in range(1, trial.epochs + 1):
        accuracy = 0.5 + trial.config["x"] / 10 + epoch / 100
        trial.report(accuracy, step=epoch)
    return {"accuracy": accuracy}
"""


@pytest.mark.parametrize("kind", ["command", "python"])
def test_each_line_with_a_step_is_an_observation(kind: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN if kind == "command" else FUNCTION)
    runs = f"{sys.executable} train.py {{x}} {{epochs}}" if kind == "command" else "train.py:train"
    given: dict[str, Any] = {
        "python": None,
        "subject_to": [],
        "price": None,
        "trials": 2,
        kind: runs,
    }
    path = job(tmp_path, resource="epochs", fractions=[1, 3, 9], strategy="trimtuner", **given)

    done = tunewise("tune", path, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "epochs" in done.stderr and "of the data" not in done.stdout + done.stderr
    with load_study(f"sqlite:///{tmp_path}/tunewise.db", "quick") as study:
        assert [round(9 * trial.fraction) for trial in study.history] == [1, 9]
        told = study.history[1].measurement
        assert told is not None
        assert [round(9 * s) for s in sorted(told.snapshots)] == list(range(1, 9))


def test_epochs_that_are_no_epochs_are_refused_with_their_line(tmp_path: Path) -> None:
    path = job(tmp_path, resource="epochs", fractions=[0.5, 1])
    done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "fractions" in done.stderr and "expected whole epochs, such as (1, 3, 9, 27)" in done.stderr
    )


def test_a_command_that_leaves_its_epochs_unused_is_spoken_of(tmp_path: Path) -> None:
    given = {"python": None, "command": f"{sys.executable} train.py {{x}} {{y}}"}
    path = job(tmp_path, resource="epochs", fractions=[1, 3], **given)
    (tmp_path / "train.py").write_text(TRAIN)
    done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert "the command never uses {epochs}" in done.stderr
