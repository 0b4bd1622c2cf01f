"""What attempts cost is booked once, whatever becomes of them; failures count when they repeat."""

import logging
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tests.execution.processes import eventually
from tunewise.errors import MeasurementError, StudyError
from tunewise.execution.running_trial import RunningTrial
from tunewise.history import Flaky
from tunewise.study.run.control import ask_to_end
from tunewise.study.run.progress import ProgressLine

ROOT = Path(__file__).resolve().parents[2]
SPACE = tw.Space.of([{"x": x} for x in range(40)])


def priced(**wanted: Any) -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", price=lambda config: 3600.0, **wanted)


@pytest.mark.parametrize("told", [{"time": -1.0}, {"time": -1e9, "cost": -5.0}], ids=str)
@nothing_recommended
def test_a_negative_time_is_booked_by_the_clock(told: dict[str, float]) -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(0.3)
        return {"accuracy": 0.5, **told}

    with tw.Study(priced(budget=100.0), "random", seed=0) as study:
        study.optimize(job, trials=2, progress=False)
        for trial in study.history:
            assert isinstance(trial.outcome, tw.Failure)
            assert "expected 0 or more" in trial.outcome.reason
            assert trial.spent["time"] >= 0.3
            assert trial.spent["cost"] == pytest.approx(trial.spent["time"])


@nothing_recommended
def test_jobs_that_tell_negative_times_do_not_pass_the_budget() -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(0.4)
        return {"accuracy": 0.5, "time": -1.0}

    with tw.Study(priced(budget=2.0), "random", seed=0) as study:
        for _ in range(4):
            study.optimize(job, parallel=2, progress=False)
        assert 1.0 < study.spent["cost"] <= 2.0


def test_a_preempted_trial_with_a_negative_time_runs_again() -> None:
    def job(trial: tw.Trial) -> Any:
        if not trial.lost:
            time.sleep(0.05)
            return tw.Preempted("gone", {"time": -3.0})
        return {"accuracy": 0.5}

    with tw.Study(priced(budget=100.0), "random", seed=0) as study:
        study.optimize(job, trials=1, progress=False)
        (trial,) = study.history
        assert trial.state == "complete" and trial.lost["time"] >= 0.05


def test_a_told_trial_without_a_time_is_booked_by_the_clock() -> None:
    with tw.Study(priced(budget=100.0), "random", seed=0) as study:
        trial = study.ask()
        time.sleep(0.1)
        told = study.tell(trial, {"accuracy": 0.5})
        assert told.spent["time"] >= 0.1
        assert told.spent["cost"] == pytest.approx(told.spent["time"])


KILLED = """
import sys, time
import tunewise as tw

def job(trial):
    if trial.number == 0:
        return {"accuracy": 0.4, "time": 0.5, "cost": 0.25}
    time.sleep(1000)

space = tw.Space.of([{"x": x} for x in range(40)])
price = (lambda config: 3600.0) if sys.argv[2] == "priced" else None
problem = tw.Problem(space, maximize="accuracy", price=price, budget=1000.0)
study = tw.Study(problem, "random", seed=0, storage=sys.argv[1], name="s", lease=3.0)
study.optimize(job, trials=4, parallel=2, progress=False)
"""


