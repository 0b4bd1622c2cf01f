"""A running trial is stopped by its reports when it cannot become the answer, and only then."""

from typing import Any

import pytest

import tunewise as tw
from tunewise.belief.model import Model
from tunewise.history import OUTCLASSED, History, Measurement, TimedOut, Trial, TrialState
from tunewise.strategy.loop.outclassed import outclassed

FRACTIONS = (0.1, 0.25, 0.5, 1.0)
QUALITY = {1: 0.6, 2: 0.7, 4: 0.8, 8: 0.9, 16: 0.85, 32: 0.5}


def problem(**changes: Any) -> tw.Problem:
    space = tw.Space(tw.Ordinal("width", list(QUALITY)))
    said: dict[str, Any] = {"maximize": "accuracy", "fractions": FRACTIONS, **changes}
    return tw.Problem(space, **said)


def metrics(width: int, fraction: float) -> dict[str, float]:
    return {
        "accuracy": QUALITY[width] - 0.08 * (1 - fraction),
        "time": 10 * fraction,
        "cost": 0.1 * fraction,
    }


def measured(number: int, width: int) -> Trial:
    passed = {s: metrics(width, s) for s in FRACTIONS[:-1]}
    told = Measurement(metrics(width, 1.0), passed)
    return Trial(number, {"width": width}, state=TrialState.COMPLETE, outcome=told)


def running(width: int, upto: float = 0.25) -> Trial:
    passed = {s: metrics(width, s) for s in FRACTIONS if s <= upto}
    return Trial(9, {"width": width}, reported=passed)


def verdict(wanted: tw.Problem, trial: Trial, *widths: int) -> str | None:
    history = History([*(measured(i, w) for i, w in enumerate(widths)), trial])
    return outclassed(wanted, history, trial, Model())


def test_a_trial_far_behind_the_best_is_outclassed() -> None:
    reason = verdict(problem(), running(32), 1, 4, 8)
    assert reason is not None and "1/4 of the data" in reason


def test_a_trial_that_may_still_win_goes_on() -> None:
    assert verdict(problem(), running(8), 1, 2, 4) is None
    assert verdict(problem(), running(16), 1, 4, 8) is None


def test_nothing_is_stopped_before_curves_were_seen_to_their_end() -> None:
    assert verdict(problem(), running(32), 1, 8) is None


def test_a_rival_that_breaks_the_limits_stops_nobody() -> None:
    assert verdict(problem(subject_to="cost <= 0.01"), running(32), 1, 4, 8) is None


def test_a_trial_that_has_reported_nothing_of_the_objective_goes_on() -> None:
    silent = Trial(9, {"width": 32}, reported={0.25: {"time": 2.5}})
    assert verdict(problem(), silent, 1, 4, 8) is None


@pytest.mark.parametrize(("passed", "stopped"), [(0.0998, False), (0.09995, True), (0.1, True)])
def test_a_tenth_of_it_has_to_be_over_but_for_digits_that_were_not_written(
    passed: float, stopped: bool
) -> None:
    begun = Trial(9, {"width": 32}, reported={passed: metrics(32, passed)})
    assert (verdict(problem(), begun, 1, 4, 8) is not None) == stopped


def test_where_any_fraction_may_be_deployed_nothing_is_stopped() -> None:
    assert verdict(problem(deploy="any"), running(32), 1, 4, 8) is None


@pytest.mark.parametrize("strategy", ["eic", "cherrypick", "trimtuner"])
def test_a_search_stops_such_trials_keeps_their_snapshots_and_pays_only_for_what_ran(
    strategy: str,
) -> None:
    def job(trial: Any) -> dict[str, float]:
        for s in FRACTIONS:
            if s < trial.fraction:
                trial.report(metrics(trial.config["width"], s), fraction=s)
        return metrics(trial.config["width"], trial.fraction)

    wanted = problem()
    with tw.Study(wanted, strategy, seed=0) as study:
        study.optimize(job, trials=6, executor=tw.ReplayExecutor(), progress=False)
        history = study.history
        best = study.recommend()
    stopped = [t for t in history if isinstance(t.outcome, TimedOut)]
    assert best.config == {"width": 8}
    for trial in stopped:
        assert isinstance(trial.outcome, TimedOut)
        assert trial.outcome.reason.startswith(OUTCLASSED) and not trial.pruned
        assert trial.reported and trial.metrics["cost"] < 0.1 * trial.fraction
    if strategy != "trimtuner":
        assert stopped


def test_it_stops_nothing_when_asked_not_to() -> None:
    def job(trial: Any) -> dict[str, float]:
        trial.report(metrics(trial.config["width"], 0.1), fraction=0.1)
        return metrics(trial.config["width"], trial.fraction)

    with tw.Study(problem(), "eic", seed=0) as study:
        clock = tw.ReplayExecutor()
        study.optimize(job, trials=6, executor=clock, progress=False, prune=False)
        assert len(study.history.complete) == 6
