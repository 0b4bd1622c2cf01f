"""People's own files are trained on a real Ray, through the deaths of its parts.

Each training is a process of its own: this one would stay connected to Ray, beside other tests.
"""

import importlib.util
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.cli.shell import PATIENCE, TUNEWISE, process
from tunewise.job.training.rows import read_rows
from tunewise.job.training.tensors import read_tensors
from tunewise.paramserver import Logistic, url_like

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'tunewise[ray]'"
    ),
    pytest.mark.xdist_group("ray"),
    pytest.mark.long,
]

JOB = """
name: files
paramserver:
  on: ray
  data: {file: rows.svm, features: 500}
  rate: 2.0
  l2: 0.01
  validation: 0.2
space: {servers: [1, 2], workers: [1, 2], batch_size: [50, 100]}
default: {servers: 2, workers: 2, batch_size: 100}
until: samples >= 400000
checkpoint: 1 s
seed: 0
"""


def written(folder: Path) -> None:
    made = url_like(2000, 500, per_row=20, noise=0.1)
    with (folder / "rows.svm").open("w") as file:
        for row, label in zip(made.x, made.y, strict=True):
            pairs = zip(row.indices + 1, row.data, strict=True)
            file.write(f"{label:g} {' '.join(f'{place}:{value:.6g}' for place, value in pairs)}\n")
    (folder / "files.yaml").write_text(JOB)


def actors(of: int, kind: str) -> list[int]:
    """The processes of a kind of actor that a process has started, by their titles."""
    listed = subprocess.run(
        ["ps", "-eo", "pid,sid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    rows = [line.split(None, 2) for line in listed]
    return [int(pid) for pid, sid, args in rows if int(sid) == of and f"ray::{kind}" in args]


def started(folder: Path) -> subprocess.Popen[str]:
    command = [str(TUNEWISE), "train", "files.yaml", "--json", "--output", "model.safetensors"]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def killed_one(running: subprocess.Popen[str], kind: str) -> None:
    end = time.monotonic() + PATIENCE
    while not (found := actors(running.pid, kind)) and time.monotonic() < end:
        time.sleep(0.2)
    assert found, f"no {kind} was started"
    os.kill(found[0], signal.SIGKILL)


def test_the_deaths_of_a_worker_a_server_and_the_driver_leave_the_same_model(
    tmp_path: Path,
) -> None:
    written(tmp_path)
    running = started(tmp_path)
    killed_one(running, "WorkerActor")
    time.sleep(2)
    killed_one(running, "ServerActor")
    time.sleep(2)
    assert running.poll() is None, running.communicate()
    os.killpg(running.pid, signal.SIGKILL)  # the driver, and what it started
    running.communicate()
    again = started(tmp_path)
    output, errors = again.communicate(timeout=10 * PATIENCE)
    assert again.returncode == 0, errors
    end = json.loads(output.splitlines()[-1])
    assert end["done"]
    values = np.concatenate(
        [each.ravel() for each in read_tensors(tmp_path / "model.safetensors")[0].values()]
    )
    serial, data = Logistic(500, 0.01), read_rows(tmp_path / "rows.svm", features=500)
    batch, known = data.batch(np.arange(data.rows)), np.zeros(500)
    for _ in range(500):  # the whole gradient, to the end
        known[batch.keys] -= 2.0 * serial.gradient(known[batch.keys], batch)[1]
    assert serial.loss(values, batch) < serial.loss(known, batch) + 0.02
    agree = np.sign(data.x @ values) == np.sign(data.x @ known)
    assert agree.mean() > 0.93
    asked = process(
        "train", "files.yaml", "--output", "model.safetensors", "--predict", "rows.svm",
        cwd=tmp_path,
    )  # fmt: skip
    told = [json.loads(line)["score"] for line in asked.stdout.splitlines()]
    np.testing.assert_allclose(told, data.x @ values, atol=1e-9)
