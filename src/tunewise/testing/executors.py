"""What every executor must do: inherit `ExecutorConformance` and say how yours is made."""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from tunewise.errors import ExecutionError
from tunewise.history import Cancelled, Failure, Measurement, Outcome, Preempted, TimedOut, Trial
from tunewise.study.executor import Allowance, Job, TrialExecutor

__all__ = ["ExecutorConformance", "MakeExecutor", "trial"]

MakeExecutor = Callable[[int], TrialExecutor]

LONG = 1000.0
"""Seconds that no test waits for."""

SHORT = 0.2
"""Seconds that a test waits for, and that starting a process stays below."""

FULL = Measurement(
    {"accuracy": 0.1 + 0.2, "time": 0.25, "cost": 1e-308},
    snapshots={1 / 60: {"accuracy": 0.5}, 0.1: {"accuracy": 0.62, "time": 0.1}},
    deviations={"accuracy": 0.01},
)


def trial(number: int = 0, seconds: float = 0.0) -> Trial:
    """A trial whose config says how long it should take."""
    return Trial(number, {"seconds": seconds, "name": "größe ☃ 'quoted\""}, 0.5, (0.1,))


def _telling(told: Any) -> Job:
    """A job that returns this: a closure, which plain pickle cannot carry."""
    return lambda _: told


