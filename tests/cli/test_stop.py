"""`tunewise stop` ends a trial, or a whole run, from another terminal."""

import sys
from pathlib import Path

from tests.cli.shell import SECONDS, invoke, job, started, tunewise
from tests.cli.test_tune import history, wait_until

SLOW = f"{sys.executable} -c \"import time; print('up', flush=True); time.sleep(1000)\""


def running(folder: Path) -> list[int]:
    logs = sorted((folder / "tunewise.db.runs" / "quick").glob("*/log.txt"))
    return [int(log.parent.name) for log in logs if "up" in log.read_text()]


def test_one_trial_is_stopped_and_the_run_goes_on(tmp_path: Path) -> None:
    process = started("tune", job(tmp_path, command=SLOW), cwd=tmp_path)
    wait_until(lambda: running(tmp_path) == [0])
    done = tunewise("stop", "quick", "--trial", 0, "--wait", SECONDS, cwd=tmp_path)
    assert done.stdout == "trial 0 is cancelled\n"
    wait_until(lambda: running(tmp_path) == [0, 1])
    assert [t.state for t in history(tmp_path)] == ["cancelled", "running"]
    assert history(tmp_path)[0].spent["cost"] > 0
    process.kill()
    process.communicate()


def test_the_whole_run_is_stopped(tmp_path: Path) -> None:
    process = started("tune", job(tmp_path, command=SLOW, parallel=2), cwd=tmp_path)
    wait_until(lambda: running(tmp_path) == [0, 1])
    done = tunewise("stop", "quick", "--wait", SECONDS, cwd=tmp_path)
    assert done.stdout == "study 'quick' is stopped: trials 0, 1 ended\n"
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert "ended: stopped by a person" in out
    assert "no trial was measured, so nothing can be recommended" in err
    assert {t.state.value for t in history(tmp_path)} == {"cancelled"}


def test_a_stop_of_yesterday_does_not_stop_the_next_run(
    tmp_path: Path, monkeypatch: object
) -> None:
    path = job(tmp_path)
    assert tunewise("tune", path, "-q", "--trials", 1, cwd=tmp_path).returncode == 0
    done = tunewise("stop", "quick", cwd=tmp_path)
    assert "has no running trial" in done.stdout
    assert tunewise("tune", path, "-q", cwd=tmp_path).returncode == 0
    assert len(history(tmp_path).complete) == 3


def test_a_trial_that_is_over_or_never_was_is_said_so(tmp_path: Path) -> None:
    assert tunewise("tune", job(tmp_path), "-q", cwd=tmp_path).returncode == 0
    storage = ("--storage", tmp_path / "tunewise.db")
    over = invoke("stop", "quick", "--trial", 1, *storage)
    never = invoke("stop", "quick", "--trial", 9, *storage)
    assert (over.exit_code, never.exit_code) == (1, 1)
    assert "1" in over.stderr
    assert "9" in never.stderr
