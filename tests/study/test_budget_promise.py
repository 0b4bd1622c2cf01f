"""A budget is a promise: whatever trials do, what is booked is never above it."""

import itertools
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tunewise as tw
from tests.doubts import nothing_recommended, perhaps_nothing
from tunewise.execution.running_trial import RunningTrial
from tunewise.storage.memory import MemoryStore
from tunewise.strategy.random import Random
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.testing.stores import asked, dead_owner

CONFIGS = [{"x": x} for x in range(40)]

Told = tw.Measurement | tw.Failure


@dataclass(frozen=True)
class Search:
    """A search in virtual time.

    Attributes:
        budget: USD for all of it.
        hourly: What each config costs, in turn; None where the job tells the cost itself.
        billing: How that makes a bill.
        trials: How each trial ends, in turn, and after how many seconds.
        parallel: Trials at once.
        limit: Seconds that a trial may take, if it is limited.
    """

    budget: float
    hourly: tuple[float, ...] | None
    billing: tw.Billing
    trials: tuple[tuple[str, float], ...]
    parallel: int
    limit: float | None

    def price(self) -> Callable[[dict[str, int]], float] | None:
        prices = self.hourly
        return None if prices is None else lambda config: prices[config["x"] % len(prices)]

    def job(self) -> Callable[[tw.Trial], Told]:
        turns = itertools.cycle(self.trials)

        def run(trial: tw.Trial) -> Told:
            end, seconds = next(turns)
            metrics = {"time": seconds}
            if self.hourly is None:
                metrics["cost"] = seconds / 1000
            kinds = {"failed": tw.Failure, "preempted": tw.Preempted}
            if end in kinds:
                return kinds[end](end, metrics)
            return tw.Measurement({"accuracy": 0.5, **metrics})

        return run

    def study(self) -> tw.Study:
        problem = tw.Problem(
            tw.Space.of(CONFIGS),
            maximize="accuracy",
            budget=self.budget,
            price=self.price(),
            billing=self.billing,
        )
        return tw.Study(problem, "random", seed=0)

    def run(self) -> tw.Study:
        study = self.study()
        study.optimize(
            self.job(),
            trials=25,
            parallel=self.parallel,
            trial_timeout=self.limit,
            executor=tw.ReplayExecutor(workers=self.parallel),
            progress=False,
        )
        return study


ends = st.sampled_from(["complete", "complete", "complete", "failed", "preempted"])
seconds = st.one_of(st.sampled_from([0.0, 1.0, 59.0, 60.0, 61.0]), st.floats(0.01, 9000))
searches = st.builds(
    Search,
    budget=st.one_of(st.sampled_from([0.001, 1.0]), st.floats(0.001, 20)),
    hourly=st.one_of(
        st.none(),
        st.lists(st.one_of(st.just(0.0), st.floats(0.01, 20)), min_size=1, max_size=4).map(tuple),
    ),
    billing=st.builds(
        tw.Billing,
        tick=st.sampled_from([0.0, 1.0, 60.0, 3600.0]),
        minimum=st.sampled_from([0.0, 60.0, 90.0, 3600.0]),
    ),
    trials=st.lists(st.tuples(ends, seconds), min_size=1, max_size=8).map(tuple),
    parallel=st.integers(1, 8),
    limit=st.one_of(st.none(), st.floats(1, 5000)),
)


@given(searches)
@example(
    Search(18.0, (20.0,), tw.Billing(0.0, 60.0), (("complete", 1.0), ("complete", 288.0)), 2, None)
)
@perhaps_nothing
def test_what_is_booked_is_never_above_the_budget(search: Search) -> None:
    study = search.run()
    assert study.spent["cost"] <= search.budget * (1 + 1e-9), [
        (trial.number, trial.state.value, trial.spent) for trial in study.history
    ]
    # Nor is a trial begun that cannot be paid for.
    assert all(trial.metrics["time"] > 0 for trial in study.history.timed_out)


