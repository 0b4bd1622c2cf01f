"""When a run has done enough, and when it is left to a person."""

from collections.abc import Sequence

import pytest

import tunewise as tw
from tunewise.errors import StudyError
from tunewise.history import (
    Failure,
    Flaky,
    History,
    Measurement,
    Misused,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
)
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.stopping import (
    Progress,
    StopRule,
    after_seconds,
    budget_spent,
    least_gain,
    nothing_works,
    target_reached,
)
from tunewise.study.run.verdicts import Verdicts

SPACE = tw.Space(tw.Ordinal("width", [1, 2, 4]))
COSTLY = tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 2"], budget=3.0)
CHEAP = tw.Problem(SPACE, minimize="cost")


def asked(
    rule: StopRule, outcomes: Sequence[Outcome], problem: tw.Problem = COSTLY, elapsed: float = 0.0
) -> str | None:
    trials = [Trial(i, {"width": 1}).told(each) for i, each in enumerate(outcomes)]
    return rule(Progress(problem, History(trials), elapsed, lambda: None))


def measured(accuracy: float, usd: float) -> Measurement:
    return Measurement({"accuracy": accuracy, "cost": usd})


def test_time_is_over_at_its_end_and_not_before() -> None:
    rule = after_seconds(60)
    assert asked(rule, [], elapsed=59.9) is None
    assert asked(rule, [], elapsed=60.0) == "the time of 60 s is over"


def test_a_budget_is_spent_to_the_cent_whatever_rounding_says() -> None:
    assert asked(budget_spent, [measured(0.5, 1.0)] * 2) is None
    assert "3 USD is spent" in str(asked(budget_spent, [measured(0.5, 3.0 - 1e-12)]))
    assert asked(budget_spent, [measured(0.5, 99.0)], CHEAP) is None


def test_a_target_counts_when_it_is_met_within_the_limits() -> None:
    rule = target_reached(0.9)
    assert asked(rule, [measured(0.89, 1.0)]) is None
    assert asked(rule, [measured(0.95, 2.5)]) is None
    assert asked(rule, [measured(0.9, 1.0)]) == "the target of 0.9 is reached"
    assert asked(target_reached(1.0), [measured(0.5, 1.5)], CHEAP) is None
    assert asked(target_reached(1.0), [measured(0.5, 0.7)], CHEAP) is not None


def test_a_job_that_never_works_is_left_to_a_person() -> None:
    rule = nothing_works(History([]))
    missing = [Failure(f"no file /tmp/{i}\nmore {i}") for i in range(3)]
    assert asked(rule, missing[:2]) is None
    assert asked(rule, missing) == "all 3 trials of this run failed"
    assert "3 of 4" in str(asked(rule, [Failure("other"), *missing]))
    assert asked(rule, [measured(0.5, 1.0), *missing]) is None
    assert asked(rule, [Failure("a"), Failure("b"), Failure("c")]) is None
    assert asked(rule, [TimedOut("pruned: stopped")] * 5) is None


def test_a_job_that_is_wrong_with_any_config_is_left_to_a_person_at_once() -> None:
    rule = nothing_works(History([]))
    assert asked(rule, [Misused("it returned a string")]) is not None
    assert asked(rule, [measured(0.5, 1.0), Misused("it returned a string")]) is None


def test_failures_of_earlier_runs_do_not_end_a_new_one() -> None:
    before = History([Trial(i, {"width": 1}).told(Failure("broke")) for i in range(2)])
    rule = nothing_works(before)
    assert asked(rule, [Failure("broke")] * 4) is None
    assert asked(rule, [Failure("broke")] * 5) is not None


@pytest.mark.parametrize(("said", "amount", "relative"), [(0.5, 0.5, False), ("10 %", 0.1, True)])
def test_a_least_gain_is_an_amount_or_a_share(said: object, amount: float, relative: bool) -> None:
    found = least_gain(said)  # type: ignore[arg-type] # of either kind
    assert found.amount == pytest.approx(amount)
    assert found.relative == relative


@pytest.mark.parametrize("said", [-1, "much", True, float("nan"), float("inf"), "-3 %"])
def test_a_senseless_gain_is_refused_by_name(said: object) -> None:
    with pytest.raises(StudyError, match="min_gain is"):
        least_gain(said)  # type: ignore[arg-type] # wrong on purpose


def verdicts(retries: int = 0) -> Verdicts:
    return Verdicts(retries, ProgressLine(tw.Study(CHEAP, "random", seed=0), 4, show=False))


def test_a_failure_runs_again_as_often_as_was_said_and_then_counts() -> None:
    judge, failure = verdicts(retries=1), Failure("broke", {"cost": 1.0})
    again = judge.judged(Trial(0, {"width": 1}), failure)
    assert type(again) is Flaky and again.metrics == {"cost": 1.0}
    assert judge.judged(Trial(0, {"width": 1}, retried=1), failure) is failure
    stopped = TimedOut("pruned")
    assert judge.judged(Trial(1, {"width": 1}), stopped) is stopped


def test_a_trial_that_is_preempted_for_ever_fails_in_the_end() -> None:
    judge, gone = verdicts(), Preempted("the machine was taken away", {"cost": 1.0})
    trial, other = Trial(0, {"width": 1}), Trial(1, {"width": 2})
    assert all(judge.judged(trial, gone) is gone for _ in range(9))
    assert judge.judged(other, gone) is gone
    ended = judge.judged(trial, gone)
    assert type(ended) is Failure
    assert ended.reason == "preempted 10 times: the machine was taken away"
    assert ended.metrics == {"cost": 1.0}
