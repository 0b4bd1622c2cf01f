"""`tunewise train` runs a training that tunes itself, and goes on after a crash."""

import json
import signal
import subprocess
from pathlib import Path

from tests.cli.shell import TUNEWISE, invoke, tunewise
from tunewise.storage import open_store

JOB = """
name: small
paramserver:
  data: {rows: 400, features: 8}
  rate: 0.5
  machines: {nodes: 12, per_iteration: 0.01}
space:
  servers: [1, 2]
  workers: [2, 4, 8]
  consistency: [bsp, asp]
default: {servers: 1, workers: 2, consistency: bsp}
until: loss <= 0.55
price: 0.10 * (servers + workers)
"""


def test_a_simulated_training_ends_and_leaves_its_page(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    done = tunewise("train", "job.yaml", "--json", "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["done"] and end["seconds"] > 0 and end["cost"] > 0
    page = (tmp_path / "page.html").read_text()
    for words in ("Loss over time", "What was believed", "First setting alone", "Settings"):
        assert words in page
    again = tunewise("train", "job.yaml", "--json", cwd=tmp_path)
    assert json.loads(again.stdout.splitlines()[-1]) == end


def test_a_killed_training_goes_on_where_it_was_left(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("0.55", "0.0001").replace("0.5", "1e-6"))
    begun = subprocess.Popen(
        [TUNEWISE, "train", "job.yaml", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    for _ in range(3):
        begun.stdout.readline()
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    begun.stdout.close()
    store = open_store(f"sqlite:///{tmp_path}/tunewise.db")
    before = store.runs().events("small")
    (tmp_path / "job.yaml").write_text(JOB.replace("0.55", "0.0001").replace("0.5", "1e-6"))
    again = subprocess.Popen(
        [TUNEWISE, "train", "job.yaml", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert again.stdout is not None
    again.stdout.readline()
    again.send_signal(signal.SIGKILL)
    again.wait()
    again.stdout.close()
    after = store.runs().events("small")
    store.close()
    assert after[: len(before)] == before
    assert after[len(before)] == {"resumed": True}
    assert len(after) > len(before) + 1


def test_what_init_writes_runs(tmp_path: Path) -> None:
    written = tunewise("init", "--train", "job.yaml", cwd=tmp_path)
    assert "wrote job.yaml and loop.py; run it with: tunewise train job.yaml" in written.stdout
    text = (tmp_path / "job.yaml").read_text()
    (tmp_path / "job.yaml").write_text(text.replace("loss <= 0.12", "loss <= 0.8"))
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "example-training: done after" in done.stdout
    assert "USD" in done.stdout


def test_mistakes_are_told_with_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace("loss <= 0.55", "loss < 0.55").replace("rate:", "rte:"))
    refused = invoke("train", file)
    assert refused.exit_code == 1
    assert "job.yaml:5: paramserver.rte: unknown field" in refused.stderr
    file.write_text(JOB.replace("loss <= 0.55", "loss < 0.55") + "manager: pcae\nminimize: cost\n")
    refused = invoke("train", file)
    assert "until: until is 'loss < 0.55'; expected" in refused.stderr
    assert "manager is 'pcae'; expected one of pace, selftf" in refused.stderr


def test_money_is_saved_under_a_deadline_only_with_prices(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    cheap = JOB.replace("price: 0.10 * (servers + workers)", "minimize: cost")
    file.write_text(cheap)
    assert "expected what an hour of a setting costs" in invoke("train", file).stderr
    file.write_text(JOB + "minimize: cost\nsubject_to: [time <= 2 h]\n")
    plan = invoke("train", file, "--dry-run", "--json")
    assert json.loads(plan.stdout)["deadline"] == 7200


def test_a_missed_deadline_is_told_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB + "minimize: cost\nsubject_to: [time <= 50 ms]\n")
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "small: the deadline of 50 ms was missed." in done.stdout
    assert "USD)" in done.stderr
