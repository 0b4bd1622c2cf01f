"""Virtual time."""

import math
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table_path
from tunewise.benchmark import ReplayExecutor, Table
from tunewise.errors import ExecutionError
from tunewise.execution.executor import Allowance
from tunewise.history import Cancelled, Failure, Measurement, Outcome, TimedOut, Trial
from tunewise.study.executor import Report, Request

Ends = list[tuple[int, float]]


def trial(number: int, seconds: float, **more: float) -> Trial:
    return Trial(number, {"time": seconds, **more})


def replay(trial: Trial) -> dict[str, Any]:
    return trial.config


def drained(executor: ReplayExecutor, futures: dict[Future[Outcome], int]) -> Ends:
    """In which order, and when, the futures resolve."""
    ends: Ends = []
    left = set(futures)
    while left:
        for future in executor.wait(left):
            ends.append((futures[future], executor.now()))
            left.remove(future)
    return ends


def ended(seconds: list[float], workers: int) -> Ends:
    executor = ReplayExecutor(workers)
    futures = {executor.submit(replay, trial(i, s)): i for i, s in enumerate(seconds)}
    return drained(executor, futures)


def test_trials_end_when_their_time_is_over() -> None:
    assert ended([5.0, 1.0, 3.0, 1.0], 2) == [(1, 1.0), (2, 4.0), (0, 5.0), (3, 5.0)]


def test_of_trials_that_end_together_the_lower_number_is_first() -> None:
    executor = ReplayExecutor(3)
    futures = {executor.submit(replay, trial(i, 2.0)): i for i in (2, 0, 1)}
    assert drained(executor, futures) == [(0, 2.0), (1, 2.0), (2, 2.0)]


times = st.lists(st.floats(0, 1e4), min_size=1, max_size=20)


@given(times, st.integers(1, 5))
def test_a_replay_is_deterministic_and_its_clock_never_goes_back(
    seconds: list[float], workers: int
) -> None:
    ends = ended(seconds, workers)
    assert ends == ended(seconds, workers)
    clock = [end for _, end in ends]
    assert clock == sorted(clock)
    assert sorted(number for number, _ in ends) == list(range(len(seconds)))


@given(times, st.integers(1, 5))
def test_workers_are_busy_as_long_as_there_is_work(seconds: list[float], workers: int) -> None:
    """The end is that of a list schedule: each trial starts on the first free worker."""
    free = [0.0] * workers
    for s in seconds:
        free[free.index(min(free))] += s
    assert ended(seconds, workers)[-1][1] == pytest.approx(max(free))


def test_a_limit_cuts_time_and_cost_in_proportion() -> None:
    executor = ReplayExecutor()
    future = executor.submit(replay, trial(0, 100.0, cost=4.0, accuracy=0.9), limit=25.0)
    assert future.result() == TimedOut("time limit of 25 s reached", {"time": 25.0, "cost": 1.0})
    assert executor.now() == 25.0


def test_a_failed_trial_that_overruns_is_cut_too() -> None:
    executor = ReplayExecutor()
    told = Failure("did not complete", {"time": 100.0, "cost": 4.0})
    future = executor.submit(lambda t: told, trial(0, 0.0), limit=50.0)
    assert future.result() == TimedOut("time limit of 50 s reached", {"time": 50.0, "cost": 2.0})


def test_a_stopped_trial_has_cost_its_share() -> None:
    executor = ReplayExecutor(2)
    slow = executor.submit(replay, trial(0, 100.0, cost=4.0))
    quick = executor.submit(replay, trial(1, 25.0))
    executor.wait([quick])
    executor.stop(slow, Cancelled("stopped by a person"))
    assert slow.result() == Cancelled("stopped by a person", {"time": 25.0, "cost": 1.0})
    assert executor.now() == 25.0


