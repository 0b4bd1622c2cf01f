"""A study that was killed while it discovered its space goes on from what is kept."""

import subprocess
import sys
from pathlib import Path

import pytest

import tunewise as tw

CODE = """
import os, sys
import tunewise as tw
from tunewise.study import Study

def train(trial):
    return {"accuracy": trial.suggest_float("x", 0, 1), "time": 1.0}

if len(sys.argv) > 2:
    def die(self, *told):
        os._exit(9)
    setattr(Study, sys.argv[2], die)
problem = tw.Problem(maximize="accuracy")
with tw.Study(problem, "random", seed=0, storage=sys.argv[1], name="s") as study:
    study.optimize(train, trials=3, progress=False)
"""


@pytest.mark.parametrize(
    "moment", ["tell", *(pytest.param(m, marks=pytest.mark.long) for m in ("add", "reopen"))]
)
def test_the_space_is_there_after_a_kill_at_any_step(tmp_path: Path, moment: str) -> None:
    storage = str(tmp_path / "s.db")
    killed = subprocess.run([sys.executable, "-c", CODE, storage, moment], check=False)
    assert killed.returncode == 9
    subprocess.run([sys.executable, "-c", CODE, storage], check=True)
    with tw.load_study(storage, "s") as study:
        assert study.problem.space.names == ("x",)
        known = [trial for trial in study.history.complete if trial.config]
        assert all(trial.metrics["accuracy"] == trial.config["x"] for trial in known)
        assert len([t for t in study.history if t.state != "cancelled"]) == 3
