"""The rules of a trial in a store, without any store: owners, leases and money by hand."""

from dataclasses import replace
from typing import Any

import pytest

from tunewise.errors import StudyError
from tunewise.history import (
    Cancelled,
    Failure,
    Measurement,
    Outcome,
    Preempted,
    Trial,
    TrialState,
)
from tunewise.study.owner import Owner
from tunewise.study.slots.money import funded
from tunewise.study.slots.slot import Slot, absent, right_lost, unknown_study, unknown_trial
from tunewise.study.store import Allocation
from tunewise.testing.stores import dead_owner, far_owner, lost_attempt

A, B, C = far_owner("a"), far_owner("b"), far_owner("c")
COST = Measurement({"accuracy": 0.5, "time": 5.0, "cost": 10.0})


def running(owner: Owner = A, now: float = 100.0, lease: float = 10.0) -> Slot:
    return Slot.added(0, {"x": 1}, 0.5, (0.1,), owner, lease, now)


def enqueued() -> Slot:
    return Slot.added(0, {"x": 1}, 1, (), None, 10.0, 100.0)


def test_a_new_trial_runs_for_its_owner_and_waits_without_one() -> None:
    slot = running()
    assert (slot.trial.state, slot.owner, slot.until) == (TrialState.RUNNING, A, 110.0)
    assert (slot.trial.asked_at, slot.trial.fraction, slot.trial.snapshots) == (100.0, 0.5, (0.1,))
    idle = enqueued()
    assert (idle.trial.state, idle.owner, idle.trial.enqueued) == (TrialState.WAITING, None, True)
    assert not slot.trial.enqueued and idle.trial.asked_at is None


def test_a_config_that_somebody_changes_later_is_not_the_stores() -> None:
    config: dict[str, Any] = {"layers": [1, 2]}
    slot = Slot.added(0, config, 1.0, (), None, 10.0, 0.0)
    config["layers"].append(3)
    assert slot.trial.config == {"layers": [1, 2]}


@pytest.mark.parametrize(
    ("owner", "until", "now", "gone"),
    [
        (None, 999.0, 0.0, True),
        (A, 110.0, 109.9, False),
        (A, 110.0, 110.0, True),
        (Owner.here(), 110.0, 109.0, False),
        (Owner.here(), 110.0, 111.0, True),
        (dead_owner(), 1e12, 0.0, True),
    ],
)
def test_a_lease_is_over_at_its_end_or_with_its_process(
    owner: Owner | None, until: float, now: float, gone: bool
) -> None:
    assert absent(owner, until, now) == gone


def test_a_running_trial_is_idle_when_its_lease_is_over_and_an_ended_one_never() -> None:
    assert not running().idle(109.0) and running().idle(110.0)
    assert enqueued().idle(0.0)
    assert not running().told("s", COST, A, 105.0).idle(999.0)


def test_nobody_takes_a_trial_that_they_run_or_may_still_tell_of() -> None:
    assert running().claimable(B, 110.0) and not running().claimable(A, 110.0)
    taken = running().claimed("s", B, 10.0, lost_attempt, 120.0)
    assert taken.owner == B and str(A) in taken.booked
    assert not taken.claimable(A, 999.0) and taken.claimable(C, 999.0)


def test_a_claim_books_what_was_lost_and_begins_anew() -> None:
    late = replace(running(), ran=3.0, held=7.0)
    taken = late.claimed("s", B, 20.0, lost_attempt, 120.0)
    assert (taken.owner, taken.until, taken.trial.asked_at) == (B, 140.0, 120.0)
    assert taken.trial.lost == {"time": 3.0, "cost": 6.0}
    assert taken.booked == {str(A): {"time": 3.0, "cost": 6.0}}
    assert (taken.ran, taken.held, taken.stop) == (0.0, None, False)