def test_a_stopped_trial_makes_room_for_the_next() -> None:
    executor = ReplayExecutor(1)
    first = executor.submit(replay, trial(0, 100.0))
    second = executor.submit(replay, trial(1, 5.0))
    executor.stop(first, Cancelled("no"))
    assert isinstance(second.result(), Measurement)
    assert executor.now() == 5.0


def test_a_trial_without_a_time_takes_none() -> None:
    executor = ReplayExecutor()
    assert executor.submit(lambda t: {"a": 1}, trial(0, 9.0)).result().metrics["time"] == 0.0
    assert executor.now() == 0.0


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(ExecutionError, match="trial 3 reports a time of -1 s; expected 0 or more"):
        ReplayExecutor().submit(replay, trial(3, -1.0))


def test_a_trial_that_the_table_has_not_is_an_error_and_no_failure() -> None:
    """A replay that went on would call the config bad for a hole in the table."""

    def hole(_: Trial) -> None:
        raise ExecutionError("the table has no row")

    with pytest.raises(ExecutionError, match="no row"):
        ReplayExecutor().submit(hole, trial(0, 1.0))


def test_a_day_on_four_workers_passes_in_virtual_time() -> None:
    names = ["vm", "vms", "learning_rate", "batch_size", "mode"]
    table = Table(table_path("trimtuner/cnn.csv"), config=names)
    trials = [Trial(i, config) for i, config in enumerate(table.configs)]
    executor = ReplayExecutor(4)
    ends = drained(executor, {executor.submit(table, t): t.number for t in trials})
    assert len(ends) == 288
    assert executor.now() == pytest.approx(table.values("time").sum() / 4, rel=0.05)


def test_reports_are_heard_at_their_time_and_a_trial_stopped_for_one_pays_until_then() -> None:
    clock = ReplayExecutor()
    heard: list[tuple[float, float | None]] = []

    def job(trial: Any) -> dict[str, float]:
        trial.report(fraction=0.1, accuracy=0.2, time=2.0)
        trial.report(fraction=0.5, accuracy=0.4)
        return {"accuracy": 0.5, "time": 100.0, "cost": 1.0}

    def report(said: Report) -> None:
        heard.append((clock.now(), said.fraction))

    future = clock.start(Request(job, Trial(0, {}), report=report))
    assert clock.wait([future]) == set() and heard == [(2.0, 0.1)]
    assert clock.wait([future]) == set() and heard[1:] == [(50.0, 0.5)]
    clock.stop(future, TimedOut("outclassed"))
    assert future.result().metrics == {"time": 50.0, "cost": pytest.approx(0.5)}


def test_reports_after_a_time_limit_are_never_heard() -> None:
    clock = ReplayExecutor()
    heard: list[Report] = []

    def job(trial: Any) -> dict[str, float]:
        trial.report(fraction=0.5, accuracy=0.4)
        return {"accuracy": 0.5, "time": 100.0}

    future = clock.start(Request(job, Trial(0, {}), 10.0, report=heard.append))
    assert future.result().metrics == {"time": 10.0} and heard == []


def test_money_that_ends_first_stops_a_trial_in_proportion() -> None:
    def ended_by(limit: float = math.inf, **allowed: float) -> tuple[Outcome, float]:
        clock = ReplayExecutor()
        allowance = Allowance(**{"seconds": math.inf, "usd": math.inf, **allowed})
        request = Request(replay, trial(0, 100.0, cost=4.0), limit, allowance=allowance)
        return clock.start(request).result(), clock.now()

    whole, end = ended_by()
    assert isinstance(whole, Measurement) and end == 100.0
    dear, end = ended_by(usd=1.0)
    assert not isinstance(dear, Measurement)
    assert dear.metrics == {"time": 25.0, "cost": 1.0} and end == 25.0
    # Exactly what it costs is enough.
    assert isinstance(ended_by(usd=4.0)[0], Measurement)
    late, end = ended_by(limit=10.0, usd=1.0)
    assert isinstance(late, TimedOut) and late.metrics == {"time": 10.0, "cost": 0.4}
    short, end = ended_by(seconds=50.0)
    assert short.metrics == {"time": 50.0, "cost": 2.0} and end == 50.0


