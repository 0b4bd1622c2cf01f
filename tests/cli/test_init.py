"""`tunewise init` writes a job that runs as it is."""

import json
from pathlib import Path

import pytest

from tests.cli.shell import invoke, tunewise
from tests.cli.test_tune import history


def test_what_it_writes_runs(tmp_path: Path) -> None:
    written = tunewise("init", cwd=tmp_path)
    assert "wrote job.yaml and train.py; run it with: tunewise tune job.yaml" in written.stdout
    done = tunewise("tune", "job.yaml", "--trials", 6, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(history(tmp_path, "example").complete) == 6


def test_nothing_is_overwritten_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text("mine")
    Path("train.py").write_text("mine too")
    refused = invoke("init")
    assert refused.exit_code == 1
    assert "job.yaml exists" in refused.stderr
    assert Path("job.yaml").read_text() == "mine"
    assert invoke("init", "--force").exit_code == 0
    assert Path("job.yaml").read_text() != "mine"
    assert Path("train.py").read_text() == "mine too"


def test_another_name_and_folder_may_be_given(tmp_path: Path) -> None:
    assert invoke("init", tmp_path / "jobs" / "mine.yaml").exit_code == 0
    assert (tmp_path / "jobs" / "mine.yaml").exists()
    assert (tmp_path / "jobs" / "train.py").exists()


def test_every_line_that_is_commented_out_may_be_used(tmp_path: Path) -> None:
    from tunewise.job.jobfile import load

    invoke("init", tmp_path / "job.yaml")
    text = (tmp_path / "job.yaml").read_text()
    options = ("billing", "budget", "timeout", "trial_timeout", "target", "fractions", "machines")
    for name in options:
        assert f"# {name}:" in text
        text = text.replace(f"# {name}:", f"{name}:")
    text = text.replace("#   cluster:", "  cluster:").replace("\nprice:", "\n# price:")
    (tmp_path / "job.yaml").write_text(text)
    file = load(tmp_path / "job.yaml")
    assert file.problem.budget == 2.0
    assert "machines" in file.problem.space.names


@pytest.mark.parametrize("kind", [[], ["--train"]])
def test_the_schema_is_printed_for_editors_and_nothing_is_written(
    kind: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = json.loads(invoke("init", "--schema", *kind).stdout)
    assert "space" in told["properties"] and not told["additionalProperties"]
    assert list(tmp_path.iterdir()) == []
