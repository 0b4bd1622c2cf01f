"""Weights & Biases, offline: runs lie in a folder until `wandb sync` sends them."""

from pathlib import Path

import pytest

import tunewise as tw
from tests.extras import late, needs
from tunewise.history import Failure

needs("wandb", "wandb")
WandbCallback = late("tunewise.integrations.wandb", "WandbCallback")
pytestmark = pytest.mark.filterwarnings("default")  # wandb has some of its own


def test_each_ended_trial_is_an_offline_run_once(tmp_path: Path) -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, "random", seed=0, name="s")
    callback = WandbCallback("project", mode="offline", dir=str(tmp_path))
    first, second = study.ask(), study.ask()
    callback(study, study.tell(first, {"accuracy": 0.5}))
    study.tell(second, Failure("out of memory"))
    assert callback.log(study) == 1
    assert callback.log(study) == 0
    runs = sorted(tmp_path.glob("wandb/offline-run-*/run-*.wandb"))
    assert len(runs) == 2
    kept = b"".join(run.read_bytes() for run in runs)
    for said in (b"s-0", b"s-1", b"accuracy", b"out of memory"):
        assert said in kept
