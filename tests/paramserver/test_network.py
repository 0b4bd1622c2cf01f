"""Networks as models of a parameter server."""

import json
import pickle
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")

from tests.cli.shell import invoke  # noqa: E402 - PyTorch may be absent
from tunewise.errors import ExecutionError  # noqa: E402
from tunewise.job.training import workload  # noqa: E402
from tunewise.job.training.file import load  # noqa: E402
from tunewise.job.training.tensors import read_tensors  # noqa: E402
from tunewise.paramserver import Dataset, Machines, Setting, Simulation, Training  # noqa: E402 - torch may be absent
from tunewise.paramserver.data import pictures  # noqa: E402
from tunewise.paramserver.network import Network, cnn, mlp, thesis_cnn  # noqa: E402


def images(rows: int = 120, side: int = 8, classes: int = 3) -> Dataset:
    """Bars at one of several heights, in noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    x = 0.3 * rng.standard_normal((rows, side, side))
    x[np.arange(rows), y * 2 + 1] += 1.0
    return Dataset(x.reshape(rows, -1), y.astype(float))


@pytest.mark.parametrize("network", [mlp([64, 8, 3], l2=0.01), cnn(8, 2, 3, l2=0.01)])
def test_the_gradient_is_that_of_the_loss(network: Network) -> None:
    batch = images(10).batch(np.arange(10))
    values = network.initial(1)
    loss, gradient = network.gradient(values, batch)
    assert loss == pytest.approx(network.loss(values, batch), rel=1e-5)
    rng = np.random.default_rng(0)
    for _ in range(3):
        way = rng.standard_normal(network.size)
        way /= np.linalg.norm(way)
        step = 1e-2
        rise = network.loss(values + step * way, batch) - network.loss(values - step * way, batch)
        assert rise / (2 * step) == pytest.approx(float(gradient @ way), abs=5e-3)


def test_the_same_seed_begins_the_same_and_another_elsewhere() -> None:
    network = mlp([4, 3, 2])
    assert network.initial(1) == pytest.approx(network.initial(1))
    assert network.initial(1) != pytest.approx(network.initial(2))


def test_its_work_counts_the_weights_that_a_row_meets() -> None:
    batch = images(10).batch(np.arange(10))
    assert mlp([64, 8, 3]).work(batch) == 3 * 10 * (64 * 8 + 8 * 3)
    convolutions = 8 * 8 * 9 * 2 + 4 * 4 * 9 * 2 * 4
    assert cnn(8, 2, 3).work(batch) == 3 * 10 * (convolutions + 4 * 4 * 3)


def test_it_travels_to_other_processes() -> None:
    network = pickle.loads(pickle.dumps(cnn(8, 2, 3)))
    assert network.size == cnn(8, 2, 3).size


def test_a_module_and_a_loss_of_ones_own_are_trained() -> None:
    class Twice(torch.nn.Module):  # type: ignore[misc,name-defined] # torch is skipped by mypy
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def forward(self, x: Any) -> Any:
            return self.layer(x)[:, 0]

    network = Network(Twice, criterion=lambda out, y: ((out - y.float()) ** 2).mean())
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 2))
    training = Training(network, Dataset(x, x.sum(axis=1)), rate=0.1)
    running = Simulation(training, Setting(workers=2, batch_size=10), Machines(nodes=3))
    running.run(60)
    assert running.values == pytest.approx([1.0, 1.0, 0.0], abs=0.1)


@pytest.mark.parametrize("consistency", ["bsp", "ssp:2", "asp"])
def test_a_network_learns_on_the_simulated_cluster(consistency: str) -> None:
    training = Training(cnn(8, 2, 3), images(), rate=0.1)
    setting = Setting(servers=2, workers=3, consistency=consistency, batch_size=10)
    running = Simulation(training, setting, Machines(nodes=5))
    losses = [i.loss for i in running.run(200 if consistency == "bsp" else 500)]
    assert losses[-1] < 0.7 * losses[0]


def test_a_module_that_normalises_over_batches_is_trained() -> None:
    def build() -> Any:
        return torch.nn.Sequential(
            torch.nn.Linear(64, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 3)
        )

    training = Training(Network(build), images(), rate=0.1)
    running = Simulation(training, Setting(workers=2, batch_size=10), Machines(nodes=3))
    losses = [each.loss for each in running.run(60)]
    assert losses[-1] < losses[0]


def test_a_module_in_place_of_what_makes_one_is_refused() -> None:
    with pytest.raises(ExecutionError, match=r"such as Network\(lambda: MyModule\(\)\)"):
        Network(torch.nn.Linear(2, 2))
    with pytest.raises(ExecutionError, match=r"build made a int; expected a torch\.nn\.Module"):
        _ = Network(lambda: 3).size


def test_rows_that_a_network_cannot_take_are_refused() -> None:
    with pytest.raises(ExecutionError, match="rows of 9 features, and the data has 64"):
        Training(mlp([9, 3]), images(), 0.1)


def test_the_thesis_network_has_its_layers() -> None:
    network = thesis_cnn()
    convolutions = (75 + 1) * 64 + (1600 + 1) * 64
    dense = (2304 + 1) * 394 + (394 + 1) * 192 + (192 + 1) * 10
    assert network.size == convolutions + dense
    data = pictures(4, 24, 3)
    loss, gradient = network.gradient(network.initial(0), data.batch(np.arange(4)))
    assert loss == pytest.approx(np.log(10), abs=0.3)
    assert np.isfinite(gradient).all() and np.abs(gradient).max() > 0


@pytest.mark.parametrize(
    ("said", "data", "size"),
    [
        ("{model: mlp, hidden: [5], data: {rows: 40, features: 4}", 4, 4 * 5 + 5 + 5 * 2 + 2),
        ("{model: thesis_cnn, data: {kind: pictures, rows: 40}", 1728, 1_093_268),
        (
            "{model: cnn, channels: 2, data: {kind: pictures, rows: 40, side: 8, colours: 1}",
            64,
            9 * 2 + 2 + 9 * 2 * 4 + 4 + 2 * 2 * 4 * 10 + 10,
        ),
    ],
)
def test_a_job_file_trains_a_network(tmp_path: Path, said: str, data: int, size: int) -> None:
    path = tmp_path / "fit.yaml"
    machines = "machines: {nodes: 6, sockets: 2, across: 0.2}}"
    path.write_text(
        f"space: {{workers: [1, 2], affinity: [none, packed, spread]}}\nuntil: loss <= 0.1\n"
        f"paramserver: {said}, {machines}\n"
    )
    with ExitStack() as ending:
        chosen = {"workers": 2, "affinity": "packed"}
        job = workload.begin(load(path), chosen, tmp_path, ending)
        assert isinstance(job, Simulation)
        assert (job.training.data.features, job.training.model.size) == (data, size)
        assert job.setting.affinity == "packed"
        assert np.isfinite(job.run(1)[0].loss)


def test_a_job_file_trains_a_module_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\n\n\ndef Net():\n    return nn.Sequential(nn.Linear(4, 2))\n"
    )
    data = images(60, 4, 2)
    np.savez(tmp_path / "rows.npz", x=data.x[:, 4:8], y=data.y)
    (tmp_path / "fit.yaml").write_text(
        "space: {workers: [1, 2]}\nuntil: loss <= 0.1\n"
        "paramserver: {network: 'net.py:Net', data: {file: rows.npz}, machines: {nodes: 4}}\n"
    )
    with ExitStack() as ending:
        job = workload.begin(load(tmp_path / "fit.yaml"), {"workers": 2}, tmp_path, ending)
        assert isinstance(job, Simulation) and job.training.model.size == 10
        losses = [each.loss for each in job.run(40)]
        assert losses[-1] < losses[0]


def test_a_job_file_trains_by_a_loss_of_ones_own_and_writes_a_file_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(
        "from torch import nn\n\n\ndef Net():\n    return nn.Sequential(nn.Linear(3, 1))\n\n\n"
        "def loss(outputs, labels):\n    return nn.functional.mse_loss(outputs[:, 0], labels)\n"
    )
    x = np.random.default_rng(0).standard_normal((200, 3))
    np.savez(tmp_path / "rows.npz", x=x, y=x @ [1.0, -2.0, 0.5] + 1)
    (tmp_path / "fit.yaml").write_text(
        "space: {workers: [1, 2]}\nuntil: samples >= 20000\nseed: 0\n"
        "paramserver: {network: 'net.py:Net', loss: 'net.py:loss', data: {file: rows.npz},"
        " machines: {nodes: 4}, validation: 0.2, l2: 0.0, rate: 0.05}\n"
    )
    trained = invoke("train", "fit.yaml", "--output", "m.safetensors", "--json", "-q")
    assert trained.exit_code == 0, trained.stderr
    validation = json.loads(trained.stdout.splitlines()[-1])["validation"]
    assert validation["loss"] < 0.01 and "accuracy" not in validation
    in_words = invoke("train", "fit.yaml", "--output", "m.npz", "-q").stdout
    assert "fit: validation loss" in in_words and "accuracy" not in in_words
    named, _ = read_tensors(tmp_path / "m.safetensors")
    assert list(named) == ["0.weight", "0.bias"]
    np.testing.assert_allclose(named["0.weight"], [[1.0, -2.0, 0.5]], atol=0.1)
    asked = invoke("train", "fit.yaml", "--output", "m.safetensors", "--predict", "rows.npz")
    told = [json.loads(line)["label"] for line in asked.stdout.splitlines()]
    np.testing.assert_allclose(told, x @ [1.0, -2.0, 0.5] + 1, atol=0.5)


OWN = """
from torch import nn