class ExecutorConformance:
    """Tests that every executor passes.

    A subclass overrides the fixture `make_executor`; one with a clock of its own also `take`.
    """

    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        """How to make the executor under test, with so many workers."""
        raise NotImplementedError("override the fixture make_executor")

    @pytest.fixture
    def executor(self, make_executor: MakeExecutor) -> Iterator[TrialExecutor]:
        """The executor under test, with two workers."""
        executor = make_executor(2)
        yield executor
        executor.shutdown()

    @staticmethod
    def take(trial: Trial) -> dict[str, float]:
        """A job that takes as many seconds on the executor's clock as the config says."""
        time.sleep(trial.config["seconds"])
        return {"accuracy": 0.5}

    def test_a_dict_of_metrics_becomes_a_measurement(self, executor: TrialExecutor) -> None:
        """The plainest job there is."""
        outcome = executor.submit(lambda t: {"accuracy": t.fraction}, trial()).result()
        assert isinstance(outcome, Measurement)
        assert outcome.metrics["accuracy"] == 0.5

    def test_the_job_gets_the_whole_trial(self, executor: TrialExecutor) -> None:
        """Number, config, fraction and wished snapshots arrive unchanged."""
        sent = trial(7, 1.5)
        outcome = executor.submit(lambda got: {"same": float(got == sent)}, sent).result()
        assert outcome.metrics["same"] == 1.0

    @pytest.mark.parametrize(
        "told",
        [
            FULL,
            Failure("out of memory", {"time": 9.0, "cost": 0.002}),
            Preempted("spot instance gone", {"time": 2.0}),
            Cancelled("enough", {"time": 0.0}),
            TimedOut("pruned", {"time": 9.0}),
        ],
        ids=lambda told: type(told).__name__,
    )
    def test_an_outcome_comes_back_as_it_was_told(
        self, executor: TrialExecutor, told: Outcome
    ) -> None:
        """Type, numbers, snapshots and deviations, to the last digit."""
        outcome = executor.submit(_telling(told), trial()).result()
        assert outcome == told
        assert type(outcome) is type(told)

    def test_time_is_added_where_the_job_reported_none(self, executor: TrialExecutor) -> None:
        """To measurements and failures alike."""
        for told in ({"accuracy": 0.5}, Failure("no"), Preempted("gone")):
            outcome = executor.submit(_telling(told), trial()).result()
            assert 0.0 <= outcome.metrics["time"] < 60

    def test_a_job_that_returns_an_empty_dict_has_worked(self, executor: TrialExecutor) -> None:
        """How long it took is measured, and may be all that is wanted."""
        outcome = executor.submit(_telling({}), trial()).result()
        assert isinstance(outcome, Measurement)
        assert list(outcome.metrics) == ["time"]

    def test_an_error_of_the_job_is_a_failure_that_says_what_and_where(
        self, executor: TrialExecutor
    ) -> None:
        """Type, message and place."""

        def diverge(_: Trial) -> None:
            raise ZeroDivisionError("the loss diverged")

        outcome = executor.submit(diverge, trial()).result()
        assert isinstance(outcome, Failure)
        assert "ZeroDivisionError: the loss diverged" in outcome.reason
        assert "in diverge" in outcome.reason
        assert "time" in outcome.metrics

    @pytest.mark.parametrize(
        ("returned", "sentence"),
        [
            (None, "returned None; expected a dict of metrics"),
            ("0.9", "returned '0.9'; expected a dict of metrics"),
            ({"accuracy": math.nan}, "metric 'accuracy' is nan; expected a finite number"),
            ({"time": math.inf}, "metric 'time' is inf; expected a finite number"),
            ({"accuracy": "good"}, "metric 'accuracy' is 'good'; expected a number"),
        ],
        ids=repr,
    )
    def test_what_is_no_measurement_is_a_failure_with_a_sentence(
        self, executor: TrialExecutor, returned: object, sentence: str
    ) -> None:
        """Never an error in the study."""
        outcome = executor.submit(_telling(returned), trial()).result()
        assert isinstance(outcome, Failure)
        assert sentence in outcome.reason
        assert "Traceback" not in outcome.reason
        assert "time" in outcome.metrics

    def test_a_trial_that_reaches_its_limit_fails(self, executor: TrialExecutor) -> None:
        """It has cost the time of the limit."""
        before = executor.now()
        outcome = executor.submit(self.take, trial(seconds=LONG), limit=SHORT).result()
        assert isinstance(outcome, TimedOut)
        assert outcome.reason == "time limit of 0.2 s reached"
        assert SHORT <= outcome.metrics["time"] < LONG / 10
        assert SHORT <= executor.now() - before < LONG / 10

    def test_a_trial_has_ended_when_its_money_has(self, executor: TrialExecutor) -> None:
        """A time limit that is reached before that still counts."""
        allowance = Allowance(usd=1.0, seconds=4 * SHORT)
        job, long = self.take, trial(seconds=LONG)
        outcome = executor.submit(job, long, allowance=allowance).result()
        assert isinstance(outcome, TimedOut)
        assert SHORT <= outcome.metrics["time"] < LONG / 10
        outcome = executor.submit(job, long, limit=SHORT, allowance=allowance).result()
        assert outcome.metrics["time"] >= SHORT and isinstance(outcome, TimedOut)
        assert outcome.reason == "time limit of 0.2 s reached"
        ample = Allowance(usd=1.0, seconds=LONG)
        quick = executor.submit(job, trial(), allowance=ample).result()
        assert isinstance(quick, Measurement)

    def test_a_trial_within_its_limit_is_not_touched(self, executor: TrialExecutor) -> None:
        """Neither by a limit that is not reached nor by none."""
        for limit in (LONG, math.inf, None):
            outcome = executor.submit(self.take, trial(), limit=limit).result()
            assert isinstance(outcome, Measurement)

    @pytest.mark.parametrize("limit", [-1.0, math.nan, True, "long"], ids=repr)
    def test_a_limit_that_is_none_is_refused(self, executor: TrialExecutor, limit: object) -> None:
        """When the trial is submitted, by its value."""
        with pytest.raises(ExecutionError, match="limit is .*; expected seconds"):
            executor.submit(self.take, trial(), limit=limit)

    @pytest.mark.parametrize("kind", [Failure, Cancelled, Preempted, TimedOut])
    def test_a_stopped_trial_resolves_to_the_outcome_with_its_time(
        self, executor: TrialExecutor, kind: type[Failure]
    ) -> None:
        """Its future does not raise; the type says what becomes of the trial."""
        slow = executor.submit(self.take, trial(0, LONG))
        quick = executor.submit(self.take, trial(1, SHORT))
        assert executor.wait([slow, quick]) == {quick}
        executor.stop(slow, kind("not needed"))
        executor.stop(slow, Failure("asked twice"))
        outcome = slow.result()
        assert type(outcome) is kind
        assert outcome.reason == "not needed"
        assert SHORT / 2 <= outcome.metrics["time"] < LONG / 10

    def test_a_trial_can_be_stopped_at_once(self, executor: TrialExecutor) -> None:
        """However long it would take to end by itself."""
        slow = executor.submit(self.take, trial(0, LONG))
        quick = executor.submit(self.take, trial(1, SHORT))
        assert executor.wait([slow, quick]) == {quick}
        executor.stop(slow, TimedOut("no money"), at_once=True)
        assert isinstance(slow.result(), TimedOut)

    def test_a_trial_that_waits_for_a_worker_can_be_stopped(
        self, make_executor: MakeExecutor
    ) -> None:
        """At once, and for nothing."""
        with make_executor(1) as executor:
            running = executor.submit(self.take, trial(0, LONG))
            waiting = executor.submit(self.take, trial(1, LONG))
            executor.stop(waiting, Cancelled("not needed"))
            assert waiting.done()
            assert waiting.result() == Cancelled("not needed", {"time": 0.0})
            assert not running.done()
            executor.stop(running, Cancelled("nor this"))

    def test_stopping_a_trial_that_has_ended_changes_nothing(self, executor: TrialExecutor) -> None:
        """And the next trial is not hit."""
        ended = executor.submit(self.take, trial())
        before = ended.result()
        executor.stop(ended, Failure("too late"))
        assert isinstance(executor.submit(self.take, trial(1)).result(), Measurement)
        assert ended.result() == before

    def test_wait_returns_what_ended_first(self, executor: TrialExecutor) -> None:
        """Whatever the order of submission."""
        slow = executor.submit(self.take, trial(0, 15 * SHORT))
        quick = executor.submit(self.take, trial(1, SHORT))
        assert executor.wait([slow, quick], timeout=LONG) == {quick}
        assert executor.wait([slow], timeout=None) == {slow}
        assert executor.wait([slow, quick], timeout=0) == {slow, quick}

    def test_wait_for_nothing_returns_at_once(self, executor: TrialExecutor) -> None:
        """With nothing."""
        assert executor.wait([], timeout=None) == set()

    def test_wait_with_no_patience_finds_nothing_done(self, executor: TrialExecutor) -> None:
        """A running trial stays one."""
        slow = executor.submit(self.take, trial(0, LONG))
        assert executor.wait([slow], timeout=0) == set()
        assert not slow.done()
        executor.stop(slow, Cancelled("not needed"))

    def test_no_more_trials_run_at_once_than_there_are_workers(
        self, executor: TrialExecutor
    ) -> None:
        """Five trials on two workers run in pairs, which takes three rounds at least."""
        before, most = executor.now(), 0
        left: set[Future[Outcome]] = {
            executor.submit(self.take, trial(i, 2 * SHORT)) for i in range(5)
        }
        while left:
            most = max(most, sum(future.running() for future in left))
            left -= executor.wait(left)
        # A look may count one that has just ended. That no third ran is what the rounds took.
        assert most >= 2
        assert executor.now() - before + 1e-9 >= 6 * SHORT

    def test_map_gives_outcomes_in_order(self, executor: TrialExecutor) -> None:
        """As with any executor of the standard library."""
        trials = [trial(i) for i in range(4)]
        outcomes: Iterator[Any] = executor.map(lambda t: {"number": t.number}, trials)
        assert [outcome.metrics["number"] for outcome in outcomes] == [0, 1, 2, 3]

    def test_another_job_may_follow(self, executor: TrialExecutor) -> None:
        """Jobs may alternate, also while others run."""
        slow = executor.submit(self.take, trial(0, SHORT))
        for value in (1.0, 2.0, 3.0):
            job = _telling({"value": value})
            assert executor.submit(job, trial(1)).result().metrics["value"] == value
        assert isinstance(slow.result(), Measurement)

    def test_leaving_the_executor_waits_for_its_trials(self, make_executor: MakeExecutor) -> None:
        """Those that wait for a worker too."""
        with make_executor(1) as executor:
            futures = [executor.submit(self.take, trial(i, SHORT / 4)) for i in range(3)]
        assert all(future.done() for future in futures)

    def test_a_shut_executor_takes_no_more_trials(self, make_executor: MakeExecutor) -> None:
        """But can be shut down once more."""
        executor = make_executor(1)
        executor.submit(self.take, trial()).result()
        executor.shutdown()
        executor.shutdown()
        with pytest.raises(ExecutionError, match="shut down"):
            executor.submit(self.take, trial())

    def test_shutting_down_may_cancel_what_waits(self, make_executor: MakeExecutor) -> None:
        """What runs goes on to its end."""
        executor = make_executor(1)
        running = executor.submit(self.take, trial(0, 10 * SHORT))
        waiting = executor.submit(self.take, trial(1, LONG))
        executor.shutdown(cancel_futures=True)
        assert isinstance(running.result(), Measurement)
        with pytest.raises(CancelledError):
            waiting.result()

    @pytest.mark.parametrize("workers", [0, -1, 1.5, True, None], ids=repr)
    def test_a_number_of_workers_that_is_none_is_refused(
        self, make_executor: MakeExecutor, workers: int
    ) -> None:
        """By its value."""
        with pytest.raises(ExecutionError, match="workers is .*; expected a whole number"):
            make_executor(workers)