def test_a_trial_of_no_time_that_is_too_dear_costs_what_there_was() -> None:
    clock = ReplayExecutor()
    allowance = Allowance(seconds=math.inf, usd=1.0)
    request = Request(replay, trial(0, 0.0, cost=4.0), allowance=allowance)
    found = clock.start(request).result()
    assert found.metrics == {"time": 0.0, "cost": 1.0}


def test_waiting_for_no_time_leaves_the_clock_alone() -> None:
    clock = ReplayExecutor()
    future = clock.submit(replay, trial(0, 5.0))
    assert clock.wait([future], timeout=0) == set() and clock.now() == 0.0
    assert clock.wait([]) == set() and clock.now() == 0.0
    assert clock.wait([future], timeout=0.01) == {future} and clock.now() == 5.0
    assert clock.wait([future], timeout=0) == {future}


def test_a_closed_executor_takes_no_more_trials_and_ends_those_it_has() -> None:
    clock = ReplayExecutor()
    first, second = (clock.submit(replay, trial(i, 5.0)) for i in range(2))
    clock.shutdown()
    assert first.done() and second.done() and clock.now() == 10.0
    with pytest.raises(ExecutionError, match="the executor was shut down and takes no more"):
        clock.submit(replay, trial(2, 1.0))


def test_waiting_trials_may_be_cancelled_with_the_executor() -> None:
    clock = ReplayExecutor()
    first, second = (clock.submit(replay, trial(i, 5.0)) for i in range(2))
    clock.shutdown(cancel_futures=True)
    assert first.done() and second.cancelled() and clock.now() == 5.0
    idle = ReplayExecutor()
    running = idle.submit(replay, trial(0, 5.0))
    idle.shutdown(wait=False)
    assert not running.done() and idle.now() == 0.0


def test_a_trial_that_is_stopped_before_it_began_has_cost_nothing() -> None:
    clock = ReplayExecutor()
    clock.submit(replay, trial(0, 5.0))
    waiting = clock.submit(replay, trial(1, 100.0, cost=4.0))
    clock.stop(waiting, Cancelled("no"))
    assert waiting.result().metrics == {"time": 0.0, "cost": 0.0}


def test_a_trial_that_has_ended_stays_as_it_is() -> None:
    clock = ReplayExecutor()
    future = clock.submit(replay, trial(0, 5.0, accuracy=0.5))
    before = future.result()
    clock.stop(future, Cancelled("too late"))
    assert future.result() is before and future.exception() is None


def test_a_job_that_raises_is_a_failure_of_its_config() -> None:
    def broken(_: Trial) -> None:
        raise ValueError("too wide")

    outcome = ReplayExecutor().submit(broken, trial(0, 1.0)).result()
    assert isinstance(outcome, Failure) and "too wide" in outcome.reason


def test_reports_are_heard_in_order_and_never_after_the_end() -> None:
    clock = ReplayExecutor(2)
    heard: list[tuple[int, float]] = []

    def job(trial: Any) -> dict[str, float]:
        trial.report(accuracy=0.1)
        trial.report(fraction=0.5, accuracy=0.2, time=900.0)
        trial.report(fraction=0.9, accuracy=0.3)
        return {"accuracy": 0.5, "time": trial.config["time"]}

    def begun(number: int, seconds: float) -> Future[Outcome]:
        def report(said: Report) -> None:
            heard.append((number, clock.now()))

        return clock.start(Request(job, trial(number, seconds), report=report))

    long, _ = begun(0, 10.0), begun(1, 4.0)
    long.result()
    # Without a time or a fraction at once; one of a time beyond the end, at the end.
    assert sorted(heard[:2]) == [(0, 0.0), (1, 0.0)]
    assert heard[2:] == [(1, 4.0), (1, 4.0), (0, 10.0), (0, 10.0)]
