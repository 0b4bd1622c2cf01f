"""`tunewise train` with `torchrun:` tunes a group of PyTorch processes, or says what is missing."""

import importlib.util
import json
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.shell import PATIENCE, TUNEWISE, invoke, process, says_how_to_install
from tests.online.group import SCRIPT

JOB = """
name: group
torchrun: train.py
space:
  workers: [1, 2]
  accumulation: [1, 2]
  bucket_mb: [25]
default: {workers: 2, accumulation: 1, bucket_mb: 25}
until: samples >= 6400
"""

with_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs PyTorch: pip install 'tunewise[torch]'"
)


@with_torch
def test_a_group_is_tuned_to_its_end_and_leaves_its_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.replace("EVERY", "1000"))
    (tmp_path / "job.yaml").write_text(JOB)
    done = process("train", "job.yaml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["done"] and end["iterations"] >= 100
    kept = tmp_path / "tunewise.db.runs" / "group.training" / "group.pt"
    assert kept.exists() == (end["switches"] > 0)


@with_torch
@pytest.mark.long
def test_two_nodes_train_one_model_and_the_second_ends_with_the_first(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.replace("EVERY", "1000"))
    (tmp_path / "job.yaml").write_text(
        JOB.replace("[1, 2]\n  acc", "[1]\n  acc").replace(": 2,", ": 1,")
    )
    meet = ("job.yaml", "--nnodes", "2", "--address", f"127.0.0.1:{free_port()}")
    other = subprocess.Popen([str(TUNEWISE), "train", *meet, "--node", "1"], cwd=tmp_path)
    try:
        done = process("train", *meet, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        end = json.loads(done.stdout.splitlines()[-1])
        assert end["done"] and end["iterations"] >= 100
        assert other.wait(PATIENCE) == 0
    finally:
        other.kill()
        other.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_several_nodes_need_an_address(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "train.py").write_text("")
    refused = invoke(
        "train", tmp_path / "job.yaml", "--nnodes", "2", "--storage", tmp_path / "a.db"
    )
    assert refused.exit_code == 1 and "2 nodes need the address of the first" in refused.stderr


def test_without_pytorch_one_line_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    says_how_to_install("torch", monkeypatch, "train", tmp_path / "job.yaml")
    says_how_to_install("torch", monkeypatch, "train", tmp_path / "job.yaml", "--dry-run")


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_script_that_is_not_there_is_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    (tmp_path / "job.yaml").write_text(JOB)
    refused = invoke("train", tmp_path / "job.yaml", "--storage", tmp_path / "a.db", *options)
    assert refused.exit_code == 1
    assert refused.stderr.endswith(f"the script 'train.py' was not found in {str(tmp_path)!r}\n")
    (tmp_path / "train.py").write_text("")
    assert invoke("train", tmp_path / "job.yaml", "--dry-run").exit_code == 0
    (tmp_path / "job.yaml").write_text(JOB.replace("train.py", "-m package.train"))
    assert invoke("train", tmp_path / "job.yaml", "--dry-run").exit_code == 0, "it may be there"


def test_what_trains_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB + "command: python train.py\n")
    said = invoke("train", file, "--dry-run").stderr
    assert "expected one of command, torchrun and paramserver, to say what trains" in said
    file.write_text(JOB + "restart: true\n")
    said = invoke("train", file, "--dry-run").stderr
    assert "restart is for a command: under torchrun every group starts anew" in said