@settings(max_examples=25, deadline=None)
@given(searches)
@example(Search(4.0, (3.0,), tw.Billing(3600.0), (("complete", 1.0),), 2, None))
@perhaps_nothing
def test_a_search_that_money_ended_says_so_and_goes_on_with_more(search: Search) -> None:
    study = search.run()
    assert study.stopped is not None
    if "budget" not in study.stopped:
        return
    ended = len(study.history.complete) + len(study.history.failed)
    study.problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=1e6, price=search.price(),
        billing=search.billing,
    )  # fmt: skip
    study.optimize(
        lambda trial: {"accuracy": 0.5, "time": 1.0, "cost": 0.1},
        trials=len(study.history) + 1,
        executor=tw.ReplayExecutor(),
    )
    assert len(study.history.complete) + len(study.history.failed) > ended
    assert not study.history.pending


@nothing_recommended
def test_trials_at_once_in_real_processes_never_spend_more_than_there_is() -> None:
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=2.4, price=lambda config: 3600.0
    )
    with tw.Study(problem, "random", seed=0) as study:
        study.optimize(lambda trial: time.sleep(1000), parallel=3, progress=False)
        assert 1.5 < study.spent["cost"] <= 2.4
        assert study.stopped is not None and "the budget of 2.4 USD is spent" in study.stopped
        # On a busy machine too little may be left for one more, which then stays unpaid.
        begun = [trial for trial in study.history if trial.state != "preempted"]
        assert {type(trial.outcome) for trial in begun} == {tw.TimedOut}


@nothing_recommended
def test_a_job_that_will_not_end_is_killed_before_its_money_has_ended() -> None:
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=1.5, price=lambda config: 3600.0
    )

    def stubborn(trial: tw.Trial) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)

    with tw.Study(problem, "random", seed=0) as study:
        study.optimize(stubborn, trials=1, progress=False)
        # How much earlier it ends depends on how late a busy machine wakes its watcher: at most by
        # half of its time.
        assert 0.5 < study.spent["cost"] <= 1.5


@perhaps_nothing
def test_real_trials_that_are_short_and_dear_stay_within_the_budget() -> None:
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=1.1, price=lambda config: 3600.0
    )

    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(0.3)
        return {"accuracy": 0.5}

    with tw.Study(problem, "random", seed=0) as study:
        study.optimize(job, progress=False)
        assert 0.5 < study.spent["cost"] <= 1.1
        assert study.stopped is not None and "the budget of 1.1 USD is spent" in study.stopped


def replayed(parallel: int, job: Callable[[tw.Trial], Told], **wanted: Any) -> tw.Study:
    study = tw.Study(
        tw.Problem(tw.Space.of(CONFIGS), maximize="accuracy", **wanted), "random", seed=0
    )
    study.optimize(job, parallel=parallel, executor=tw.ReplayExecutor(parallel), progress=False)
    return study


def test_a_replayed_trial_costs_its_share_when_the_money_ends() -> None:
    study = replayed(
        1, lambda trial: tw.Measurement({"accuracy": 0.5, "time": 100.0, "cost": 2.0}), budget=3.0
    )
    assert [trial.metrics for trial in study.history.complete] == [
        {"accuracy": 0.5, "time": 100.0, "cost": 2.0}
    ]
    [cut] = study.history.timed_out
    assert cut.outcome == tw.TimedOut(
        "the 1 USD of the budget that this trial might cost were spent", {"time": 50.0, "cost": 1.0}
    )
    assert study.stopped == "the budget of 3 USD is spent"


def test_a_trial_whose_hour_is_paid_for_may_use_it() -> None:
    study = replayed(
        2,
        lambda trial: tw.Measurement({"accuracy": 0.5, "time": 600.0 + 2400.0 * trial.number}),
        budget=2.0,
        price=lambda config: 1.0,
        billing=tw.Billing(tick=3600.0),
    )
    assert [trial.metrics["time"] for trial in study.history.complete] == [600.0, 3000.0]
    assert study.spent["cost"] == pytest.approx(2.0)


def test_a_trial_waits_for_money_rather_than_be_cut_short() -> None:
    study = replayed(
        3,
        lambda trial: tw.Measurement({"accuracy": 0.5, "time": 100.0, "cost": 1.0}),
        budget=5.0,
    )
    assert len(study.history.complete) == 5 and not study.history.failed


