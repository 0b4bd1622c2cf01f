"""Trials on a Ray of several nodes: what they need, and what happens when something dies."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.execution.ray.nodes import nodes
from tunewise.execution.ray import RayExecutor, machines
from tunewise.execution.running_trial import RunningTrial
from tunewise.history import Failure, Measurement, Preempted, Trial
from tunewise.study.executor import Report

ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'tunewise[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head that runs nothing, and two nodes of type t2.small."""
    with nodes() as made:
        yield made


def until(seen: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 200
    while not (found := seen()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def ray_worker() -> int:
    """The pid of the Ray worker above this process."""
    pid = os.getpid()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        if b"ray::" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    return 0


def sleeper(file: str) -> Callable[[Trial], dict[str, float]]:
    """A job that says who runs it, and sleeps in its first attempt."""
    seek = ray_worker

    def job(trial: Trial) -> dict[str, float]:
        node = os.environ.get("RAY_NODE_ID", "")
        first = not Path(file).exists()
        told = {"worker": seek(), "job": os.getpid(), "node": node}
        Path(f"{file}.new").write_text(json.dumps(told))
        os.replace(f"{file}.new", file)
        print("hello from", os.getpid(), flush=True)
        if first:
            time.sleep(600)
        return {"accuracy": 0.5}

    return job


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_cluster_config_gets_all_its_machines(cluster: Any) -> None:
    with RayExecutor(1, resources=machines()) as pool:

        def job(trial: Trial) -> dict[str, float]:
            return {"grouped": float("TUNEWISE_PLACEMENT_GROUP" in os.environ)}

        for value, grouped in (("t2.small:2", 1.0), ("t2.small:1", 0.0)):
            outcome = pool.submit(job, Trial(0, {"cluster": value})).result(timeout=300)
            assert isinstance(outcome, Measurement), outcome
            assert outcome.metrics["grouped"] == grouped


def test_what_the_cluster_does_not_have_is_said(cluster: Any) -> None:
    with RayExecutor(1, resources={"CPU": "cores"}, patience=1.0) as pool:
        outcome = pool.submit(lambda t: {}, Trial(0, {"cores": 64})).result(timeout=300)
    assert type(outcome) is Failure
    assert "the trial needs 64 CPU, the cluster has 2" in outcome.reason


def test_logs_reports_and_usage_come_back_while_it_runs(cluster: Any, tmp_path: Path) -> None:
    heard: list[Report] = []

    def job(trial: RunningTrial) -> dict[str, float]:
        print("step one", flush=True)
        trial.report(accuracy=0.4, fraction=0.1)
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        time.sleep(600)
        return {"accuracy": 0.5}

    folder = tmp_path / "trial"
    with RayExecutor(1) as pool:
        future = pool.submit(job, Trial(0, {}), folder=folder, report=heard.append)
        until(lambda: heard and (folder / "log.txt").exists() and (folder / "usage.json").exists())
        assert heard[0] == Report({"accuracy": 0.4}, 0.1)
        assert (folder / "log.txt").read_text() == "step one\n"
        until(lambda: json.loads((folder / "usage.json").read_text() or "{}").get("memory", 0) > 0)
        nodes = [node["NodeID"] for node in ray.nodes()]
        assert json.loads((folder / "usage.json").read_text())["node"] in nodes
        pool.stop(future, Failure("enough"))
        assert future.result(timeout=120).metrics["time"] > 0


def test_the_end_of_a_long_log_comes_back_too(cluster: Any, tmp_path: Path) -> None:
    def job(trial: Trial) -> dict[str, float]:
        for _ in range(60):
            print("x" * 100_000)
            time.sleep(0.02)
        print("the end", flush=True)
        return {}

    with RayExecutor(1) as pool:
        pool.submit(job, Trial(0, {}), folder=tmp_path / "trial").result(timeout=200)
    assert (tmp_path / "trial" / "log.txt").read_text().endswith("x\nthe end\n")


def test_a_trial_whose_worker_is_killed_is_preempted_and_its_processes_end(
    cluster: Any, tmp_path: Path
) -> None:
    file = tmp_path / "told"
    with RayExecutor(1) as pool:
        future = pool.submit(sleeper(str(file)), Trial(0, {}))
        told = until(lambda: file.exists() and json.loads(file.read_text()))
        os.kill(told["worker"], signal.SIGKILL)
        outcome = future.result(timeout=200)
    assert type(outcome) is Preempted
    assert outcome.metrics["time"] > 0
    until(lambda: not alive(told["job"]))
