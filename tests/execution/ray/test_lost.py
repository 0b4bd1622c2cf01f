"""Nodes, workers and the head of a Ray cluster are lost: trials and money are not."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.chaos.faults import on_ray
from tests.execution.ray.driver import TRIALS, problem
from tests.execution.ray.nodes import cluster, kill_worker, nodes
from tests.postgres import binaries, free_port
from tunewise.execution.ray import RayExecutor

ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'tunewise[ray]'")

ROOT = Path(__file__).resolve().parents[3]


def until(seen: Any, within: float = 200.0) -> Any:
    deadline = time.monotonic() + within
    while not (found := seen()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def slow_at_first(file: str) -> Any:
    """A job that does not end in its first attempt, and leaves a checkpoint there."""

    def job(trial: Any) -> dict[str, float]:
        kept = trial.checkpoints / "steps"
        if kept.exists():
            return {"accuracy": 0.5, "resumed": float(kept.read_text())}
        kept.write_text("0.01")
        Path(file).touch()
        time.sleep(600)
        return {}

    return job


def lose(what: Any, file: Path, folder: Path) -> tw.Study:
    """A study of one trial, during whose first attempt something is lost."""
    study = tw.Study(problem(), "random", 0)

    def work() -> None:
        until(file.exists)
        what()

    losing = threading.Thread(target=work, daemon=True)
    losing.start()
    with RayExecutor(1) as executor:
        study.optimize(
            slow_at_first(str(file)), 1, executor=executor, folder=folder, progress=False
        )
    return study


def check(study: tw.Study) -> None:
    """The trial ran again, from its checkpoint, and both attempts are paid for."""
    (trial,) = study.history
    assert trial.state == "complete", trial
    assert trial.lost["time"] > 0
    assert trial.metrics["resumed"] == 0.01
    assert study.spent["cost"] == pytest.approx(study.spent["time"])
    assert study.spent["time"] >= trial.lost["time"]


def test_a_trial_whose_node_is_killed_goes_on_elsewhere_from_its_checkpoint(tmp_path: Path) -> None:
    with nodes() as made:
        file = tmp_path / "told"

        def kill_node() -> None:
            told = json.loads((tmp_path / "runs/0/usage.json").read_text())["node"]
            (doomed,) = [node for node in made.list_all_nodes() if node.node_id == told]
            made.remove_node(doomed, allow_graceful=False)

        check(lose(kill_node, file, tmp_path / "runs"))
        check(lose(kill_worker, tmp_path / "again", tmp_path / "others"))


class Driver:
    """The process of a study on a cluster."""

    def __init__(self, address: str, folder: Path, seconds: float) -> None:
        self.storage, self.begun = f"sqlite:///{folder}/s.db", folder / "begun"
        self.begun.mkdir(exist_ok=True)
        self._errors = folder / "errors.txt"
        module = "tests.execution.ray.driver"
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, address, self.storage, self.begun, str(seconds)],
                cwd=ROOT,
                stderr=errors,
                env={**os.environ, "RAY_gcs_rpc_server_reconnect_timeout_s": "10"},
            )

    def wait(self) -> int:
        """Its exit code."""
        return self.process.wait(timeout=300)

    def history(self) -> tw.History:
        """What the store has."""
        with tw.Study(problem(), "random", 0, self.storage, "s") as study:
            return study.history

    @property
    def errors(self) -> str:
        """What it said."""
        return self._errors.read_text()


@pytest.fixture
def redis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Redis in which the head of a cluster keeps its state."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server is installed: apt-get install redis-server")
    port = free_port()
    server = subprocess.Popen(
        [program, "--port", str(port), "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    monkeypatch.setenv("RAY_REDIS_ADDRESS", f"127.0.0.1:{port}")
    yield
    server.send_signal(signal.SIGTERM)
    server.wait(timeout=60)


@pytest.mark.usefixtures("redis")
def test_trials_go_on_while_a_head_that_keeps_its_state_is_restarted(tmp_path: Path) -> None:
    with cluster((2,)) as made:
        driver = Driver(made.address, tmp_path, 6.0)
        until(lambda: len(list(driver.begun.iterdir())) == 2)
        made.head_node.kill_gcs_server()
        time.sleep(2)
        made.head_node.start_gcs_server()
        assert driver.wait() == 0, driver.errors
        trials = driver.history()
        assert [str(trial.state) for trial in trials] == ["complete"] * TRIALS
        assert not any(trial.lost for trial in trials)


def test_an_aborted_driver_loses_no_trial(tmp_path: Path) -> None:
    with cluster((2,)) as made:
        driver = Driver(made.address, tmp_path, 250.0)
        until(lambda: len(list(driver.begun.iterdir())) == 2)
        made.head_node.kill_gcs_server()
        assert driver.wait() != 0
    with cluster((2,)) as made:
        again = Driver(made.address, tmp_path, 0.1)
        assert again.wait() == 0, again.errors
    trials = again.history()
    assert [str(trial.state) for trial in trials] == ["complete"] * TRIALS
    assert [trial.lost.get("time", 0.0) > 0 for trial in trials] == [True, True, False, False]


def test_a_study_on_ray_accounts_for_all_trials_and_money_whatever_breaks() -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed")
    found = on_ray(away=4.0, rounds=1)
    assert not found.wrong
    assert found.trials == 8
