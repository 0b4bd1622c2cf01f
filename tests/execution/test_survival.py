"""What a kill -9 of the study's process leaves behind: results, and nothing that runs."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.doubts import nothing_recommended
from tests.execution import massacre
from tests.execution.processes import alive, eventually, gone
from tunewise.execution import RunningTrial, recover
from tunewise.history import Measurement, Trial

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def study(folder: Path, way: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.execution.study_process", str(folder), way]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("way", ["plain", "deaf"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
def test_workers_and_all_they_started_die_with_the_study(
    tmp_path: Path, way: str, number: signal.Signals
) -> None:
    files = [tmp_path / str(i) / "pids" for i in range(2)]
    with study(tmp_path, way) as process:
        assert eventually(lambda: all(file.exists() for file in files))
        pids = [int(pid) for file in files for pid in file.read_text().split()]
        assert len(pids) == 10
        process.send_signal(number)
        process.wait()
        assert gone(pids)


def test_a_result_that_the_study_never_heard_of_is_recovered(tmp_path: Path) -> None:
    with study(tmp_path, "silence the study") as process:
        file = tmp_path / "0" / "result.json"
        assert eventually(file.exists)
        process.kill()
    asked = Trial(0, {"x": 0})
    assert recover(tmp_path / "0", asked) == Measurement({"accuracy": 0.5, "time": 12.5})
    for other in (
        replace(asked, number=1),
        replace(asked, config={"x": 1}),
        replace(asked, fraction=0.5),
        replace(asked, lost={"time": 3.0}),
    ):
        assert recover(tmp_path / "0", other) is None


def test_what_outlived_all_watchers_is_ended_and_booked_at_the_next_start(tmp_path: Path) -> None:
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.execution.massacre", str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert all(map(alive, pids))
    time.sleep(1.0)

    def job(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": float(any(map(alive, pids)))}

    with massacre.study(tmp_path) as study:
        study.optimize(job, trials=1)
        told = study.history[0]
    assert told.metrics["accuracy"] == 0, "the second attempt ran beside the first"
    assert gone(pids)
    assert 1.0 <= told.lost["time"] <= time.monotonic() - began
    assert told.lost["cost"] == pytest.approx(told.lost["time"])


@nothing_recommended
@pytest.mark.long
def test_what_outlived_a_study_is_ended_even_if_no_trial_is_begun(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.execution.massacre", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=False)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    with massacre.study(tmp_path) as study:
        study.optimize(lambda trial: {"accuracy": 0.5}, timeout=1e-9)
        assert gone(pids)
        study.optimize(lambda trial: {"accuracy": 0.5}, trials=1)
        assert study.history[0].lost["time"] > 0
