"""What an executor is asked, what trials tell on the way, and why one was stopped."""

import math
from concurrent.futures import Future
from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ExecutionError, MeasurementError, StrategyError
from tunewise.history import Cancelled, Measurement, Outcome, Preempted, TimedOut, Trial
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.executor import Allowance, Report, Request
from tunewise.study.run.limits import Running, limits_of
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.reports import Reports
from tunewise.study.run.settings import Settings
from tunewise.study.run.stops import due

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy", fractions=(0.1, 0.5, 1.0))


def job(trial: Trial) -> dict[str, float]:
    return {"accuracy": 0.5}


def running(trial: Trial, limit: float = 60.0, reason: str | None = None) -> Running:
    return Running(trial, limit, reason, began=100.0, paid=math.inf)


def test_a_request_is_checked_when_it_is_made() -> None:
    request = Request(job, Trial(0, {"width": 1}), limit=5, folder="logs")  # type: ignore[arg-type] # text does too
    assert (request.seconds, str(request.folder)) == (5.0, "logs")
    assert Request(job, Trial(0, {"width": 1})).seconds == math.inf
    with pytest.raises(ExecutionError, match="expected a function"):
        Request("train", Trial(0, {"width": 1}))  # type: ignore[arg-type] # wrong on purpose
    for wrong in (-1, True, "60", math.nan):
        with pytest.raises(ExecutionError, match="limit is"):
            Request(job, Trial(0, {"width": 1}), limit=wrong)  # type: ignore[arg-type] # wrong


@pytest.mark.parametrize("fraction", [0, -0.5, 1.5, True, "half"])
def test_a_report_that_can_be_no_snapshot_is_refused(fraction: Any) -> None:
    with pytest.raises(MeasurementError, match="fraction"):
        Report({"accuracy": 0.5}, fraction)


def test_money_that_ended_says_how_much_it_was() -> None:
    ended = Allowance(usd=0.25).used_up({"cost": 0.25})
    assert ended.reason == "the 0.25 USD of the budget that this trial might cost were spent"
    assert ended.metrics == {"cost": 0.25}
    assert Allowance().used_up().reason == "the budget was spent"


def test_a_trial_that_reached_the_strategys_limit_says_so_and_one_that_was_stopped_before_not() -> (
    None
):
    run = running(Trial(0, {"width": 1}), 60.0, "pruned: stopped after 60 s")
    late, early = TimedOut("over", {"time": 60.0}), TimedOut("by money", {"time": 59.0})
    measured = Measurement({"accuracy": 0.5, "time": 61.0})
    assert run.explained(late) == TimedOut("pruned: stopped after 60 s", {"time": 60.0})
    assert run.explained(early) is early
    assert run.explained(measured) is measured
    assert running(run.trial).explained(late) is late


def settings(**given: Any) -> Settings:
    usual: dict[str, Any] = dict.fromkeys(
        ("trials", "timeout", "target", "min_gain", "min_trials", "trial_timeout", "folder")
    )
    return Settings.of(**{**usual, "parallel": 1, "stop": (), "callbacks": (), **given})


@pytest.mark.parametrize(
    ("patience", "expected"), [(None, [30.0]), (math.inf, [30.0]), (10.0, [30.0, 12.5])]
)
def test_a_trial_has_the_limits_of_the_run_and_of_its_strategy(
    monkeypatch: pytest.MonkeyPatch, patience: float | None, expected: list[float]
) -> None:
    study, trial = tw.Study(PROBLEM, "random", seed=0), Trial(0, {"width": 1})
    monkeypatch.setattr(study.strategy.pruner, "limit", lambda history, trial: patience)
    with tw.ProcessExecutor(1) as executor:
        monkeypatch.setattr(executor, "getting_ready", 2.5)
        asked = settings(trial_timeout="30 s")
        assert [limit for limit, _ in limits_of(study, asked, executor, trial)] == expected
        asked = settings(trial_timeout="30 s", prune=False)
        assert limits_of(study, asked, executor, trial) == [(30.0, None)]
        for wrong in (-1.0, math.nan):
            monkeypatch.setattr(study.strategy.pruner, "limit", lambda h, t, said=wrong: said)
            with pytest.raises(StrategyError, match="limit is"):
                limits_of(study, settings(), executor, trial)


def test_the_last_word_at_a_fraction_is_kept_and_nonsense_is_not() -> None:
    study = tw.Study(PROBLEM, "random", seed=0)
    study.enqueue({"width": 1}, fraction=0.5)
    trial = study.ask()
    ledger = BudgetLedger(study, 1, ahead=0.0, shortest=0.0, metered=False)
    line = ProgressLine(study, 4, show=False)
    reports = Reports(study, ledger, line)
    for accuracy in (0.2, 0.3):
        reports.hear(trial, Report({"accuracy": accuracy}, 0.1))
    reports.hear(trial, Report({"accuracy": 0.9}, 0.5))  # its own fraction: that is the result
    reports.hear(trial, Report({"cost": 0.1}))  # no snapshot, only news
    assert reports.keep([running(trial)], now=110.0) == {trial.number}
    assert study.history[0].reported == {0.1: {"accuracy": 0.3}}
    assert reports.keep([running(trial)], now=120.0) == set()
    reports.hear(trial, Report({"accuracy": 3.0}, 0.1))
    assert reports.keep([running(trial)], now=130.0) == set()
    assert study.history[0].reported == {0.1: {"accuracy": 0.3}}


def test_trials_are_stopped_for_a_person_for_lost_leases_and_when_the_time_is_over() -> None:
    class Asked:
        stop_requests, lost_leases = frozenset({1}), frozenset({2})

    trials: dict[Future[Outcome], Running] = {
        Future(): running(Trial(n, {"width": 1})) for n in range(3)
    }
    stopped = [(trials[f].trial.number, type(o)) for f, o in due(Asked(), trials, False)]  # type: ignore[arg-type] # all it looks at
    assert stopped == [(1, Cancelled), (2, Preempted)]
    over = [trials[f].trial.number for f, _ in due(Asked(), trials, True)]  # type: ignore[arg-type] # all it looks at
    assert set(over) == {0, 1, 2}
