"""What a person is told where a run ends with less than was hoped for."""

import pytest

import tunewise as tw
from tunewise.errors import TunewiseWarning
from tunewise.history import Flaky, Preempted, Trial
from tunewise.report.overview import overview

SPACE = tw.Space(tw.Choice("x", [0, 1, 2]))


def train(trial: tw.Trial) -> dict[str, float]:
    return {"accuracy": 0.5 + trial.config["x"] / 10, "time": 1.0}


def test_a_budget_that_pays_for_no_trial_is_said_to_where_nothing_is_recommended() -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", budget=1e-9, price=lambda config: 1.0)
    with tw.Study(problem, seed=0) as study:
        with pytest.warns(TunewiseWarning, match="budget of 1e-9 USD pays for no trial"):
            assert study.optimize(train, trials=5, progress=False) is None
        assert overview(problem, study.history).counts == {"waiting": 1}


def fail(trial: tw.Trial) -> dict[str, float]:
    raise ValueError(f"there is no file\x1b[2J {trial.number}.csv")


@pytest.mark.parametrize("trials", [1, 2])
def test_whoever_runs_a_job_that_fails_hears_of_it_once(
    trials: int, caplog: pytest.LogCaptureFixture
) -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), seed=0)
    with study, pytest.warns(TunewiseWarning, match="nothing is recommended"):
        study.optimize(fail, trials=trials, progress=False)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert said[0].startswith("trial 0 failed: ValueError: there is no file␛[2J 0.csv")


def test_an_attempt_that_failed_and_runs_again_was_not_preempted() -> None:
    began = Trial(0, {"x": 1})
    assert began.status == "running"
    assert began.told(Flaky("out of memory", {"time": 3.0})).status == "to be retried"
    assert began.told(Preempted("the machine was taken", {"time": 3.0})).status == "preempted"
    assert began.told(Preempted("there was no money to begin it")).status == "waiting"


def test_a_limit_that_is_doubted_is_never_stated_to_be_kept_for_certain() -> None:
    problem = tw.Problem(
        tw.Space(tw.Real("x", 0, 1)), maximize="accuracy", subject_to="time <= 1000000"
    )
    with tw.Study(problem, "trimtuner", seed=0) as study:
        for _ in range(4):
            trial = study.ask()
            study.tell(trial, {"accuracy": trial.config["x"] / 2, "time": 1.0 + trial.config["x"]})
        answer = study.recommend()
    assert 0.99 < answer.feasible < 1.0 and "> 99 %" in repr(answer)


def test_a_job_that_always_fails_is_told_without_control_characters(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), seed=0)
    with study, pytest.warns(TunewiseWarning, match="nothing is recommended"):
        study.optimize(fail, trials=3, progress=False)
    said = [record.getMessage() for record in caplog.records]
    assert said[-1].startswith("all 3 trials of this run failed; trial 2: ")
    assert not any("\x1b" in line for line in said)


def test_a_budget_that_counts_nothing_is_said_to_once(caplog: pytest.LogCaptureFixture) -> None:
    with tw.Study(tw.Problem(SPACE, maximize="accuracy", budget=1.0), seed=0) as study:
        study.optimize(train, trials=3, progress=False)
    assert [record.getMessage() for record in caplog.records] == [
        "the budget of 1.00 USD does not count trial 0: it told no cost, and the problem has no"
        " price=; return a 'cost', or give a price"
    ]


def test_a_budget_that_a_price_counts_is_not_doubted(caplog: pytest.LogCaptureFixture) -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", budget=1.0, price=0.5)
    with tw.Study(problem, seed=0) as study:
        study.optimize(train, trials=2, progress=False)
    assert not [r for r in caplog.records if "does not count" in r.getMessage()]
    assert study.spent["cost"] > 0


def test_where_all_trials_of_a_replay_failed_the_reason_says_so() -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), seed=0)
    with study, pytest.warns(TunewiseWarning, match="3 trials were run, and none was completed"):
        study.optimize(lambda trial: tw.Failure("broken"), trials=3, executor="replay")
