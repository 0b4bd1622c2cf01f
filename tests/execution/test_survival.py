"""What a kill -9 of the study's process leaves behind: results, and nothing that runs."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.execution.processes import eventually, gone
from tunewise.execution import recover
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
