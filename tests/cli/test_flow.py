"""From the first command to the report, as a person would go, with a crash on the way."""

from pathlib import Path

import pytest

from tests.cli.shell import invoke, job, parsed, started, tunewise
from tests.cli.test_tune import wait_until


def test_tune_crash_resume_show_report(tmp_path: Path) -> None:
    path = job(tmp_path, strategy="cherrypick", trials=8)
    running = started("tune", path, cwd=tmp_path)
    results = tmp_path / "tunewise.db.runs" / "quick"
    wait_until(lambda: len(list(results.glob("*/result.json"))) >= 2)
    running.kill()
    running.communicate()
    resumed = tunewise("tune", path, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert "resumed after" in resumed.stderr
    shown = parsed(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)
    assert [trial["state"] for trial in shown["trials"]] == ["complete"] * 8
    assert shown["recommendation"]["config"].keys() == {"x", "y"}
    assert "the report is in quick-report.html" in tunewise("report", "quick", cwd=tmp_path).stdout
    assert "quick" in (tmp_path / "quick-report.html").read_text(encoding="utf-8")


def test_a_server_may_be_the_storage(tmp_path: Path, postgres_url: str) -> None:
    path = job(tmp_path)
    done = tunewise("tune", path, "--storage", postgres_url, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tunewise.runs" / "quick" / "0" / "log.txt").exists()
    shown = parsed(invoke("show", "quick", "--json", "--storage", postgres_url).stdout)
    assert len(shown["trials"]) == 3
    assert "quick" in invoke("list", "--storage", postgres_url).stdout


@pytest.mark.parametrize("url", ["postgresql://me:secret@host/db", "postgres://me:secret@host/db"])
def test_a_password_is_never_printed(tmp_path: Path, url: str) -> None:
    plan = tunewise("tune", job(tmp_path), "--dry-run", "--storage", url, cwd=tmp_path)
    tried = tunewise("tune", job(tmp_path), "--storage", url, cwd=tmp_path)
    assert tried.returncode == 1
    for said in (plan.stdout, plan.stderr, tried.stdout, tried.stderr):
        assert "secret" not in said
