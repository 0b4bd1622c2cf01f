"""Trials of a measured table that report what they passed, as a collected table has it."""

from pathlib import Path

import pytest

from benchmarks.passing import Passing, key, measured_curves
from tunewise.benchmark import ReplayExecutor, Table
from tunewise.errors import ExecutionError
from tunewise.history import Trial
from tunewise.study.executor import Report, Request

ROWS = "x,mode,fraction,accuracy,time\n1,fast,0.5,0.5,10\n1,fast,1,0.8,20\n"
PASSED = (
    "x,mode,fraction,snapshot,accuracy,time\n1,fast,1,0.25,0.3,5\n1,fast,1,0.5,0.5,\n"
    "1,fast,0.5,0.25,0.3,5\n"
)


def curves(folder: Path, text: str = PASSED) -> Path:
    (folder / "t_snapshots.csv").write_text(text)
    return folder / "t_snapshots.csv"


def test_a_trial_is_known_by_what_its_values_are_not_by_how_they_are_written() -> None:
    assert key({"x": 1, "mode": "fast"}, 1 / 60) == key({"mode": "fast", "x": "1.0"}, 0.01667)
    assert key({"x": 1e-5}, 1.0) == key({"x": "0.00001"}, 1.0)
    assert key({"x": 1}, 1.0) != key({"x": 2}, 1.0)
    assert key({"x": 1}, 1.0) != key({"x": 1}, 0.5)
    assert key({"x": "a"}, 1.0) != key({"x": "b"}, 1.0)


def test_snapshots_are_read_by_trial_without_what_was_not_measured(tmp_path: Path) -> None:
    found = measured_curves(curves(tmp_path), ["x", "mode"], ["accuracy", "time"])
    config = {"x": 1, "mode": "fast"}
    assert found[key(config, 1.0)] == [
        (0.25, {"accuracy": 0.3, "time": 5.0}),
        (0.5, {"accuracy": 0.5}),
    ]
    assert found[key(config, 0.5)] == [(0.25, {"accuracy": 0.3, "time": 5.0})]
    assert len(found) == 2


@pytest.mark.parametrize(
    "text", ["x,mode,fraction,accuracy\n1,fast,1,0.5\n", PASSED.replace("0.3", "much"), "x\n1\n"]
)
def test_what_is_no_table_of_snapshots_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExecutionError, match="t_snapshots.csv holds no snapshots of a collected"):
        measured_curves(curves(tmp_path, text), ["x", "mode"], ["accuracy", "time"])
    with pytest.raises(ExecutionError, match="missing.csv holds no snapshots"):
        measured_curves(tmp_path / "missing.csv", ["x"], ["accuracy"])


def test_a_trial_reports_what_it_passed_and_ends_with_what_it_measured(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(ROWS)
    table = Table(tmp_path / "t.csv", ["x", "mode"], metrics=["accuracy", "time"])
    passed = measured_curves(curves(tmp_path), ["x", "mode"], ["accuracy", "time"])
    clock, heard = ReplayExecutor(), list[tuple[float, float | None, float]]()

    def report(said: Report) -> None:
        heard.append((clock.now(), said.fraction, said.metrics["accuracy"]))

    job = Passing(table, passed)
    trial = Trial(0, {"x": 1, "mode": "fast"})
    future = clock.start(Request(job, trial, report=report))
    assert future.result().metrics == {"accuracy": 0.8, "time": 20.0}
    # The first at its own time, the second when half of the trial's time has passed.
    assert heard == [(5.0, 0.25, 0.3), (10.0, 0.5, 0.5)]
    silent = Passing(table, {})
    heard.clear()
    assert clock.start(Request(silent, trial, report=report)).result().metrics["accuracy"] == 0.8
    assert heard == []
