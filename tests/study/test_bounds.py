"""Work per report is constant, and what is kept of a trial is bounded."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import MeasurementError
from tunewise.execution import Command
from tunewise.history.bounds import MOST_METRICS, MOST_SNAPSHOTS
from tunewise.problem import Metrics
from tunewise.storage import MemoryStore
from tunewise.study import Owner

PROBLEM = tw.Problem(tw.Space(tw.Choice("x", [1, 2])), maximize="accuracy", fractions=(0.5, 1.0))


class Counting(MemoryStore):
    """Counts how often reports are written, and how many snapshots."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = self.snapshots = 0

    def report(
        self, study: str, number: int, snapshots: Mapping[float, Metrics], owner: Owner
    ) -> None:
        self.writes += 1
        self.snapshots += len(snapshots)
        super().report(study, number, snapshots, owner)


def script(tmp_path: Path, body: str) -> Command:
    file = tmp_path / "job.py"
    file.write_text(f"import json\n{body}\n")
    return Command([sys.executable, str(file)])


def test_thousands_of_snapshots_are_few_writes_and_few_are_kept(tmp_path: Path) -> None:
    body = """
for i in range(1, 3000):
    print(json.dumps({"fraction": i / 3000, "accuracy": i / 6000}))
print(json.dumps({"accuracy": 0.5}))"""
    store = Counting()
    study = tw.Study(PROBLEM, "random", 0, store)
    study.optimize(script(tmp_path, body), trials=1, progress=False)
    told = study.history[0].measurement
    assert told is not None
    assert 0.5 in told.snapshots
    assert MOST_SNAPSHOTS <= len(told.snapshots) <= 2 * (MOST_SNAPSHOTS + 2)
    assert store.snapshots <= MOST_SNAPSHOTS + 2
    assert store.writes <= MOST_SNAPSHOTS


def test_of_thousands_of_metrics_those_are_kept_that_the_problem_needs(tmp_path: Path) -> None:
    body = """print(json.dumps({**{f"k{i}": i for i in range(5000)}, "accuracy": 0.5}))"""
    study = tw.Study(PROBLEM, "random", 0)
    study.optimize(script(tmp_path, body), trials=1, progress=False)
    metrics = study.history[0].metrics
    assert metrics["accuracy"] == 0.5 and metrics["k0"] == 0
    assert len(metrics) <= MOST_METRICS + 3


@pytest.mark.parametrize("name", ["\ud800", "k" * 5000])
def test_a_study_stays_readable_whatever_a_job_calls_its_metrics(tmp_path: Path, name: str) -> None:
    line = json.dumps({"accuracy": 0.5, name: 1})
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(PROBLEM, "random", 0, url, "s") as study:
        study.optimize(script(tmp_path, f"print({line!r})"), trials=1, progress=False)
    with tw.load_study(url, "s") as again:
        assert again.history[0].metrics["accuracy"] == 0.5
        assert name not in again.history[0].metrics
    with pytest.raises(MeasurementError, match="expected a name of at most"):
        tw.Measurement({"accuracy": 0.5, name: 1.0})
