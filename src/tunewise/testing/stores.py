"""What every store must do: inherit `StoreConformance` and say how yours is opened."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import pytest

from tunewise.errors import StorageError, StudyError
from tunewise.history import (
    Cancelled,
    Failure,
    Flaky,
    Measurement,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
    TrialState,
)
from tunewise.space import Config
from tunewise.study import Owner, Store, StudyRecord
from tunewise.testing.store_money import MoneyConformance

__all__ = ["LONG", "MakeStore", "StoreConformance", "added", "asked", "dead_owner", "far_owner"]

MakeStore = Callable[[], Store]

LONG = 600.0
"""A lease that does not end during a test."""

SHORT = 0.05
"""A lease that ends during a test."""

DIFFICULT: Config = {
    "größe": "t2.small ☃ \U0001f600 \x00 \\u0000 'quoted\" \n",
    "tiny": 1e-308,
    "smallest": 5e-324,
    "sum": 0.1 + 0.2,
    "large": 1e22,
    "whole": 1.0,
    "negative zero": -0.0,
    "exact": 2**53 + 1,
    "huge": 10**30,
    "nothing": None,
    "yes": True,
    "one": 1,
    "layers": [64, [32, 16.0]],
    "tuple": (64, (32, "a"), [1]),
    "nested": {"a": {"b": (None,)}},
    "": "",
}
"""A config that a careless encoding changes."""

MEASURED = Measurement(
    {"accuracy": 0.1 + 0.2, "time": 12.0, "cost": 1e-308},
    snapshots={1 / 60: {"accuracy": 0.5}, 0.1: {"accuracy": 0.62, "time": 1.5}},
    deviations={"accuracy": 0.01},
)


def far_owner(name: str = "worker") -> Owner:
    """A worker on another machine: nobody here can know whether it lives."""
    return Owner("far-away", 1, 1, name)


@cache
def dead_owner() -> Owner:
    """A worker on this machine whose process has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return replace(Owner.here(), pid=process.pid, born=1)


def asked(store: Store, owner: Owner, config: Config | None = None, lease: float = LONG) -> Trial:
    """A new trial of the study "s", running under the owner's lease."""
    with store.asking("s", owner):
        return store.add("s", config or {"x": 1}, 1.0, (), owner, lease)


def added(store: Store, config: Config | None = None) -> Trial:
    """A new trial of the study "s" that waits."""
    return store.add("s", config or {"x": 1}, 1.0, (), None, LONG)


def _lost(trial: Trial, seconds: float) -> Outcome:
    """What an attempt had cost, at 2 USD a second."""
    return Preempted("its worker is gone", {"time": seconds, "cost": 2 * seconds})


