"""`tunewise train` with `on: ray` trains on a real Ray, and says what is missing.

Each training is a process of its own: this one would stay connected to Ray, beside other tests.
"""

import importlib.util
import json
from pathlib import Path

import pytest

from tests.cli.shell import invoke, process, says_how_to_install

JOB = """
name: on-ray
paramserver:
  on: ray
  data: {rows: 400, features: 8}
  rate: 0.5
space:
  servers: [1, 2]
  workers: [1, 2]
  consistency: [bsp, asp]
default: {servers: 1, workers: 1, consistency: bsp}
until: loss <= 0.55
"""

on_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'tunewise[ray]'"
)


@on_ray
@pytest.mark.xdist_group("ray")
def test_a_training_on_ray_ends_and_leaves_its_checkpoint_and_page(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    done = process("train", "job.yaml", "--json", "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["done"] and end["seconds"] > 0
    assert (tmp_path / "tunewise.db.runs" / "on-ray.training" / "checkpoint.npz").exists()
    assert "Loss over time" in (tmp_path / "page.html").read_text()


@on_ray
@pytest.mark.xdist_group("ray")
def test_more_than_the_cluster_has_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        JOB.replace("rate: 0.5", "rate: 0.5\n  per_worker: {resources: {tpu: 2}}")
    )
    refused = process("train", "job.yaml", cwd=tmp_path)
    assert refused.returncode == 1
    assert "workers and servers need 2 of tpu; the Ray cluster has 0" in refused.stderr


@on_ray
@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:1"])
def test_an_address_without_a_cluster_is_refused(tmp_path: Path, address: str) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("on: ray", f"on: ray\n  address: {address}"))
    refused = process("train", "job.yaml", cwd=tmp_path)
    assert refused.returncode == 1
    assert f"there is no Ray cluster at '{address}'; expected auto, or the address" in (
        refused.stderr
    )


def test_without_ray_one_line_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    says_how_to_install("ray", monkeypatch, "train", tmp_path / "job.yaml")
    says_how_to_install("ray", monkeypatch, "train", tmp_path / "job.yaml", "--dry-run")


def test_fields_of_another_place_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace("on: ray", "on: ray\n  machines: {nodes: 4}"))
    refused = invoke("train", file, "--dry-run").stderr
    assert "job.yaml:5: paramserver.machines is for `on: simulated` alone" in refused
    file.write_text(JOB.replace("on: ray", "address: auto\n  per_worker: {num_cpu: 1}"))
    assert "paramserver.per_worker.num_cpu: unknown field" in invoke("train", file).stderr
    file.write_text(JOB.replace("on: ray", "address: nowhere"))
    refused = invoke("train", file, "--dry-run").stderr
    assert "paramserver.address is for `on: ray` alone" in refused
