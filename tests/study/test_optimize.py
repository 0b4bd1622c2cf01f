import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.errors import ExecutionError, StudyError
from tunewise.study.run.stopping import Progress

SPACE = tw.Space(tw.Ordinal("x", list(range(12))))


def problem(**wanted: object) -> tw.Problem:
    return tw.Problem(SPACE, **{"maximize": "accuracy", **wanted})  # type: ignore[arg-type] # a mix of keywords


def train(trial: tw.Trial) -> dict[str, float]:
    return {
        "accuracy": 1 - abs(trial.config["x"] - 7) / 10,
        "time": 1.0 + trial.config["x"],
        "cost": 0.5,
    }


def study(**wanted: object) -> tw.Study:
    return tw.Study(problem(**wanted), strategy="random", seed=0)


def test_it_runs_so_many_trials_in_real_processes_and_recommends() -> None:
    here = study()
    recommended = here.optimize(lambda trial: {**train(trial), "pid": float(os.getpid())}, trials=5)
    assert recommended is not None and here.best is not None
    assert recommended.config == here.best.config
    assert len(here.history.complete) == 5
    pids = {t.metrics["pid"] for t in here.history}
    assert len(pids) == 5 and float(os.getpid()) not in pids
    assert here.stopped == "all 5 trials were run"


def test_trials_counts_those_of_earlier_runs() -> None:
    here = study()
    here.optimize(train, trials=3)
    here.optimize(train, trials=5)
    assert len(here.history) == 5


def test_a_parallel_replay_takes_virtual_time_only() -> None:
    here = study()
    executor = tw.ReplayExecutor(workers=3)
    here.optimize(train, trials=12, parallel=3, executor=executor)
    assert len(here.history.complete) == 12
    serial = sum(t.metrics["time"] for t in here.history)
    assert max(t.metrics["time"] for t in here.history) <= executor.now() < serial / 2


@pytest.mark.parametrize(
    ("arguments", "wanted", "reason"),
    [
        ({"target": 0.95}, {}, "target of 0.95"),
        ({}, {"budget": 2.0}, "budget of 2 USD"),
        ({"timeout": 30}, {}, "time of 30 s"),
        ({"stop": [lambda p: "enough" if len(p.history) >= 2 else None]}, {}, "enough"),
        ({}, {}, "every config of the space was tried"),
    ],
)
def test_each_rule_stops_the_run_and_says_so(
    arguments: dict[str, object], wanted: dict[str, object], reason: str
) -> None:
    here = study(**wanted)
    here.optimize(train, executor=tw.ReplayExecutor(workers=1), **arguments)  # type: ignore[arg-type] # a mix of keywords
    assert here.stopped is not None and reason in here.stopped
    assert here.spent["cost"] <= 2.0 or "budget" not in wanted


@pytest.mark.parametrize("fractions", [(1.0,), (0.1, 1.0)])
def test_a_choice_without_noise_ends_once_each_was_measured_on_the_full_data(
    fractions: tuple[float, ...],
) -> None:
    space = tw.Space(tw.Choice("learner", [f"l{i}" for i in range(6)]))
    posed = tw.Problem(space, maximize="accuracy", fractions=fractions)

    def job(trial: tw.Trial, noise: float = 0.0) -> dict[str, float]:
        place = int(trial.config["learner"][1:])
        luck = noise * math.sin(100 * trial.number)
        return {"accuracy": 0.9 - 0.02 * (place - 4) ** 2 + luck, "time": trial.fraction}

    here, noisy = (tw.Study(posed, strategy="trimtuner", seed=0) for _ in range(2))
    best = here.optimize(job, trials=60, executor=tw.ReplayExecutor(workers=1))
    assert best is not None and best.config == {"learner": "l4"}
    assert here.stopped is not None and "every config of the space was tried" in here.stopped
    ran = [(trial.config["learner"], trial.fraction) for trial in here.history]
    assert len({learner for learner, fraction in ran if fraction == 1.0}) == 6
    assert len(ran) == len(set(ran)) + 2, "two repeats say that there is no noise"
    noisy.optimize(lambda t: job(t, 0.02), trials=20, executor=tw.ReplayExecutor(workers=1))
    assert noisy.stopped == "all 20 trials were run"


def test_the_run_ends_when_nothing_more_is_expected() -> None:
    here = tw.Study(problem(), strategy="cherrypick", seed=0)

    def hill(trial: tw.Trial) -> dict[str, float]:
        return {"accuracy": 0.9 - (trial.config["x"] - 7) ** 2 / 200, "time": 1.0}

    here.optimize(hill, executor=tw.ReplayExecutor(workers=1), min_gain=1e-3)
    assert here.stopped is not None and "expected to bring" in here.stopped
    assert here.best is not None and here.best.config == {"x": 7}
    assert len(here.history) < 12