def test_nothing_is_owed_to_a_worker_that_is_dead() -> None:
    taken = running(dead_owner()).claimed("s", B, 20.0, lost_attempt, 101.0)
    assert taken.booked == {}
    silent = running().claimed("s", B, 20.0, None, 120.0)
    assert silent.booked == {str(A): {}} and silent.trial.lost == {}


def test_a_claimed_trial_that_should_stop_is_cancelled() -> None:
    stopped = replace(running(), stop=True).claimed("s", B, 20.0, None, 120.0)
    assert stopped.trial.outcome == Cancelled("stopped while nobody ran it")
    assert (stopped.trial.told_at, stopped.owner) == (120.0, None)


def test_what_an_absent_worker_had_measured_is_told_for_it() -> None:
    ended = running().claimed("s", B, 20.0, lambda trial, seconds: COST, 120.0)
    assert ended.trial.outcome == COST and ended.owner is None
    assert ended.booked == {str(A): {"time": 5.0, "cost": 10.0}}


def test_a_worker_that_was_only_silent_takes_back_what_was_booked_for_it() -> None:
    taken = replace(running(), ran=3.0).claimed("s", B, 20.0, lost_attempt, 120.0)
    told = taken.told("s", COST, A, 125.0)
    assert told.trial.lost == {} and told.trial.outcome == COST
    assert told.booked == {str(B): {}}  # who may still tell what it has spent


def test_a_partial_loss_of_another_attempt_stays_booked() -> None:
    earlier = replace(running().trial, lost={"time": 4.0, "cost": 1.0})
    slot = replace(running(), trial=earlier, owner=B, booked={str(A): {"time": 3.0, "cost": 1.0}})
    assert slot.told("s", COST, A, 1.0).trial.lost == {"time": 1.0}


@pytest.mark.parametrize(
    ("outcome", "lost"),
    [
        (Preempted("gone", {"time": 8.0, "cost": 2.0}), {"time": 5.0, "accuracy": 1.0}),
        (Preempted("gone", {"time": 1.0}), {"accuracy": 1.0}),
        (Failure("no", {"cost": 6.5}), {"cost": 0.5, "accuracy": 1.0}),
    ],
)
def test_what_a_late_worker_spent_beyond_what_was_booked_is_booked(
    outcome: Outcome, lost: dict[str, float]
) -> None:
    ended = replace(running().told("s", COST, A, 1.0), booked={str(B): {"time": 3.0, "cost": 6.0}})
    ended = replace(ended, trial=replace(ended.trial, lost={"accuracy": 1.0}))
    late = ended.told_late(outcome, B)
    assert late is not None
    assert late.trial.lost == lost and late.trial.outcome == COST
    assert late.booked == {} and late.told_late(outcome, B) is None
    assert ended.told_late(outcome, C) is None
    assert running().told_late(outcome, A) is None  # it has not ended yet


def test_a_preemption_by_its_owner_ends_the_attempt_and_by_another_only_costs() -> None:
    own = running().told("s", Preempted("spot", {"cost": 1.0}), A, 105.0)
    assert (own.trial.state, own.owner, own.trial.lost) == (
        TrialState.PREEMPTED,
        None,
        {"cost": 1.0},
    )
    other = running().told("s", Preempted("spot", {"cost": 1.0}), B, 105.0)
    assert (other.trial.state, other.owner) == (TrialState.RUNNING, A)
    assert other.trial.lost == {"cost": 1.0} and other.until == 110.0
    nobody = running().told("s", Preempted("spot"), None, 105.0)
    assert nobody.trial.state is TrialState.PREEMPTED


def test_a_preempted_trial_that_should_stop_has_ended() -> None:
    told = replace(running(), stop=True).told("s", Preempted("spot", {"cost": 1.0}), A, 105.0)
    assert told.trial.outcome == Cancelled("spot", {"cost": 1.0})


