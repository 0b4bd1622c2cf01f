"""The trainings on Fashion-MNIST learn, whatever their workers do, and say what they lack."""

import csv
import gzip
import importlib
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import TUNEWISE, clean_environment
from tunewise.errors import DataError
from tunewise.execution import RunningTrial
from tunewise.history import Trial
from tunewise.study.executor import Report

FASHION = Path(__file__).resolve().parents[2] / "examples" / "fashion_mnist"
DATA = Path("/usr/share/datasets/fashion-mnist")

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs Fashion-MNIST: apt-get install dataset-fashion-mnist"
)


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")
    monkeypatch.syspath_prepend(str(FASHION))
    return importlib.import_module("clothes")


def trial(**config: Any) -> RunningTrial:
    whole = {"learning_rate": 0.003, "batch_size": 64, "width": 16, "workers": 1, "mode": "sync"}
    return RunningTrial.of(Trial(0, {**whole, **config}, 0.1, (1 / 60,)))


@needs_data
@pytest.mark.parametrize(
    ("network", "workers", "mode"),
    [("mlp", 1, "sync"), ("mlp", 2, "sync"), ("mlp", 2, "async"), ("cnn", 1, "sync")],
)
def test_a_network_learns_by_any_number_of_workers(
    train: Any, network: str, workers: int, mode: str
) -> None:
    from tunewise.execution.running_trial import reporting

    heard: list[Report] = []
    with reporting(heard.append):
        result = getattr(train, network)(trial(workers=workers, mode=mode))
    assert result["accuracy"] > 0.5
    assert result["time"] > 0
    assert [round(report.fraction or 0, 4) for report in heard] == [0.0167]
    assert heard[0].metrics["accuracy"] < result["accuracy"]
    assert heard[0].metrics["time"] < result["time"]


@needs_data
def test_the_recurrent_network_learns_more_than_chance(train: Any) -> None:
    assert train.lstm(trial(learning_rate=0.01))["accuracy"] > 0.3


@needs_data
def test_a_time_cap_ends_a_training_with_what_it_has_reached(
    train: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train.cnn(trial(workers=2))["time"]
    monkeypatch.setattr(train, "CAP", 0.05 * whole)
    assert train.cnn(trial(workers=2))["time"] < 0.7 * whole


@needs_data
def test_trees_learn_from_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(FASHION))
    trees = importlib.import_module("trees")
    config = {"learning_rate": 0.3, "leaves": 8, "trees": 5, "workers": 1}
    assert trees.train(RunningTrial.of(Trial(0, config, 1 / 60)))["accuracy"] > 0.5


def test_a_machine_without_the_pictures_says_how_to_get_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import fashion; fashion.load()"],
        cwd=FASHION,
        env={**os.environ, "FASHION_MNIST": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "apt-get install dataset-fashion-mnist" in done.stderr.splitlines()[-1]


@needs_data
def test_a_part_of_the_grid_is_collected_and_replayed(train: Any, tmp_path: Path) -> None:
    text = (FASHION / "mlp.yaml").read_text()
    text = text.replace("clothes.py", str(FASHION / "clothes.py"))
    small = {"learning_rate": "[0.003]", "width": "[64]", "batch_size": "[512]"}
    for name, values in small.items():
        text = re.sub(rf"  {name}: .*", f"  {name}: {values}", text)
    (tmp_path / "small.yaml").write_text(text.replace("1/4, 1/2, 1]", "1]"))
    command = [str(TUNEWISE), "collect", "small.yaml", "--repeats", "2", "-o", "small.csv"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "small.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    assert all(float(row["cost"]) > 0 and float(row["accuracy_std"]) >= 0 for row in rows)


@pytest.mark.parametrize("bytes_kept", [0, 5, 30, 60])
def test_files_that_are_cut_off_are_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bytes_kept: int
) -> None:
    whole = {"images-idx3": bytes(16 + 2 * 28 * 28), "labels-idx1": bytes(8 + 2)}
    for part in ("train", "t10k"):
        for name, content in whole.items():
            packed = gzip.compress(random.Random(0).randbytes(len(content)))
            (tmp_path / f"{part}-{name}-ubyte.gz").write_bytes(packed)
    monkeypatch.setenv("FASHION_MNIST", str(tmp_path))
    monkeypatch.syspath_prepend(str(FASHION))
    fashion = importlib.import_module("fashion")
    assert len(fashion.load.__wrapped__().images) == 2
    cut = tmp_path / "train-images-idx3-ubyte.gz"
    cut.write_bytes(cut.read_bytes()[:bytes_kept])
    with pytest.raises(DataError, match="train-images-idx3-ubyte.gz is damaged or cut off"):
        fashion.load.__wrapped__()