def test_the_minimum_charge_is_not_begun_when_it_cannot_be_paid() -> None:
    study = replayed(
        1,
        lambda trial: tw.Measurement({"accuracy": 0.5, "time": 10.0}),
        budget=2.5,
        price=lambda config: 60.0,
        billing=tw.Billing(minimum=60.0),
    )
    assert study.spent["cost"] == pytest.approx(2.0)
    assert [trial.state for trial in study.history] == ["complete", "complete", "preempted"]
    assert study.stopped == (
        "the budget of 2.5 USD is spent: 0.50 USD do not pay for trial 2,"
        " nor for another that was suggested"
    )


@nothing_recommended
def test_money_for_less_than_a_beginning_is_said_to_be_that() -> None:
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=0.3, price=lambda config: 3600.0
    )
    with tw.Study(problem, "random", seed=0) as study:
        assert study.optimize(lambda trial: {"accuracy": 0.5}, progress=False) is None
        assert study.stopped is not None and "do not pay for trial 0 for at least" in study.stopped


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("strategy", ["random", "hyperband", "lynceus", "nephele", "cherrypick"])
def test_a_trial_that_is_too_dear_gives_way_to_one_that_is_not(
    strategy: str, parallel: int
) -> None:
    machines = tw.Space(tw.Choice("vm", ["a", "b"]), tw.Ordinal("vms", [1, 2, 4, 8, 16]))
    problem = tw.Problem(
        machines,
        minimize="cost",
        subject_to="time <= 600",
        fractions=(0.1, 1.0) if strategy == "hyperband" else (1.0,),
        budget=3.0,
        price=lambda config: 0.1 * config["vms"],
        billing=tw.Billing(tick=3600.0, minimum=3600.0),
    )
    study = tw.Study(problem, strategy, seed=0)
    study.optimize(
        lambda trial: {"time": 1000 / trial.config["vms"] ** 0.8},
        parallel=parallel,
        executor=tw.ReplayExecutor(workers=parallel),
        progress=False,
    )
    tried = [trial.config for trial in study.history if trial.spent]
    left = 3.0 - study.spent["cost"]
    assert left >= -1e-9
    assert all(0.1 * c["vms"] > left + 1e-9 for c in machines.configs if c not in tried)


@pytest.mark.parametrize("price", [0.1, 0.7, 1.1, None])
def test_rounding_noise_keeps_no_trial_from_what_is_left(price: float | None) -> None:
    cost = price or 0.1
    study = replayed(
        1,
        lambda trial: tw.Measurement(
            {"accuracy": 0.5, "time": 10.0} | ({} if price else {"cost": cost})
        ),
        budget=float(f"{3 * cost:g}"),
        price=None if price is None else lambda config: cost,
        billing=tw.Billing(tick=3600.0, minimum=3600.0),
    )
    assert [trial.state for trial in study.history] == ["complete"] * 3


def unpriced(budget: float) -> tw.Study:
    problem = tw.Problem(tw.Space.of(CONFIGS), maximize="accuracy", budget=budget)
    return tw.Study(problem, "random", seed=0)


def test_where_no_price_is_known_the_first_trial_runs_alone() -> None:
    with unpriced(1.0) as study:
        study.optimize(lambda trial: {"accuracy": 0.5, "cost": 1.2}, parallel=3, progress=False)
        assert [trial.state for trial in study.history] == ["complete"]
        assert study.stopped == "the budget of 1 USD is spent"


def test_where_no_price_is_known_trials_begin_when_the_dearest_seen_is_covered() -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(0.1)
        return {"accuracy": 0.5, "cost": 1.0, "time": 100.0}

    with unpriced(5.5) as study:
        study.optimize(job, parallel=4, progress=False)
        assert len(study.history.complete) == 5
        assert study.stopped is not None and "do not pay for trial" in study.stopped


def test_where_no_price_is_known_running_trials_are_judged_by_the_dearest_second_seen() -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(0.4 if trial.number == 0 else 60)
        return {"accuracy": 0.5, "cost": 0.4}

    with unpriced(3.4) as study:
        study.optimize(job, parallel=2, progress=False)
        assert 1.5 < study.spent["cost"] <= 3.4
        cut = study.history.timed_out
        assert cut and all(trial.metrics["cost"] > 0 for trial in cut)


