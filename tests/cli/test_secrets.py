"""A password is in no output, in no storage, and in no list of processes."""

import sqlite3
import sys
from pathlib import Path

import pytest

from tests.cli.shell import tunewise
from tests.cli.test_terminal import said

PASSWORD = "hunter2xyz"
JOB = f"""\
name: quiet
command: ["{sys.executable}", "job.py", "{{x}}"]
space: {{x: [1, 2]}}
maximize: accuracy
strategy: random
trials: 1
env: {{TOKEN: {PASSWORD}, X: "{{x}}"}}
storage: kept.db
"""
SCRIPT = f"""\
import json, os
assert os.environ["TOKEN"] == "{PASSWORD}" and os.environ["X"] in ("1", "2")
print(json.dumps({{"accuracy": 0.5}}))
"""


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql:/tw:{PASSWORD}@127.0.0.1:1/tw",
        f"tw:{PASSWORD}@127.0.0.1/tw",
        f"postgres//tw:{PASSWORD}@127.0.0.1/tw.db",
        f"postgresql://tw:{PASSWORD}@127.0.0.1:1/tw",
        f"postgresql://tw@127.0.0.1:1/tw?options=-c%20{PASSWORD}",
        f"postgresql://tw@127.0.0.1:1/tw?{PASSWORD}",
        f"mysql://tw:{PASSWORD}@127.0.0.1/tw",
        f"sqlite://tw:{PASSWORD}@127.0.0.1/tw",
        f"tw:{PASSWORD}@h://127.0.0.1/tw",
        f"postgresql:/tw:{PASSWORD}@h/tw",
        f"postgresql//tw:{PASSWORD}@h/tw",
        f"host=h password={PASSWORD} dbname=x",
        f"host=h password='{PASSWORD} 2' dbname=x.db",
    ],
)
@pytest.mark.parametrize("way", ["option", "variable", "file", "job file"])
def test_a_url_however_mistyped_is_said_without_its_password(
    url: str,
    way: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["list"]
    if way == "option":
        words += ["--storage", url]
    elif way == "variable":
        monkeypatch.setenv("TUNEWISE_STORAGE", url)
    elif way == "file":
        (tmp_path / "url").write_text(f"{url}\n")
        words += ["--storage", "@url"]
    else:
        (tmp_path / "job.py").write_text(SCRIPT)
        (tmp_path / "job.yaml").write_text(JOB.replace("kept.db", url))
        words = ["tune", "job.yaml"]
    out, err = said(monkeypatch, capsys, *words)
    assert err
    assert PASSWORD not in out + err


def test_a_storage_keeps_no_secret_of_its_job_file_and_others_join_with_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOKEN", raising=False)
    (tmp_path / "job.py").write_text(SCRIPT)
    (tmp_path / "job.yaml").write_text(JOB)
    done = tunewise("tune", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("kept.db*") if file.is_file())
    assert PASSWORD.encode() not in kept
    (tmp_path / "job.yaml").unlink()
    with sqlite3.connect(tmp_path / "kept.db") as store:
        more = "replace(notes, 'trials: 1', 'trials: 2')"
        store.execute(f"UPDATE tunewise_studies SET notes = {more}")
    words = ["work", "--storage", "kept.db", "--study", "quiet"]
    alone = tunewise(*words, cwd=tmp_path)
    assert alone.returncode == 1 and "needs the environment variable 'TOKEN'" in alone.stderr
    monkeypatch.setenv("TOKEN", PASSWORD)
    joined = tunewise(*words, cwd=tmp_path)
    assert joined.returncode == 0, joined.stderr
