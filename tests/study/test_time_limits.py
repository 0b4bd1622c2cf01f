"""Trials that take too long, and why they were stopped."""

import time

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.errors import StrategyError, StudyError
from tunewise.strategy.pruner import Pruner

SPACE = tw.Space.of([{"x": x} for x in range(6)])
PROBLEM = tw.Problem(SPACE, maximize="accuracy", price=lambda config: 36.0)


class Impatient(Pruner):
    """Gives up on the later half of the space after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def limit(self, history: tw.History, trial: tw.Trial) -> float | None:
        assert history[trial.number].config == trial.config
        return self.seconds if trial.config["x"] >= 3 else None


def study(seconds: float = 2.0) -> tw.Study:
    made = tw.Study(PROBLEM, "random", seed=0)
    made.strategy.pruner = Impatient(seconds)
    return made


def slow(trial: tw.Trial) -> dict[str, float]:
    return {"accuracy": 0.5, "time": 10.0}


def test_a_trial_that_the_strategy_finds_hopeless_is_stopped_and_its_part_is_booked() -> None:
    here = study()
    clock = tw.ReplayExecutor()
    here.optimize(slow, executor=clock)
    assert {t.config["x"] for t in here.history.timed_out} == {3, 4, 5}
    for trial in here.history.timed_out:
        assert trial.outcome == tw.TimedOut(
            "pruned: stopped after 2 s", {"time": 2.0, "cost": 0.02}
        )
    assert {t.config["x"] for t in here.history.complete} == {0, 1, 2}
    assert clock.now() == 36.0


@nothing_recommended
def test_the_first_limit_counts_and_says_why() -> None:
    def reasons(trial_timeout: float | None) -> set[str]:
        here = study()
        here.optimize(slow, trial_timeout=trial_timeout, executor=tw.ReplayExecutor())
        outcomes = [t.outcome for t in here.history.timed_out]
        return {o.reason for o in outcomes if isinstance(o, tw.TimedOut)}

    assert reasons(1.0) == {"time limit of 1 s reached"}
    assert reasons(5.0) == {"pruned: stopped after 2 s", "time limit of 5 s reached"}
    assert reasons(None) == {"pruned: stopped after 2 s"}


@nothing_recommended
def test_a_hopeless_trial_in_a_process_is_stopped() -> None:
    here = study(0.3)
    here.enqueue({"x": 5})
    executor = tw.ProcessExecutor()
    executor.getting_ready = 0.5
    with executor:
        here.optimize(lambda trial: time.sleep(1000), trials=1, progress=False, executor=executor)
    [trial] = here.history
    assert isinstance(trial.outcome, tw.TimedOut)
    assert trial.outcome.reason == "pruned: stopped after 0.8 s"
    assert 0.008 <= trial.metrics["cost"] < 1.2


def test_getting_ready_is_not_held_against_a_trial_that_tells_its_own_time() -> None:
    here = study(0.3)
    here.enqueue({"x": 5})

    def train(trial: tw.Trial) -> dict[str, float]:
        time.sleep(1.0)  # as imports take
        return {"accuracy": 0.9, "time": 0.1}

    here.optimize(train, trials=1, progress=False)
    [trial] = here.history
    assert trial.state is tw.TrialState.COMPLETE


def test_a_time_limit_that_is_none_is_refused() -> None:
    with pytest.raises(StrategyError, match="limit is nan"):
        study(float("nan")).optimize(slow, executor=tw.ReplayExecutor())


def test_whether_hopeless_trials_are_stopped_is_yes_or_no() -> None:
    with pytest.raises(StudyError, match="prune is 'no'; expected True or False"):
        study().optimize(slow, trials=1, prune="no")  # type: ignore[arg-type] # a mistake


def test_a_run_takes_the_former_name_of_prune() -> None:
    with pytest.raises(StudyError, match="prune is 'no'; expected True or False"):
        study().optimize(slow, trials=1, stop_hopeless="no")  # type: ignore[call-arg] # as it was