def test_a_stop_is_a_note_for_who_runs_it_and_the_end_where_nobody_does() -> None:
    noted = running().asked_to_stop("s", None, 105.0)
    assert noted.stop and noted.owner == A and noted.trial.state is TrialState.RUNNING
    ended = enqueued().asked_to_stop("s", None, 105.0)
    assert ended.trial.state is TrialState.CANCELLED and ended.trial.told_at == 105.0
    found = running().asked_to_stop("s", lambda trial, seconds: COST, 200.0)
    assert found.trial.outcome == COST


def test_reports_count_from_the_owner_while_it_runs() -> None:
    slot = running().reporting(A, {0.1: {"accuracy": 0.2}})
    slot = slot.reporting(A, {0.2: {"accuracy": 0.3}})
    assert slot.trial.reported == {0.1: {"accuracy": 0.2}, 0.2: {"accuracy": 0.3}}
    assert slot.reporting(B, {0.3: {"accuracy": 0.9}}) is slot
    ended = slot.told("s", COST, A, 1.0)
    assert ended.reporting(A, {0.3: {"accuracy": 0.9}}) is ended


def test_who_comes_too_late_hears_how_it_ended() -> None:
    ended = running().told("s", Failure("out of memory", {"cost": 0.25}), A, 1.0)
    with pytest.raises(StudyError) as refused:
        ended.told("s", COST, B, 2.0)
    assert str(refused.value) == (
        "trial 0 of study 's' was told already (failed, out of memory, cost=0.25)"
    )
    with pytest.raises(StudyError, match=r"trial 0 of study 's' has ended already \(failed"):
        ended.asked_to_stop("s", None, 2.0)


def test_what_is_not_there_is_named_with_what_is() -> None:
    assert str(unknown_study("digit", ["digits"])).startswith(
        "there is no study 'digit'; did you mean 'digits'?"
    )
    assert str(unknown_study("digit", [])) == "there is no study 'digit'; the store is empty"
    assert str(unknown_trial("s", 5, 3)) == "study 's' has no trial 5; its trials are 0 to 2"
    assert "does not hold the right to ask in study 's'" in str(right_lost("s"))


def paid(number: int, cost: float, state: TrialState = TrialState.RUNNING) -> Trial:
    return Trial(number, {"x": 1}, 1.0, state=state, lost={"cost": cost})


def wants(usd: float, seen: list[tuple[float, int]] | None = None) -> Allocation:
    def take(trial: Trial, free: float, waiting: int) -> float:
        if seen is not None:
            seen.append((free, waiting))
        return usd

    return Allocation(10.0, take)


def test_free_money_is_what_is_neither_booked_nor_set_aside_for_others() -> None:
    seen: list[tuple[float, int]] = []
    slot = replace(running(), trial=paid(2, 0.5))
    trials = [paid(0, 1.0), paid(1, 2.0), paid(2, 99.0)]  # its own booking is the slot's
    got = funded(slot, wants(1.5, seen), trials, {0: 3.0, 1: 0.0, 2: 88.0})
    [(free, waiting)] = seen
    assert free == pytest.approx(10 - 3.5 - 3.0) and waiting == 1
    assert got.held == pytest.approx(1.5)


@pytest.mark.parametrize(("usd", "held"), [(-1.0, 0.0), (4.0, 4.0), (100.0, 7.0)])
def test_nobody_gets_less_than_nothing_or_more_than_is_free(usd: float, held: float) -> None:
    assert funded(running(), wants(usd), [], {1: 3.0}).held == pytest.approx(held)


def test_a_budget_that_is_spent_gives_nothing() -> None:
    assert funded(running(), wants(5.0), [paid(1, 12.0)], {}).held == 0.0


def test_only_a_running_trial_with_an_owner_needs_money() -> None:
    assert funded(running(), None, [], {}).held is None
    assert funded(enqueued(), wants(5.0), [], {}).held is None
    ended = replace(running().told("s", COST, A, 1.0), owner=A)
    assert funded(ended, wants(5.0), [], {}).held is None
