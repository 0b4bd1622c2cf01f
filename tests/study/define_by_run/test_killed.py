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


KILLED = """
import os, pathlib, signal, sys
import tunewise as tw

def train(trial):
    begun = pathlib.Path(sys.argv[2])
    first = not begun.exists()
    begun.touch()
    if first and sys.argv[3] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    x = trial.suggest_float("x", 0, 1)
    if first:
        os.kill(os.getpid() if sys.argv[3] == "after" else int(sys.argv[4]), signal.SIGKILL)
        signal.pause()
    return {"accuracy": x}

sys.argv.append(str(os.getpid()))
problem = tw.Problem(maximize="accuracy")
with tw.Study(problem, "random", seed=0, storage=sys.argv[1], name="s") as study:
    study.optimize(train, trials=3, progress=False)
"""


@pytest.mark.parametrize("moment", ["before", "after", "driver"])
def test_a_first_training_that_is_killed_is_booked_and_the_study_goes_on(
    tmp_path: Path, moment: str
) -> None:
    """Before or after it has asked for its first parameter, or together with who started it."""
    storage = str(tmp_path / "s.db")
    command = [sys.executable, "-c", KILLED, storage, str(tmp_path / "begun"), moment]
    killed = subprocess.run(command, check=False)
    assert killed.returncode == (-9 if moment == "driver" else 0)
    subprocess.run(command, check=True)
    with tw.load_study(storage, "s") as study:
        assert study.problem.space.names == ("x",)
        told = [trial for trial in study.history if trial.state != "cancelled"]
        assert len(told) == 3 and not study.history.pending
        failed = [] if moment == "driver" else told[:1]
        assert list(study.history.failed) == failed
        for trial in failed:
            assert "killed by SIGKILL" in str(trial.outcome) and trial.spent["time"] > 0
        assert all(t.metrics["accuracy"] == t.config["x"] for t in study.history.complete)
