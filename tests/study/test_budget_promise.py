"""A budget is a promise: whatever trials do, what is booked is never above it."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st

import tunewise as tw

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


@settings(max_examples=60, deadline=None)
@given(searches)
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


def test_trials_at_once_in_real_processes_never_spend_more_than_there_is() -> None:
    problem = tw.Problem(
        tw.Space.of(CONFIGS), maximize="accuracy", budget=2.4, price=lambda config: 3600.0
    )
    with tw.Study(problem, "random", seed=0) as study:
        began = time.monotonic()
        study.optimize(lambda trial: time.sleep(30), parallel=3, progress=False)
        assert time.monotonic() - began < 15
        assert 1.5 < study.spent["cost"] <= 2.4
        assert study.stopped is not None and "the budget of 2.4 USD is spent" in study.stopped
        assert {type(trial.outcome) for trial in study.history} == {tw.TimedOut}
