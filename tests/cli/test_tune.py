"""`tunewise tune` runs a job's study, shows it, and goes on where it was left."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import (
    SECONDS,
    TUNEWISE,
    clean_environment,
    job,
    parsed,
    process,
    started,
    tunewise,
)
from tunewise.history import History
from tunewise.storage import open_store


def history(folder: Path, study: str = "quick") -> History:
    store = open_store(folder / "tunewise.db")
    try:
        return store.history(study)
    finally:
        store.close()


def test_it_says_what_was_tried_what_it_cost_and_what_to_deploy(tmp_path: Path) -> None:
    done = process("tune", job(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("3 trials: 3 complete", "spent", "Recommended", "cost ≤ 0.02 USD"):
        assert said in done.stdout
    assert "probability of keeping all limits" in done.stdout
    assert "tunewise.db.runs/quick/TRIAL/log.txt" in done.stdout
    assert "quick: maximise accuracy with cost ≤ 0.02 USD, by random" in done.stderr
    log = tmp_path / "tunewise.db.runs" / "quick" / "0" / "log.txt"
    assert log.read_text().startswith("training with")


def test_the_storage_is_in_the_folder_where_it_was_started(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "here").mkdir()
    done = tunewise("tune", job(tmp_path / "jobs"), "--quiet", cwd=tmp_path / "here")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here" / "tunewise.db").exists()
    assert not (tmp_path / "jobs" / "tunewise.db").exists()


def test_the_storage_of_a_job_file_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    path = job(tmp_path / "jobs", storage="mine.db")
    done = tunewise("tune", path, "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "jobs" / "mine.db").exists()
    assert f"tunewise show quick --storage sqlite:///{tmp_path}/jobs/mine.db" in done.stdout
    assert (tmp_path / "jobs" / "mine.db.runs" / "quick" / "0" / "log.txt").exists()


def test_an_option_or_the_environment_names_the_storage(tmp_path: Path) -> None:
    path = job(tmp_path, storage="mine.db")
    tunewise("tune", path, "--quiet", "--storage", "one.db", cwd=tmp_path)
    process("tune", path, "--quiet", cwd=tmp_path, env={"TUNEWISE_STORAGE": "two.db"})
    assert (tmp_path / "one.db").exists()
    assert (tmp_path / "two.db").exists()
    assert not (tmp_path / "mine.db").exists()


def test_it_goes_on_where_it_was_left(tmp_path: Path) -> None:
    path = job(tmp_path)
    tunewise("tune", path, "--trials", 2, cwd=tmp_path)
    first = history(tmp_path)
    done = tunewise("tune", path, "--trials", 4, cwd=tmp_path)
    assert "resumed after 2 trials" in done.stderr
    assert history(tmp_path)[:2] == first
    assert len(history(tmp_path)) == 4


def test_the_same_seed_gives_the_same_history(tmp_path: Path) -> None:
    path = job(tmp_path)
    for name in ("one", "two"):
        assert tunewise("tune", path, "--name", name, "-q", cwd=tmp_path).returncode == 0
    assert history(tmp_path, "one") == history(tmp_path, "two")
    tunewise("tune", path, "--name", "three", "--seed", 8, "-q", cwd=tmp_path)
    assert history(tmp_path, "three") != history(tmp_path, "one")


def test_a_function_and_a_command_may_be_the_job(tmp_path: Path) -> None:
    path = job(tmp_path, parallel=2)
    assert tunewise("tune", path, "-q", "--name", "function", cwd=tmp_path).returncode == 0
    job(tmp_path, command=f"{sys.executable} work.py {{x}} {{y}}", parallel=2)
    assert tunewise("tune", path, "-q", "--name", "command", cwd=tmp_path).returncode == 0
    assert history(tmp_path, "function") == history(tmp_path, "command")


def test_a_budget_ends_the_run_and_may_be_raised(tmp_path: Path) -> None:
    path = job(tmp_path, trials=30)
    done = tunewise("tune", path, "--budget", "0.05 USD", cwd=tmp_path)
    assert "the budget of 0.05 USD is spent" in done.stdout
    first = history(tmp_path)
    assert first.spent["cost"] >= 0.05 > first[:-1].spent["cost"]
    done = tunewise("tune", path, "--budget", 0.1, cwd=tmp_path)
    second = history(tmp_path)
    assert second.spent["cost"] >= 0.1 > second[:-1].spent["cost"]


def test_a_small_gain_ends_the_run_after_some_trials(tmp_path: Path) -> None:
    path = job(tmp_path, trials=30, strategy="cherrypick", min_gain="900 %")
    done = tunewise("tune", path, "--min-trials", 5, cwd=tmp_path)
    assert "(900 % of the best)" in done.stdout
    assert len(history(tmp_path)) == 5
    wrong = tunewise("tune", path, "--min-gain", "some", cwd=tmp_path)
    assert wrong.returncode == 1 and "min_gain is 'some'; expected a number" in wrong.stderr


def test_json_has_an_object_a_line_and_nothing_else(tmp_path: Path) -> None:
    done = tunewise("tune", job(tmp_path), "--json", "--report", "r.html", cwd=tmp_path)
    events: list[Any] = [parsed(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["trial"] * 3 + ["end"]
    told, end = events[0], events[-1]
    assert told["number"] == 0
    assert told["state"] == "complete"
    assert set(told["metrics"]) == {"accuracy", "time", "cost"}
    assert end["recommendation"]["config"] in [t.config for t in history(tmp_path)]
    assert 0 <= end["recommendation"]["feasible"] <= 1
    assert end["spent"]["cost"] == pytest.approx(history(tmp_path).spent["cost"])
    assert end["report"] == "r.html"
    assert done.stderr == ""


def test_quiet_shows_only_the_answer(tmp_path: Path) -> None:
    done = tunewise("tune", job(tmp_path), "--quiet", cwd=tmp_path)
    assert done.stderr == ""
    assert "Recommended" in done.stdout


def test_a_report_is_written_where_asked(tmp_path: Path) -> None:
    done = tunewise("tune", job(tmp_path, report="out/report.html"), "-q", cwd=tmp_path)
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "out/report.html" in done.stdout


def test_a_dry_run_says_the_plan_and_leaves_nothing(tmp_path: Path) -> None:
    path = job(tmp_path, strategy="cherrypick")
    before = sorted(tmp_path.iterdir())
    done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("quick", "maximise accuracy with cost ≤ 0.02 USD", "cherrypick", "trials 3", "x="):
        assert said in done.stdout
    assert sorted(tmp_path.iterdir()) == before


def test_a_dry_run_says_that_a_budget_pays_for_nothing(tmp_path: Path) -> None:
    for budget, short in ((1e-6, True), (1.0, False)):
        path = job(tmp_path, budget=budget, price=3.6, space={"x": [0.1, 0.2]})
        done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("which pays for no trial: the cheapest costs" in done.stdout) == short


def test_a_dry_run_refuses_what_the_run_would_refuse(tmp_path: Path) -> None:
    begun = tunewise("tune", job(tmp_path, strategy="random"), "-q", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    path = job(tmp_path, strategy="random", subject_to=["cost <= 0.01"])
    for words in (["--dry-run"], ["-q"]):
        done = tunewise("tune", path, *words, cwd=tmp_path)
        assert done.returncode == 1
        assert "study 'quick' exists with another problem: the limit" in done.stderr
    done = tunewise("tune", path, "--dry-run", "--on-change", "new-problem", cwd=tmp_path)
    assert done.returncode == 0
    assert "goes on after 3 trials, whose limits, budget or space are new" in done.stdout
    done = tunewise("tune", path, "--dry-run", "--strategy", "eic", cwd=tmp_path)
    assert "exists with strategy random, not eic; choose another name" in done.stderr


def test_a_dry_run_checks_the_executor(tmp_path: Path) -> None:
    path = job(tmp_path, executor={"name": "ray", "resources": {"CPU": -1}})
    done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert done.returncode == 1
    assert "the resource 'CPU' is -1; expected a number, 0 or above" in done.stderr


def test_a_run_in_which_nothing_works_ends_early_and_says_why(tmp_path: Path) -> None:
    path = job(tmp_path, command=f"{sys.executable} -m nothing", trials=20)
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 1
    assert len(history(tmp_path)) == 3
    assert "ended: all 3 trials of this run failed" in done.stdout
    assert done.stdout.count("No module named nothing") == 2  # of its trial, and of all together
    assert "failed: as trial 0" in done.stderr
    assert (
        "no trial was measured: trial 0 failed: the command ended with exit code 1" in done.stderr
    )
    assert "No module named nothing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_kept_and_goes_on(tmp_path: Path, number: int) -> None:
    slow = f"{sys.executable} -c \"import time; print('up', flush=True); time.sleep(1000)\""
    path = job(tmp_path, command=slow)
    running = started("tune", path, cwd=tmp_path)
    log = tmp_path / "tunewise.db.runs" / "quick" / "0" / "log.txt"
    wait_until(lambda: log.exists() and "up" in log.read_text())
    running.send_signal(number)
    _, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 130
    assert "interrupted after 0 trials; what was told is kept. Go on with: tunewise tune" in err
    assert "Traceback" not in err
    assert [t.state for t in history(tmp_path)] == ["preempted"]
    assert history(tmp_path).spent["time"] > 0
    job(tmp_path)  # the same study, now with a quick command
    assert tunewise("tune", path, "-q", cwd=tmp_path).returncode == 0
    assert [t.state for t in history(tmp_path)] == ["complete"] * 3


def test_a_terminal_sees_a_living_line(tmp_path: Path) -> None:
    screen = on_a_terminal(["tune", str(job(tmp_path))], tmp_path)
    assert "3/3 trials" in screen or "2/3 trials" in screen
    assert "running" in screen
    assert "best" in screen
    assert screen.count("accuracy") < 12, "trials were shown live, so not again as a table"


def test_a_terminal_sees_no_markup_of_values(tmp_path: Path) -> None:
    path = job(
        tmp_path, space={"x": ["[red]0.5[/]", "0.25"]}, command=None, python="work.py:train",
        subject_to=[], price=None, trials=2,
    )  # fmt: skip
    (tmp_path / "work.py").write_text("def train(trial):\n    return {'accuracy': 0.5}\n")
    assert "[red]0.5[/]" in on_a_terminal(["tune", str(path)], tmp_path)


def on_a_terminal(words: list[str], folder: Path) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**clean_environment(), "TERM": "xterm-256color", "COLUMNS": "110"}
    running = subprocess.Popen(
        [TUNEWISE, *words], cwd=folder, env=environment, stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:
        pass  # the terminal closes with the last process that holds it
    finally:
        os.close(ours)
    assert running.wait(timeout=SECONDS) == 0
    return seen.decode()


def wait_until(condition: Any) -> None:
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def test_results_of_a_deleted_storage_are_not_taken_for_new_ones(tmp_path: Path) -> None:
    path = job(tmp_path, trials=1)
    assert tunewise("tune", path, "-q", cwd=tmp_path).returncode == 0
    for file in tmp_path.glob("tunewise.db*"):
        if file.is_file():
            file.unlink()
    work = "def train(trial):\n    return {'accuracy': 0.125, 'time': 1}\n"
    (tmp_path / "work.py").write_text(work)
    done = tunewise("tune", path, "-q", cwd=tmp_path)
    assert history(tmp_path)[0].metrics["accuracy"] == 0.125
    assert "tunewise.db.runs/quick-2/TRIAL/log.txt" in done.stdout


def test_studies_with_odd_names_have_folders_of_their_own(tmp_path: Path) -> None:
    path = job(tmp_path, trials=1)
    for name in ("a/b", "a_b", "..", "x" * 100):
        done = tunewise("tune", path, "-q", "--name", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    folders = sorted(p.name for p in (tmp_path / "tunewise.db.runs").iterdir())
    assert folders == ["_", "a_b", "a_b-2", "x" * 100]


def test_a_study_that_changed_is_refused(tmp_path: Path) -> None:
    path = job(tmp_path)
    tunewise("tune", path, "-q", cwd=tmp_path)
    job(tmp_path, subject_to=["cost <= 0.05"])
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 1
    assert "study 'quick' exists with another problem: the limit cost <= 0.02 became" in done.stderr
    assert "--on-change new-problem" in done.stderr


def test_a_changed_problem_is_accepted_and_shown(tmp_path: Path) -> None:
    path = job(tmp_path)
    before = tunewise("tune", path, "-q", "--trials", "2", cwd=tmp_path)
    assert before.returncode == 0, before.stderr
    job(tmp_path, subject_to=["cost <= 0.05"])
    accept = ("--on-change", "new-problem")
    done = tunewise("tune", path, "-q", "--trials", "3", *accept, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = tunewise("show", "quick", cwd=tmp_path).stdout
    assert "from trial 2 on: the limit cost <= 0.02 became cost <= 0.05" in shown
    data = json.loads(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)
    assert [posed["since"] for posed in data["problems"]] == [0, 2]
    assert data["problem"]["subject_to"] == ["cost <= 0.05"]


def test_the_notes_of_a_study_are_its_job(tmp_path: Path) -> None:
    path = job(tmp_path)
    tunewise("tune", path, "-q", "--trials", 1, cwd=tmp_path)
    store = open_store(tmp_path / "tunewise.db")
    notes = store.load("quick").notes
    store.close()
    assert notes["job"] == {
        "path": str(path), "text": path.read_text(), "changes": {"trials": 1}, "withheld": []
    }  # fmt: skip
    assert json.loads(json.dumps(notes)) == notes
