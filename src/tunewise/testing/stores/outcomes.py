"""How a store is told: once, with everything that was spent."""

import time

import pytest

from tunewise.errors import StudyError
from tunewise.history import (
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Outcome,
    Preempted,
    TrialState,
)
from tunewise.study import Store
from tunewise.study.store import Renewal
from tunewise.testing.stores.parts import (
    LONG,
    MEASURED,
    SHORT,
    added,
    asked,
    dead_owner,
    far_owner,
    lost_attempt,
)


class OutcomesConformance:
    """Tests of how outcomes are told, booked and counted."""

    def test_a_trial_is_told_once(self, store: Store, other: Store) -> None:
        """The second teller hears what the first one told."""
        trial = asked(store, far_owner())
        store.tell("s", trial.number, Measurement({"accuracy": 0.91}))
        expected = r"trial 0 of study 's' was told already \(complete, accuracy=0.91\)"
        with pytest.raises(StudyError, match=expected):
            other.tell("s", trial.number, Failure("no"))
        assert store.history("s")[0].outcome == Measurement({"accuracy": 0.91})

    def test_the_first_tell_of_a_trial_that_was_given_out_again_wins(self, store: Store) -> None:
        """A slow worker that finishes first is believed, and the other is told so."""
        trial = asked(store, far_owner("slow"), lease=SHORT)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("quick"), LONG) == trial
        store.tell("s", 0, MEASURED, far_owner("slow"))
        with pytest.raises(StudyError, match="told already"):
            store.tell("s", 0, Failure("no"), far_owner("quick"))
        assert store.history("s")[0].outcome == MEASURED

    def test_what_both_workers_of_one_trial_have_spent_is_booked(
        self, store: Store, other: Store
    ) -> None:
        """Whoever ends it first; the other is refused, and its cost is booked all the same."""
        ends = [("slow", "quick"), ("quick", "slow")]
        for number, (first, second) in enumerate(ends):
            asked(store, far_owner("slow"), lease=SHORT)
            store.renew("s", far_owner("slow"), SHORT, {number: 2.0})
            time.sleep(2 * SHORT)
            assert other.claim("s", far_owner("quick"), LONG, lost_attempt) is not None
            assert len(store.history("s")) == len(other.history("s")) == number + 1
            store.tell("s", number, Measurement({"time": 5.0, "cost": 10.0}), far_owner(first))
            spent = store.history("s")[number].spent["time"]
            assert spent == pytest.approx(5.0 if first == "slow" else 5.0 + 2.0)
            for _ in range(2):  # it is booked once, however often it is told
                with pytest.raises(StudyError, match="told already"):
                    lost = Preempted("gone", {"time": 3.0, "cost": 6.0})
                    store.tell("s", number, lost, far_owner(second))
                for seen in (store, other):
                    trial = seen.history("s")[number]
                    assert trial.outcome == Measurement({"time": 5.0, "cost": 10.0})
                    assert trial.spent == pytest.approx({"time": 8.0, "cost": 16.0})

    def test_a_silent_worker_learns_which_trials_it_has_lost(self, store: Store) -> None:
        """Those that were given to another, and those that the other has ended since."""
        for _ in range(2):
            asked(store, far_owner("slow"), lease=SHORT)
        kept = asked(store, far_owner("slow"), lease=SHORT).number
        ran = {0: 1.0, 1: 1.0, kept: 1.0}
        assert store.renew("s", far_owner("slow"), SHORT, ran) == Renewal()
        time.sleep(2 * SHORT)
        for _ in range(2):
            store.claim("s", far_owner("quick"), LONG, lost_attempt)
        store.tell("s", 1, MEASURED, far_owner("quick"))
        assert store.renew("s", far_owner("slow"), LONG, ran).lost == {0, 1}
        assert store.renew("s", far_owner("quick"), LONG, {0: 1.0}) == Renewal()

    def test_what_a_dead_worker_had_spent_is_booked_when_its_trial_is_claimed(
        self, store: Store, other: Store
    ) -> None:
        """Once, for the seconds of its last sign of life, in the step that gives it out again."""
        trial = asked(store, far_owner("gone"), lease=SHORT)
        store.renew("s", far_owner("gone"), SHORT, {trial.number: 12.5})
        time.sleep(2 * SHORT)
        ended = [other.claim("s", far_owner(n), LONG, lost_attempt) for n in ("a", "b")]
        assert [t is not None and t.lost for t in ended] == [{"time": 12.5, "cost": 25.0}, False]
        assert store.history("s").spent == {"time": 12.5, "cost": 25.0}

    def test_a_worker_that_was_only_silent_replaces_what_was_booked_for_it(
        self, store: Store
    ) -> None:
        """Its attempt is not booked twice, whatever it tells."""
        told: list[Outcome] = [MEASURED, Preempted("gone", {"time": 30.0})]
        for number, outcome in enumerate(told):
            asked(store, far_owner("silent"), lease=SHORT)
            store.renew("s", far_owner("silent"), SHORT, {number: 12.5})
            time.sleep(2 * SHORT)
            store.claim("s", far_owner("next"), LONG, lost_attempt)
            store.tell("s", number, outcome, far_owner("silent"))
        first, second = store.history("s")
        assert first.lost == {} and first.outcome == MEASURED
        assert second.lost == {"time": 30.0} and second.state is TrialState.RUNNING

    def test_the_result_of_a_dead_worker_is_told_when_its_trial_is_claimed(
        self, store: Store, other: Store
    ) -> None:
        """Then the trial is returned as it ended, and nobody works on it."""
        trial = asked(store, dead_owner())
        claimed = other.claim("s", far_owner(), LONG, lambda trial, seconds: MEASURED)
        assert claimed is not None and claimed.number == trial.number
        assert claimed.state is TrialState.COMPLETE and claimed.outcome == MEASURED
        assert store.claim("s", far_owner(), LONG) is None

    def test_a_stopped_trial_of_a_dead_worker_is_booked_too(self, store: Store) -> None:
        """By whoever asks for the stop, or finds it later."""
        for number in range(2):
            asked(store, far_owner(str(number)), lease=SHORT)
            store.renew("s", far_owner(str(number)), SHORT, {number: 2.0})
        store.request_stop("s", 1, lost_attempt)
        time.sleep(2 * SHORT)
        assert store.request_stop("s", 0, lost_attempt).spent == {"time": 2.0, "cost": 4.0}
        assert store.claim("s", far_owner("next"), LONG, lost_attempt) is None
        assert [t.state for t in store.history("s")] == [TrialState.CANCELLED] * 2
        assert store.history("s").spent == {"time": 4.0, "cost": 8.0}

    def test_reports_of_a_running_trial_are_kept(self, store: Store, other: Store) -> None:
        """Before its end as observations, at its end as snapshots; those of others are not."""
        asked(store, far_owner())
        store.report("s", 0, {0.1: {"accuracy": 0.5}}, far_owner())
        store.report("s", 0, {0.1: {"accuracy": 0.6}, 0.25: {"accuracy": 0.7}}, far_owner())
        store.report("s", 0, {0.5: {"accuracy": 0.1}}, far_owner("other"))
        reported = {0.1: {"accuracy": 0.6}, 0.25: {"accuracy": 0.7}}
        assert other.history("s")[0].reported == reported
        told = other.tell("s", 0, Measurement({"accuracy": 0.9}, {0.25: {"accuracy": 0.75}}))
        assert told.measurement is not None
        assert told.measurement.snapshots == {**reported, 0.25: {"accuracy": 0.75}}
        store.report("s", 0, {0.5: {"accuracy": 0.1}}, far_owner())
        assert store.history("s")[0] == told

    def test_failed_attempts_are_counted(self, store: Store, other: Store) -> None:
        """So that whoever goes on knows how often a failure has repeated."""
        for count in range(3):
            trial = store.claim("s", far_owner(), LONG) if count else asked(store, far_owner())
            assert trial is not None and trial.retried == count
            other.tell("s", 0, Flaky("the network was away", {"time": 1.0}), far_owner())
        assert store.history("s")[0].lost == {"time": 3.0}

    def test_an_ended_trial_is_not_given_out(self, store: Store) -> None:
        """Whatever its end was."""
        for outcome in (MEASURED, Failure("no"), Cancelled("stopped")):
            store.tell("s", asked(store, dead_owner()).number, outcome)
        assert store.claim("s", far_owner(), LONG) is None

    def test_an_unknown_trial_is_refused(self, store: Store) -> None:
        """With the numbers there are."""
        with pytest.raises(StudyError, match="study 's' has no trial 0; it has none yet"):
            store.tell("s", 0, MEASURED)
        added(store)
        for number in (1, -1, 10**6, 10**12, 10**30):
            with pytest.raises(StudyError, match=f"has no trial {number}; its trials are 0 to 0"):
                store.tell("s", number, MEASURED)
            with pytest.raises(StudyError, match=f"has no trial {number}"):
                store.request_stop("s", number)

    def test_a_preempted_trial_runs_again_and_its_losses_are_booked(self, store: Store) -> None:
        """Over all attempts."""
        asked(store, far_owner())
        told = store.tell("s", 0, Preempted("spot", {"cost": 0.25, "time": 3.0}), far_owner())
        assert (told.state, told.outcome) == (TrialState.PREEMPTED, None)
        again = store.claim("s", far_owner(), LONG)
        assert again is not None
        assert again.state is TrialState.RUNNING
        store.tell("s", 0, Preempted("spot", {"cost": 0.5}))
        store.claim("s", far_owner(), LONG)
        store.tell("s", 0, Measurement({"cost": 1.0}))
        assert store.history("s")[0].spent == {"cost": 1.75, "time": 3.0}

    def test_a_late_preemption_leaves_the_trial_with_its_new_owner(self, store: Store) -> None:
        """The loss is booked, and nobody runs the trial a third time."""
        asked(store, far_owner("first"), lease=SHORT)
        time.sleep(2 * SHORT)
        store.claim("s", far_owner("second"), LONG)
        told = store.tell("s", 0, Preempted("spot", {"cost": 0.5}), far_owner("first"))
        assert (told.state, told.lost) == (TrialState.RUNNING, {"cost": 0.5})
        assert store.claim("s", far_owner("third"), LONG) is None