def test_the_least_gain_may_be_a_share_of_the_best_and_wait_for_some_trials() -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        return {"accuracy": 0.9 - (trial.config["x"] - 7) ** 2 / 200, "time": 1.0}

    counts = {}
    for least in (1, 8):
        here = tw.Study(problem(), strategy="cherrypick", seed=0)
        clock = tw.ReplayExecutor(workers=1)
        here.optimize(job, executor=clock, min_gain="50 %", min_trials=least)
        assert here.stopped is not None and "(50 % of the best)" in here.stopped
        counts[least] = len(here.history)
    assert counts == {1: 4, 8: 8}


def test_a_stop_rule_sees_the_progress() -> None:
    seen: list[Progress] = []
    study().optimize(
        train,
        trials=2,
        executor=tw.ReplayExecutor(workers=1),
        stop=[lambda p: seen.append(p)],
    )
    assert [len(p.history) for p in seen] == [0, 1, 2]
    assert seen[2].elapsed == pytest.approx(sum(t.metrics["time"] for t in seen[2].history))


def test_callbacks_see_each_told_trial_and_may_stop_the_run() -> None:
    seen: list[int] = []

    def callback(here: tw.Study, trial: tw.Trial) -> None:
        seen.append(trial.number)
        if len(seen) == 3:
            here.stop("three are enough")

    here = study()
    here.optimize(train, executor=tw.ReplayExecutor(workers=1), callbacks=[callback])
    assert seen == [0, 1, 2] and here.stopped == "three are enough"


def test_a_job_that_raises_hangs_or_tells_nonsense_fails_its_trial_only() -> None:
    def job(trial: tw.Trial) -> object:
        if trial.number == 0:
            raise ValueError("no such data set")
        if trial.number == 1:
            time.sleep(1000)
        if trial.number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        if trial.number == 3:
            return {"accuracy": float("nan")}
        if trial.number == 5:
            return {"loss": 1.0}
        return train(trial)

    here = study()
    here.optimize(job, trials=6, trial_timeout=3.0)
    reasons = [getattr(t.outcome, "reason", "") for t in here.history]
    assert "no such data set" in reasons[0]
    assert "time limit" in reasons[1]
    assert "SIGKILL" in reasons[2]
    assert "nan" in reasons[3]
    assert "accuracy" in reasons[5]
    assert [t.state for t in here.history] == ["failed"] * 4 + ["complete", "failed"]
    assert all(t.metrics["time"] >= 0 for t in here.history)


def test_a_job_that_tells_what_nothing_can_be_learned_from_fails_its_trial_only() -> None:
    def job(trial: tw.Trial) -> object:
        return {"loss": 1e300 if trial.number < 2 else float(trial.config["x"]), "time": 1.0}

    space = tw.Space(tw.Ordinal("x", list(range(12))))
    here = tw.Study(tw.Problem(space, minimize="loss"), strategy="cherrypick", seed=0)
    here.optimize(job, trials=7, executor=tw.ReplayExecutor())
    assert [t.state for t in here.history] == ["failed"] * 2 + ["complete"] * 5
    assert "loss is 1e+300" in getattr(here.history[0].outcome, "reason", "")


@nothing_recommended
def test_a_trial_that_is_preempted_runs_again_but_not_for_ever() -> None:
    def job(trial: tw.Trial) -> object:
        return tw.Preempted("spot reclaimed", {"cost": 0.01, "time": 1.0})

    here = study()
    here.optimize(job, trials=1)
    assert here.history[0].state == "failed"
    assert here.spent["cost"] == pytest.approx(0.1)


def test_a_trial_is_cancelled_from_another_process_s_study(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    here = tw.Study(problem(), strategy="random", seed=0, storage=url, name="s")

    def job(trial: tw.Trial) -> dict[str, float]:
        if trial.number == 0:
            time.sleep(1000)
        return train(trial)

    def cancel() -> None:
        with tw.Study(problem(), strategy="random", storage=url, name="s") as other:
            while not other.history:
                time.sleep(0.05)
            other.cancel(0)

    thread = threading.Thread(target=cancel)
    thread.start()
    here.optimize(job, trials=2)
    thread.join()
    assert here.history[0].state == "cancelled"
    assert here.history[0].metrics["time"] > 0
    # A cancelled trial does not count: the study still gets its two.
    assert len(here.history.complete) == 2
    here.close()


def test_an_interrupted_run_books_its_trials_and_they_run_again(tmp_path: Path) -> None:
    here = study()

    def job(trial: tw.Trial) -> dict[str, float]:
        if trial.number == 1:
            (tmp_path / "second").touch()
            time.sleep(1000)
        return train(trial)

    def interrupt() -> None:
        while not (tmp_path / "second").exists():
            time.sleep(0.05)
        time.sleep(1.0)  # until the study has heard that its trial runs
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        here.optimize(job, trials=3)
    assert [t.state for t in here.history] == ["complete", "preempted"]
    assert here.history[1].lost["time"] > 0
    here.optimize(train, trials=3)
    assert [t.state for t in here.history] == ["complete"] * 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"trials": 0},
        {"trials": 2.5},
        {"parallel": 0},
        {"timeout": -1},
        {"trial_timeout": "soon"},
        {"target": "high"},
        {"min_gain": float("inf")},
        {"min_gain": "a lot"},
        {"min_gain": -0.1},
        {"min_trials": 0},
        {"stop": 5},
        {"callbacks": [7]},
    ],
)
def test_wrong_settings_get_a_sentence(wrong: dict[str, object]) -> None:
    with pytest.raises(tw.TunewiseError, match=re.escape(str(next(iter(wrong.values()))))):
        study().optimize(train, **wrong)  # type: ignore[arg-type] # wrong on purpose


