"""What a person sees on the first day: plans, endings and logs that read well."""

import json
from pathlib import Path

from tests.cli.shell import tunewise

JOB = """
name: first
python: train.py:train
space:
  kind: [a, b]
  depth: {integer: [1, 3], when: {kind: a}}
maximize: accuracy
strategy: random
seed: 0
trials: 3
"""
TRAIN = """
def train(trial):
    print("x" * 300_000 + "the end")
    return {"accuracy": 0.5 + 0.1 * trial.config.get("depth", 0)}
"""


def written(folder: Path) -> Path:
    (folder / "job.yaml").write_text(JOB)
    (folder / "train.py").write_text(TRAIN)
    return folder


def test_a_dry_run_says_whether_it_goes_on_with_a_study(tmp_path: Path) -> None:
    written(tmp_path)
    plan = tunewise("tune", "job.yaml", "--dry-run", cwd=tmp_path)
    assert "goes on" not in plan.stdout
    assert not (tmp_path / "tunewise.db").exists()
    done = tunewise("tune", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plan = tunewise("tune", "job.yaml", "--dry-run", cwd=tmp_path)
    assert "which is there and goes on after 3 trials" in plan.stdout

    # Where no price is known, none is made up.
    assert "USD" not in done.stdout.replace("cost (USD)", "")
    assert "of training time" in done.stdout
    # A parameter that does not apply leaves its column in place.
    columns = [line.rstrip() for line in done.stderr.splitlines() if line.startswith("✓")]
    assert len({len(line) for line in columns}) == 1

    shown = tunewise("show", "first", "--trial", "0", cwd=tmp_path)
    assert "the end" in shown.stdout
    assert len(shown.stdout) < 5_000


def test_a_note_names_every_variable_that_a_command_might_read(tmp_path: Path) -> None:
    job = JOB.replace("python: train.py:train", "command: python train.py")
    (written(tmp_path) / "job.yaml").write_text(job)
    plan = tunewise("tune", "job.yaml", "--dry-run", cwd=tmp_path)
    assert "$TUNEWISE_PARAM_KIND and $TUNEWISE_PARAM_DEPTH" in " ".join(plan.stderr.split())


def test_people_who_share_a_storage_have_studies_of_their_own(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "anna.yaml").write_text(f"{JOB}namespace: anna\n")
    for words in (["anna.yaml"], ["job.yaml", "--namespace", "ben", "--trials", "2"]):
        assert tunewise("tune", *words, "-q", cwd=tmp_path).returncode == 0

    def listed(*words: str) -> list[int]:
        found = tunewise("list", "--json", *words, cwd=tmp_path)
        return [study["trials"] for study in json.loads(found.stdout)]

    assert (listed(), listed("--namespace", "anna"), listed("--namespace", "ben")) == ([], [3], [2])
    for command in (["show"], ["report"], ["export"], ["stop"], ["delete", "--yes"]):
        assert tunewise(*command, "first", cwd=tmp_path).returncode != 0
        done = tunewise(*command, "first", "--namespace", "ben", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (listed("--namespace", "anna"), listed("--namespace", "ben")) == ([3], [])
    waits = tunewise("enqueue", "first", "kind=b", "--namespace", "anna", cwd=tmp_path)
    assert waits.returncode == 0, waits.stderr
    plan = tunewise("tune", "anna.yaml", "--dry-run", cwd=tmp_path)
    assert "goes on after 3 trials" in plan.stdout and "anna" in plan.stdout