class StoreConformance(MoneyConformance):
    """Tests that every store passes.

    A subclass overrides the fixture `make_store`: each call of what it returns opens the same
    store once more, as another process would.
    """

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """How to open the store under test; every test gets a fresh one."""
        raise NotImplementedError("override the fixture make_store")

    @pytest.fixture
    def store(self, make_store: MakeStore) -> Iterator[Store]:
        """The store under test, with the empty study "s"."""
        store = make_store()
        store.create(StudyRecord("s", {"metric": "accuracy"}, {"name": "random"}, 0))
        yield store
        store.close()

    def test_studies_of_one_name_live_side_by_side_in_namespaces(
        self, store: Store, make_store: MakeStore
    ) -> None:
        """Their trials, leases and names are apart; every process sees the same."""
        team = store.within("team ☃")
        assert team.studies() == []
        with pytest.raises(StudyError, match="no study 's'"):
            team.load("s")
        team.create(StudyRecord("s", {}, {"name": "random"}, 7))
        added(store)
        assert [len(each.history("s")) for each in (store, team)] == [1, 0]
        with team.asking("s", far_owner()), store.asking("s", far_owner("another")):
            team.add("s", {"x": 2}, 1.0, (), far_owner(), LONG)
        team.tell("s", 0, MEASURED)
        store.annotate("s", {"whose": "ours"})
        again = make_store()
        assert again.history("s")[0].outcome is None
        assert again.within("team ☃").history("s")[0].outcome == MEASURED
        assert again.within("team ☃").load("s").notes == {}
        assert [record.seed for record in again.within("team ☃").studies()] == [7]
        assert again.namespaces() == ["", "team ☃"]
        again.within("team ☃").delete("s")
        assert again.namespaces() == [""]
        assert len(store.history("s")) == 1
        again.close()

    @pytest.mark.parametrize("wrong", [3, None, "x" * 101, "a\nb"])
    def test_a_namespace_is_short_text(self, store: Store, wrong: object) -> None:
        """Anything else is refused in a sentence."""
        with pytest.raises(StorageError, match="the namespace is"):
            store.within(wrong)  # type: ignore[arg-type] # wrong on purpose

    @pytest.fixture
    def other(self, store: Store, make_store: MakeStore) -> Iterator[Store]:
        """The same store, opened once more."""
        other = make_store()
        yield other
        other.close()

    def test_a_study_comes_back_as_it_was_created(self, store: Store, other: Store) -> None:
        """Nothing of a study's record is lost."""
        record = StudyRecord(
            "größe ☃",
            {"space": DIFFICULT},
            {"name": "x", "share": 0.1},
            2**70 + 1,
            {"log": "a/b"},
            12.5,
        )
        assert store.create(record) == record
        assert other.load("größe ☃") == record
        assert other.load("größe ☃").created_at == 12.5

    def test_a_study_knows_when_it_was_created(self, store: Store) -> None:
        """The store's clock fills in what the caller left open."""
        created = store.load("s").created_at
        assert created is not None
        assert abs(created - time.time()) < LONG

    def test_creating_a_study_again_returns_the_first(self, store: Store, other: Store) -> None:
        """A name belongs to whoever came first."""
        found = other.create(StudyRecord("s", {"metric": "cost"}, {"name": "other"}, 7))
        assert found == store.load("s")
        assert found.seed == 0

    def test_an_unknown_study_is_refused_with_the_nearest_name(self, store: Store) -> None:
        """A misspelt name gets a hint, in every method."""
        store.create(StudyRecord("digits", {}, {}, 0))
        owner = far_owner()
        for use in (
            lambda: store.load("digit"),
            lambda: store.history("digit"),
            lambda: store.annotate("digit", {}),
            lambda: store.delete("digit"),
            lambda: store.claim("digit", owner, LONG),
            lambda: store.renew("digit", owner, LONG),
            lambda: store.tell("digit", 0, MEASURED),
            lambda: store.request_stop("digit", 0),
            lambda: store.add("digit", {}, 1.0, (), None, LONG),
            lambda: store.asking("digit", owner).__enter__(),
        ):
            with pytest.raises(StudyError, match="no study 'digit'; did you mean 'digits'"):
                use()

    def test_studies_are_listed_oldest_first(self, store: Store) -> None:
        """In the order of their creation, not of their names."""
        for name in ("z", "a", "m"):
            store.create(StudyRecord(name, {}, {}, 0))
        assert [record.name for record in store.studies()] == ["s", "z", "a", "m"]

    def test_notes_are_merged(self, store: Store, other: Store) -> None:
        """A new note replaces the one of its key and leaves the others."""
        store.annotate("s", {"a": 1, "b": {"c": (1, 2)}})
        other.annotate("s", {"a": 2})
        assert store.load("s").notes == {"a": 2, "b": {"c": (1, 2)}}

    def test_a_deleted_study_is_forgotten_with_its_trials(self, store: Store, other: Store) -> None:
        """A new study of that name starts empty, other studies stay."""
        store.create(StudyRecord("t", {}, {}, 0))
        store.add("t", {"x": 2}, 1.0, (), None, LONG)
        store.tell("s", added(store).number, MEASURED)
        assert len(other.history("s")) == 1
        store.delete("s")
        assert [record.name for record in other.studies()] == ["t"]
        other.create(StudyRecord("s", {}, {}, 1))
        assert len(other.history("s")) == len(store.history("s")) == 0
        assert len(store.history("t")) == 1

    def test_a_config_comes_back_exactly(self, store: Store, other: Store) -> None:
        """Values, their types and their order survive."""
        given = added(store, DIFFICULT)
        for config in (given.config, other.history("s")[0].config):
            assert list(config) == list(DIFFICULT)
            assert {k: repr(v) for k, v in config.items()} == {
                k: repr(v) for k, v in DIFFICULT.items()
            }

    @pytest.mark.parametrize(
        ("outcome", "state"),
        [
            (MEASURED, TrialState.COMPLETE),
            (Failure("out of memory \udc80 ☃ \x00", {"cost": 0.2}), TrialState.FAILED),
            (Cancelled("stopped", {"time": 0.5}), TrialState.CANCELLED),
            (TimedOut("hopeless", {"time": 9.0, "cost": 0.1}), TrialState.FAILED),
        ],
        ids=["measurement", "failure", "cancelled", "timed out"],
    )
    def test_an_outcome_comes_back_exactly(
        self, store: Store, other: Store, outcome: Outcome, state: TrialState
    ) -> None:
        """Metrics, snapshots, deviations and reasons survive."""
        trial = asked(store, far_owner())
        told = store.tell("s", trial.number, outcome)
        found = other.history("s")[0]
        assert told == found
        assert (found.outcome, found.state) == (outcome, state)
        assert type(found.outcome) is type(outcome)
        assert told.asked_at is not None
        assert found.asked_at == told.asked_at == trial.asked_at
        assert found.told_at == told.told_at is not None
        assert told.told_at is not None
        assert told.told_at >= told.asked_at

    def test_a_trial_keeps_its_fraction_and_snapshots(self, store: Store, other: Store) -> None:
        """As they were suggested, to the last digit."""
        owner = far_owner()
        with store.asking("s", owner):
            trial = store.add("s", {"x": 1}, 1 / 3, (1 / 60, 0.1), owner, LONG)
        assert (trial.fraction, trial.snapshots) == (1 / 3, (1 / 60, 0.1))
        assert other.history("s")[0] == trial

    def test_trials_are_numbered_from_zero(self, store: Store, other: Store) -> None:
        """Whoever adds them, numbers follow each other."""
        numbers = [added(s).number for s in (store, other, store)]
        assert numbers == [0, 1, 2]
        assert [trial.number for trial in other.history("s")] == numbers

    def test_changing_what_was_given_or_got_does_not_change_the_store(self, store: Store) -> None:
        """The store's trials are its own."""
        config, nested = {"x": 1, "layers": [1]}, [1]
        config["layers"] = nested
        trial = added(store, config)
        config["x"] = 2
        nested.append(2)
        trial.config["x"] = 3
        store.tell("s", 0, MEASURED).config["x"] = 4
        store.history("s")[0].config["x"] = 5
        assert store.history("s")[0].config == {"x": 1, "layers": [1]}

    def test_an_added_trial_with_an_owner_runs_and_without_one_waits(self, store: Store) -> None:
        """Only what a person wants tried is enqueued."""
        running, waiting = asked(store, far_owner()), added(store)
        assert (running.state, running.enqueued) == (TrialState.RUNNING, False)
        assert (waiting.state, waiting.enqueued) == (TrialState.WAITING, True)
        assert running.asked_at is not None
        assert waiting.asked_at is None
        assert list(store.history("s")) == [running, waiting]

    def test_the_lowest_waiting_trial_is_claimed_first(self, store: Store, other: Store) -> None:
        """And each only once."""
        added(store), added(store)
        owner = far_owner()
        claimed = [s.claim("s", owner, LONG) for s in (store, other, store)]
        assert [trial and trial.number for trial in claimed] == [0, 1, None]
        assert claimed[0] is not None
        assert (claimed[0].state, claimed[0].enqueued) == (TrialState.RUNNING, True)
        assert claimed[0].asked_at is not None

    def test_threads_that_claim_at_once_get_different_trials(self, store: Store) -> None:
        """No trial is given out twice."""
        for _ in range(16):
            added(store)
        with ThreadPoolExecutor(8) as pool:
            claimed = list(pool.map(lambda i: store.claim("s", far_owner(str(i)), LONG), range(20)))
        assert sorted(t.number for t in claimed if t is not None) == list(range(16))

    def test_a_running_trial_is_not_given_out(self, store: Store) -> None:
        """Neither that of a live process here nor that of a far one under its lease."""
        asked(store, Owner.here()), asked(store, far_owner())
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_it_tells_which_trials_nobody_works_on(self, store: Store) -> None:
        """Those of a dead process and waiting ones, as `claim` would give them out."""
        asked(store, far_owner()), asked(store, dead_owner()), added(store)
        assert store.idle("s", far_owner("other")) == {1, 2}
        store.claim("s", far_owner(), LONG)
        assert store.idle("s", far_owner("other")) == {2}

    def test_a_trial_whose_lease_ended_is_given_out_again(self, store: Store) -> None:
        """Its worker has been silent for too long."""
        first = asked(store, far_owner(), lease=SHORT)
        time.sleep(2 * SHORT)
        again = store.claim("s", far_owner("idle"), LONG)
        assert again == first
        assert again is not None
        assert again.asked_at is not None and first.asked_at is not None
        assert again.asked_at > first.asked_at
        assert store.claim("s", far_owner("third"), LONG) is None

    def test_a_trial_of_a_dead_process_is_given_out_at_once(self, store: Store) -> None:
        """Its lease need not end."""
        trial = asked(store, dead_owner())
        assert store.claim("s", Owner.here(), LONG) == trial

    def test_an_owner_is_not_given_its_own_running_trial(self, store: Store) -> None:
        """A silent worker that comes back must not run its trial twice."""
        asked(store, far_owner(), lease=SHORT)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner(), LONG) is None

    def test_renewing_keeps_a_trial(self, store: Store, other: Store) -> None:
        """A heartbeat prolongs the lease of all the owner's trials."""
        asked(store, far_owner(), lease=SHORT), asked(store, far_owner(), lease=SHORT)
        assert other.renew("s", far_owner(), LONG) == set()
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_renewing_does_not_touch_the_trials_of_others(self, store: Store) -> None:
        """A trial that was given to another worker stays there."""
        asked(store, far_owner(), lease=SHORT)
        store.renew("s", far_owner("other"), LONG)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), SHORT) is not None
        store.renew("s", far_owner(), LONG)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("third"), LONG) is not None

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

    def test_what_a_dead_worker_had_spent_is_booked_when_its_trial_is_claimed(
        self, store: Store, other: Store
    ) -> None:
        """Once, for the seconds of its last sign of life, in the step that gives it out again."""
        trial = asked(store, far_owner("gone"), lease=SHORT)
        store.renew("s", far_owner("gone"), SHORT, {trial.number: 12.5})
        time.sleep(2 * SHORT)
        ended = [other.claim("s", far_owner(n), LONG, _lost) for n in ("a", "b")]
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
            store.claim("s", far_owner("next"), LONG, _lost)
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
        store.request_stop("s", 1, _lost)
        time.sleep(2 * SHORT)
        assert store.request_stop("s", 0, _lost).spent == {"time": 2.0, "cost": 4.0}
        assert store.claim("s", far_owner("next"), LONG, _lost) is None
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
        for number in (1, -1, 10**6):
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

    def test_whoever_runs_a_trial_hears_that_it_should_stop(
        self, store: Store, other: Store
    ) -> None:
        """With the next heartbeat, until the trial is told."""
        asked(store, far_owner()), asked(store, far_owner())
        assert other.request_stop("s", 1).state is TrialState.RUNNING
        assert store.renew("s", far_owner("other"), LONG) == set()
        assert store.renew("s", far_owner(), LONG) == {1}
        store.tell("s", 1, Cancelled("stopped by a person"))
        assert store.renew("s", far_owner(), LONG) == set()

    @pytest.mark.parametrize("kind", ["waiting", "preempted", "lapsed", "dead"])
    def test_a_trial_that_nobody_runs_is_cancelled_at_once(self, store: Store, kind: str) -> None:
        """There is nobody to hear the request."""
        if kind == "waiting":
            added(store)
        else:
            asked(store, dead_owner() if kind == "dead" else far_owner(), lease=SHORT)
        if kind == "preempted":
            store.tell("s", 0, Preempted("spot"))
        if kind == "lapsed":
            time.sleep(2 * SHORT)
        stopped = store.request_stop("s", 0)
        assert stopped.state is TrialState.CANCELLED
        assert store.history("s")[0] == stopped
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_an_ended_trial_cannot_be_stopped(self, store: Store) -> None:
        """It says how it ended."""
        store.tell("s", added(store).number, Failure("out of memory"))
        with pytest.raises(StudyError, match=r"has ended already \(failed, out of memory\)"):
            store.request_stop("s", 0)

    def test_a_trial_that_should_stop_is_not_given_out_again(self, store: Store) -> None:
        """When its worker dies or is preempted before it heard, it is cancelled."""
        asked(store, far_owner(), lease=SHORT), asked(store, far_owner("b"), lease=LONG)
        store.request_stop("s", 0), store.request_stop("s", 1)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), LONG) is None
        told = store.tell("s", 1, Preempted("spot", {"cost": 0.5}), far_owner("b"))
        assert told.outcome == Cancelled("spot", {"cost": 0.5})
        assert {t.state for t in store.history("s")} == {TrialState.CANCELLED}

    def test_one_owner_asks_at_a_time(self, store: Store, other: Store) -> None:
        """The others wait, whichever handle they use."""
        inside, most = 0, 0
        lock = threading.Lock()

        def ask(number: int) -> None:
            nonlocal inside, most
            with (store, other)[number % 2].asking("s", far_owner(str(number))):
                with lock:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.01)
                with lock:
                    inside -= 1

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(ask, range(12)))
        assert most == 1

    def test_others_tell_and_enqueue_while_one_asks(self, store: Store, other: Store) -> None:
        """A strategy that thinks for long holds up nobody but askers."""
        trial = asked(store, far_owner("b"))
        with store.asking("s", far_owner("a")):
            other.tell("s", trial.number, MEASURED)
            other.claim("s", far_owner("c"), LONG)
            assert added(other).number == 1
            assert store.add("s", {"x": 3}, 1.0, (), far_owner("a"), LONG).number == 2

    def test_different_studies_are_asked_at_once(self, store: Store, other: Store) -> None:
        """The right belongs to one study."""
        store.create(StudyRecord("t", {}, {}, 0))
        with store.asking("s", far_owner("a")), other.asking("t", far_owner("a")):
            pass

    def test_the_right_to_ask_is_given_back_when_asking_fails(self, store: Store) -> None:
        """An error in a strategy holds up nobody."""
        with pytest.raises(ZeroDivisionError), store.asking("s", far_owner("a")):
            raise ZeroDivisionError
        with store.asking("s", far_owner("b")):
            pass

    def test_the_right_of_a_dead_asker_is_passed_on_at_once(self, store: Store) -> None:
        """Its lease need not end."""
        store.asking("s", dead_owner(), LONG).__enter__()
        began = time.monotonic()
        assert asked(store, far_owner()).number == 0
        assert time.monotonic() - began < LONG / 10

    def test_the_right_of_a_silent_asker_is_passed_on_and_its_trial_refused(
        self, store: Store, other: Store
    ) -> None:
        """A stale asker would add what was decided on an old history."""
        stale = store.asking("s", far_owner("stale"), SHORT)
        with pytest.raises(StudyError, match="does not hold the right to ask in study 's'"), stale:
            with other.asking("s", far_owner("next")):
                with pytest.raises(StudyError, match="ask again"):
                    store.add("s", {"x": 1}, 1.0, (), far_owner("stale"), LONG)
                assert other.add("s", {"x": 2}, 1.0, (), far_owner("next"), LONG).number == 0
            store.add("s", {"x": 3}, 1.0, (), far_owner("stale"), LONG)
        assert len(store.history("s")) == 1

    def test_a_stale_asker_does_not_give_back_the_right_of_the_next(self, store: Store) -> None:
        """Giving back is for one's own right."""
        stale = store.asking("s", far_owner("stale"), SHORT)
        stale.__enter__()
        with store.asking("s", far_owner("next")):
            stale.__exit__(None, None, None)
            assert store.add("s", {"x": 1}, 1.0, (), far_owner("next"), LONG).number == 0

    def test_renewing_keeps_the_right_to_ask(self, store: Store, other: Store) -> None:
        """A strategy may think for longer than the lease, while its worker gives signs of life."""
        with store.asking("s", far_owner("slow"), SHORT):
            other.renew("s", far_owner("slow"), LONG)
            waiting = threading.Thread(target=asked, args=(other, far_owner("next"), {"x": 2}))
            waiting.start()
            time.sleep(3 * SHORT)
            assert store.add("s", {"x": 1}, 1.0, (), far_owner("slow"), LONG).number == 0
        waiting.join()
        assert [trial.config["x"] for trial in store.history("s")] == [1, 2]

    def test_adding_without_the_right_to_ask_is_refused(self, store: Store) -> None:
        """Before it was taken, and after it was given back."""
        with pytest.raises(StudyError, match="does not hold the right to ask"):
            store.add("s", {"x": 1}, 1.0, (), far_owner(), LONG)
        asked(store, far_owner())
        with pytest.raises(StudyError, match="does not hold the right to ask"):
            store.add("s", {"x": 1}, 1.0, (), far_owner(), LONG)
        assert len(store.history("s")) == 1