def test_a_run_that_could_never_end_is_refused() -> None:
    endless = tw.Study(tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy"), "random")
    with pytest.raises(StudyError, match="never end"):
        endless.optimize(train)
    with pytest.raises(ExecutionError, match="expected a function"):
        endless.optimize("train.py", trials=1)  # type: ignore[arg-type] # wrong on purpose


@nothing_recommended
def test_a_budget_with_known_prices_is_kept_by_stopping_the_trial() -> None:
    here = study(budget=0.003, price=lambda config: 3.6)

    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(1000)
        return {"accuracy": 1.0}

    here.optimize(job, trials=3)
    # How much earlier a trial ends depends on how late the machine wakes its processes; what is
    # left may be enough for another one then.
    assert 0 < here.spent["cost"] <= 0.003
    assert {type(t.outcome) for t in here.history} == {tw.TimedOut}
    [first, *_] = [t.outcome for t in here.history if isinstance(t.outcome, tw.TimedOut)]
    # The study's own clock began a moment before the trial's: on a busy machine it ends it first.
    assert re.search("of the budget that this trial might cost were|^the budget was", first.reason)
    assert here.stopped is not None and "budget" in here.stopped


def test_a_stored_study_keeps_logs_beside_its_storage(tmp_path: Path) -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        print("hello from the job")
        return train(trial)

    url = f"sqlite:///{tmp_path}/s.db"
    with tw.Study(problem(), strategy="random", seed=0, storage=url, name="mine") as here:
        here.optimize(job, trials=1)
    log = tmp_path / "s.db.runs" / "mine" / "0" / "log.txt"
    assert "hello from the job" in log.read_text()


def test_a_result_of_another_study_is_never_taken_for_a_new_trials(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"

    def told(accuracy: float) -> float:
        with tw.Study(problem(), strategy="random", seed=0, storage=url, name="same") as here:
            here.optimize(lambda trial: {"accuracy": accuracy}, trials=1)
            return here.history[0].metrics["accuracy"]

    assert told(0.1) == 0.1
    for file in tmp_path.glob("s.db*"):
        if file.is_file():
            file.unlink()
    assert told(0.9) == 0.9


def test_several_processes_share_one_budget(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(
        "import time, tunewise as tw\n"
        "space = tw.Space(tw.Ordinal('x', list(range(12))))\n"
        "problem = tw.Problem(space, maximize='accuracy', budget=6.0, price=lambda c: 3600.0)\n"
        f"study = tw.Study(problem, 'random', 0, storage='sqlite:///{tmp_path}/s.db', name='b')\n"
        "study.optimize(lambda trial: time.sleep(1000) or {'accuracy': 0.5}, trials=12)\n"
        "study.close()\n"
    )
    workers = [subprocess.Popen([sys.executable, str(script)]) for _ in range(3)]
    assert [w.wait(timeout=600) for w in workers] == [0, 0, 0]
    shared = problem(budget=6.0, price=lambda config: 3600.0)
    with tw.Study(shared, "random", storage=f"sqlite:///{tmp_path}/s.db", name="b") as here:
        # Three trials at 1 USD a second, each stopped a moment before all have used the money up.
        assert 3.0 < here.spent["cost"] < 6.3


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        ({"accuracy": 93.0}, "a percentage is told as 0.93"),
        ({"accuracy": -0.1}, "between 0 and 1"),
        ({"accuracy": 0.5, "cost": -1.0}, "cost is -1; expected 0 or more"),
        ({"accuracy": 0.5, "time": -500.0}, "time is -500; expected 0 or more"),
    ],
)
def test_a_value_that_cannot_be_is_refused(metrics: dict[str, float], sentence: str) -> None:
    here = study()
    trial = here.ask()
    with pytest.raises(tw.TunewiseError, match=sentence):
        here.tell(trial, metrics)
    assert here.spent == {"cost": 0.0, "time": 0.0}


def test_a_price_that_cannot_be_is_refused() -> None:
    for price, sentence in ((lambda c: -1.0, "price gave -1"), (lambda c: c["y"], "price failed")):
        here = study(price=price)
        with pytest.raises(tw.TunewiseError, match=sentence):
            here.tell(here.ask(), {"accuracy": 0.5, "time": 1.0})