@pytest.mark.parametrize("kind", ["priced", "unpriced"])
def test_what_a_killed_process_had_spent_is_booked_once_by_whoever_goes_on(
    tmp_path: Path, kind: str
) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    process = subprocess.Popen([sys.executable, "-c", KILLED, url, kind], cwd=ROOT)
    problem = tw.Problem(
        SPACE,
        maximize="accuracy",
        price=(lambda config: 3600.0) if kind == "priced" else None,
        budget=1000.0,
    )
    store = tw.Study(problem, "random", seed=0, storage=url, name="s").store
    assert eventually(lambda: len(store.history("s")) == 3, within=60)
    time.sleep(2.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    answers = []

    def resume() -> None:
        with tw.Study(problem, "random", seed=0, storage=url, name="s", lease=3.0) as study:
            trial = study.ask()
            answers.append((trial.number, dict(trial.lost)))
            study.tell(trial, {"accuracy": 0.5, "time": 1.0, "cost": 0.5})

    threads = [threading.Thread(target=resume) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = 1.0 if kind == "priced" else 0.5
    assert sorted(number for number, _ in answers) == [1, 2]
    for _, lost in answers:
        assert lost["time"] >= 1.0
        assert lost["cost"] == pytest.approx(rate * lost["time"])
    spent = store.history("s").spent
    assert spent["time"] == pytest.approx(0.5 + 2 * 1.0 + sum(a["time"] for _, a in answers))


def flaky(failures: int, folder: Path) -> Any:
    def job(trial: tw.Trial) -> dict[str, float]:
        with (folder / str(trial.number)).open("a") as file:
            file.write("x")
        if len((folder / str(trial.number)).read_text()) <= failures:
            raise ConnectionError("the network was away")
        return {"accuracy": 0.5}

    return job


def test_a_failure_counts_only_when_it_has_repeated(tmp_path: Path) -> None:
    with tw.Study(priced(), "random", seed=0) as study:
        study.optimize(flaky(2, tmp_path), trials=3, retries=2, parallel=2, progress=False)
        assert [trial.state for trial in study.history] == ["complete"] * 3
        assert [trial.retried for trial in study.history] == [2, 2, 2]
        assert all(trial.lost["time"] > 0 and trial.lost["cost"] > 0 for trial in study.history)


@nothing_recommended
def test_a_failure_that_repeats_too_often_counts(tmp_path: Path) -> None:
    with tw.Study(priced(), "random", seed=0) as study:
        study.optimize(flaky(3, tmp_path), trials=2, retries=2, progress=False)
        assert [trial.state for trial in study.history] == ["failed", "failed"]
        assert [(tmp_path / str(i)).read_text() for i in range(2)] == ["xxx", "xxx"]


@nothing_recommended
def test_retries_are_counted_over_runs_and_processes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(priced(), "random", seed=0, storage=url, name="s") as first:
        trial = first.ask()
        first.tell(trial, Flaky("the network was away", {"time": 1.0}))
    with tw.Study(priced(), "random", seed=0, storage=url, name="s") as second:
        assert second.history[0].retried == 1 and second.history[0].lost["time"] == 1.0
        second.optimize(flaky(9, tmp_path), trials=1, retries=2, progress=False)
        assert second.history[0].state == "failed" and second.history[0].retried == 2
        assert (tmp_path / "0").read_text() == "xx"


@nothing_recommended
def test_timeouts_are_not_repeated() -> None:
    with tw.Study(priced(), "random", seed=0) as study:
        study.optimize(
            lambda trial: time.sleep(60), trials=1, retries=3, trial_timeout=0.2, progress=False
        )
        assert study.history[0].state == "failed" and study.history[0].retried == 0


@pytest.mark.parametrize("retries", [-1, 1.5, True, "2"], ids=repr)
def test_a_number_of_retries_that_is_none_is_refused(retries: Any) -> None:
    study = tw.Study(priced(), "random", seed=0)
    with pytest.raises(StudyError, match="retries is .*; expected a whole number, 0 or above"):
        study.optimize(lambda trial: {}, trials=1, retries=retries)


@nothing_recommended
def test_a_bug_in_a_job_ends_the_run_after_three_trials_and_shows_where(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def train(trial: tw.Trial) -> dict[str, float]:
        return {"accuracy": trial.config["learning_rat"]}

    with tw.Study(priced(), "random", seed=0) as study, caplog.at_level(logging.ERROR, "tunewise"):
        assert study.optimize(train, trials=40, progress=False) is None
        assert len(study.history) == 3
        assert study.stopped == "all 3 trials of this run failed"
    assert "KeyError: 'learning_rat'" in caplog.text
    assert 'return {"accuracy": trial.config["learning_rat"]}' in caplog.text
    assert "Traceback (most recent call last)" in caplog.text


def test_a_run_goes_on_where_something_once_worked() -> None:
    def train(trial: tw.Trial) -> dict[str, float]:
        if trial.number:
            raise ValueError("no")
        return {"accuracy": 0.5}

    with tw.Study(priced(), "random", seed=0) as study:
        study.optimize(train, trials=6, progress=False)
        assert len(study.history.failed) == 5


def test_a_job_that_returns_nothing_is_measured_by_its_time() -> None:
    problem = tw.Problem(SPACE, minimize="cost", price=lambda config: 3600.0)
    with tw.Study(problem, "random", seed=0) as study:
        study.optimize(lambda trial: {}, trials=2, progress=False)
        assert len(study.history.complete) == 2


def test_snapshots_that_were_reported_survive_a_kill(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    problem = tw.Problem(SPACE, maximize="accuracy", fractions=(0.1, 0.5, 1.0))
    store = tw.Study(problem, "random", seed=0, storage=url, name="s").store

    def job(trial: RunningTrial) -> None:
        trial.report(accuracy=0.6, fraction=0.05)
        time.sleep(1000)

    def run() -> None:
        with tw.Study(problem, "random", seed=0, storage=url, name="s") as study:
            study.optimize(job, trials=1, progress=False)

    pid = os.fork()
    if pid == 0:
        try:
            run()
        finally:
            os._exit(0)
    assert eventually(lambda: any(t.reported for t in store.history("s")), within=60)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    history = store.history("s")
    assert history[0].reported == {0.05: {"accuracy": 0.6}}
    assert list(history.observations("accuracy").values) == [0.6]
    with tw.Study(problem, "random", seed=0, storage=url, name="s") as study:
        told = study.tell(study.ask(), {"accuracy": 0.9})
        assert told.measurement is not None
        assert told.measurement.snapshots == {0.05: {"accuracy": 0.6}}


def test_a_snapshot_that_can_be_none_is_refused() -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", fractions=(0.1, 1.0))
    with tw.Study(problem, "random", seed=0) as study:
        trial = study.ask()
        for metrics, fraction, why in (
            ({"accuracy": 0.5}, 1.0, "cannot have a snapshot"),
            ({"accuracy": math.nan}, 0.05, "expected a finite number"),
            ({"acuracy": 0.5}, 0.05, "nothing that the problem needs"),
            ({"accuracy": 1.5}, 0.05, "lies between 0 and 1"),
        ):
            with pytest.raises(MeasurementError, match=why):
                study.report(trial, metrics, fraction)


def test_a_run_from_python_ends_when_a_person_asks_from_outside(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(priced(), "random", seed=0, storage=url, name="s") as study:

        def ask(study: tw.Study, trial: tw.Trial) -> None:
            if trial.number == 2:
                ask_to_end(study.store, "s")

        def job(trial: tw.Trial) -> dict[str, float]:
            time.sleep(0.3)
            return {"accuracy": 0.5}

        study.optimize(job, trials=30, callbacks=[ask], progress=False)
        assert study.stopped == "stopped by a person" and len(study.history) < 12


def test_the_store_knows_where_the_logs_of_a_run_from_python_are(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(priced(), "random", seed=0, storage=url, name="s") as study:
        study.optimize(lambda trial: {"accuracy": 0.5}, trials=1, progress=False)
        assert (Path(study.store.notes("s")["folder"]) / "0" / "log.txt").is_file()
        study.optimize(
            lambda trial: {"accuracy": 0.5}, trials=2, folder=tmp_path / "own", progress=False
        )
        assert study.store.notes("s")["folder"] == str(tmp_path / "own")


def test_what_a_job_tells_besides_numbers_is_ignored_with_one_note() -> None:
    class Notes(ProgressLine):
        def note(self, sentence: str) -> None:
            said.append(sentence)

    said: list[str] = []
    problem = tw.Problem(tw.Space(tw.Ordinal("x", [1, 2, 3])), maximize="accuracy")
    study = tw.Study(problem, "random", seed=0)
    study.optimize(
        lambda trial: {"accuracy": 0.6, "note": "hi", "flag": True},
        trials=3,
        progress=Notes(study, 3, False, None),
    )
    assert len(study.history.complete) == 3
    assert [sorted(t.metrics) for t in study.history] == [["accuracy", "time"]] * 3
    assert said == [
        "trial 0: note is 'hi', no number: it is ignored",
        "trial 0: flag is True, no number: it is ignored",
    ]


@pytest.mark.parametrize("wrong", ["accuracy", "time", "cost"])
def test_what_is_needed_and_is_no_number_is_refused(wrong: str) -> None:
    problem = tw.Problem(tw.Space(tw.Ordinal("x", [1, 2, 3])), maximize="accuracy")
    study = tw.Study(problem, "random", seed=0)
    told = {"accuracy": 0.6, "time": 1.0, "loss": 1.0, wrong: "high"}
    with pytest.raises(MeasurementError, match=f"metric '{wrong}' is 'high'; expected a number"):
        study.tell(study.ask(), told)