def Net():
    return nn.Sequential(nn.Linear(3, 3))


def loss(outputs, labels):
    return nn.functional.cross_entropy(outputs, labels, label_smoothing=0.05)


def wrong(outputs, labels):
    return nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], labels)
"""


def fitted(folder: Path, labels: Any, loss: str) -> Any:
    """What a file of three columns and these labels trains, by a loss of one's own."""
    (folder / "net.py").write_text(OWN)
    x = np.random.default_rng(0).standard_normal((len(labels), 3)) + np.eye(3)[labels] * 4
    rows = [[*map("{:.6f}".format, row), f"kind-{k}"] for row, k in zip(x, labels, strict=True)]
    (folder / "rows.csv").write_text("\n".join(map(",".join, [["a", "b", "c", "kind"], *rows])))
    np.savez(folder / "rows.npz", x=x, y=labels)
    (folder / "fit.yaml").write_text(
        "space: {workers: [1]}\nuntil: samples >= 6000\nparamserver: {network: 'net.py:Net',"
        f" loss: 'net.py:{loss}', data: {{file: rows.npz}}, machines: {{nodes: 4}}, rate: 0.5}}\n"
    )
    return invoke("train", "fit.yaml", "--output", "m.npz", "-q")


def test_whole_numbered_labels_reach_a_loss_of_ones_own_as_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    labels = np.arange(90) % 3
    assert fitted(tmp_path, labels, "loss").exit_code == 0
    asked = invoke("train", "fit.yaml", "--output", "m.npz", "--predict", "rows.npz")
    told = np.array([json.loads(line)["label"] for line in asked.stdout.splitlines()])
    assert (told == labels).mean() > 0.9
    named = (tmp_path / "fit.yaml").read_text().replace("rows.npz", "rows.csv")
    (tmp_path / "fit.yaml").write_text("name: named\n" + named)
    assert invoke("train", "fit.yaml", "--output", "m.npz", "-q").exit_code == 0
    asked = invoke("train", "fit.yaml", "--output", "m.npz", "--predict", "rows.csv")
    names = np.array([json.loads(line)["label"] for line in asked.stdout.splitlines()])
    assert (names == [f"kind-{label}" for label in labels]).mean() > 0.9


def test_a_loss_of_ones_own_that_cannot_take_the_labels_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = fitted(tmp_path, np.arange(90) % 2, "wrong")
    assert "net.py:wrong failed: result type Float can't be cast" in refused.stderr
    assert "torch.float32 and labels of (90,) torch.int64" in refused.stderr
    assert "should not happen" not in refused.stderr