@nothing_recommended
def test_a_job_that_reports_its_cost_while_it_runs_is_stopped_by_it() -> None:
    def job(trial: RunningTrial) -> dict[str, float]:
        for i in range(600):
            trial.report(cost=0.1 * i)
            time.sleep(0.1)
        return {"accuracy": 0.5, "cost": 60.0}

    with unpriced(1.0) as study:
        study.optimize(job, progress=False)
        (first, *_) = study.history
        assert isinstance(first.outcome, tw.TimedOut)
        assert 0.9 <= first.metrics["cost"] < 6.0


def test_a_trial_whose_process_died_long_ago_does_not_use_the_budget_up() -> None:
    clock = {"late": 1e6}
    store = MemoryStore(clock=lambda: time.time() - clock["late"])
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=1.0, price=lambda config: 36.0
    )
    with tw.Study(problem, "random", seed=0, storage=store, name="s") as study:
        for _ in range(3):
            asked(store, dead_owner(), CONFIGS[0])
        clock["late"] = 0.0
        job = {"accuracy": 0.5, "time": 1.0}
        study.optimize(lambda trial: job, trials=4, executor=tw.ReplayExecutor(), progress=False)
        assert len(study.history.complete) == 4


class Optimist(Random):
    """Suggests configs by chance, and expects each to cost its number in USD."""

    def suggest(self, history: tw.History, count: int) -> list[tw.Suggestion]:
        return [
            tw.Suggestion(s.config, cost=float(s.config["x"]))
            for s in super().suggest(history, count)
        ]


def expecting(budget: float, first: int) -> tw.Study:
    space = tw.Space.of([{"x": x} for x in range(first, 40)])
    study = tw.Study(tw.Problem(space, maximize="accuracy", budget=budget), "random", seed=0)
    study.strategy = Optimist(study.problem, 0)
    study.optimize(
        lambda trial: {"accuracy": 0.5, "time": 1.0, "cost": float(trial.config["x"])},
        executor=tw.ReplayExecutor(),
        progress=False,
    )
    return study


def test_a_trial_that_the_strategy_holds_to_be_unaffordable_gives_way_to_a_cheaper_one() -> None:
    study = expecting(60.0, first=1)
    assert not study.history.timed_out
    assert 40.0 < study.spent["cost"] <= 60.0


@nothing_recommended
def test_a_search_ends_with_a_sentence_when_every_trial_is_held_to_be_unaffordable() -> None:
    study = expecting(9.0, first=10)
    assert len(study.history) == 0
    assert study.stopped is not None and "paid for by the 9 USD left" in study.stopped


def test_no_more_trials_begin_at_once_than_can_come_to_their_end() -> None:
    """Running ones are judged half a second ahead: 3.5 USD do not do for three of 1 USD then."""
    with unpriced(4.5) as study:
        study.tell(study.ask(), {"accuracy": 0.5, "cost": 1.0, "time": 1.0})
        ledger = BudgetLedger(study, 4, ahead=0.5, shortest=0.1, metered=False)
        given = []
        for _ in range(4):
            trial = study.next_trial(allocation=ledger.allocation(study.history))
            assert trial is not None
            given.append((trial, ledger.accept(trial)))
        assert [allowance is not None for _, allowance in given] == [True, True, False, False]
        running = [trial for trial, allowance in given if allowance is not None]
        assert not ledger.overdrawn((trial, 1.2) for trial in running)
        assert ledger.overdrawn((trial, 1.5) for trial in running)
        assert ledger.cut().reason == (
            "the budget would soon have been overdrawn: 3.50 USD are left for all that runs, and"
            " trials have cost up to 1.00 USD a second"
        )


@pytest.mark.parametrize("told", [0, -0.0, 1e-400])
def test_a_trial_that_says_it_took_no_time_is_booked_by_the_clock(told: float) -> None:
    def job(trial: tw.Trial) -> dict[str, float]:
        time.sleep(1.0)  # five times what is asked below: what other programs take is not booked
        return {"accuracy": 0.5, "time": told}

    problem = tw.Problem(tw.Space.of(CONFIGS), maximize="accuracy", price=lambda config: 3600.0)
    with tw.Study(problem, "random", seed=0) as study:
        study.optimize(job, trials=1, progress=False)
        (trial,) = study.history
    assert trial.state == "complete"
    assert trial.metrics["time"] >= 0.2
    assert trial.metrics["cost"] == pytest.approx(trial.metrics["time"])
