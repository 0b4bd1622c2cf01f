"""How a store keeps studies and trials: nothing is lost or changed."""

import time

import pytest

from tunewise.errors import StorageError, StudyError
from tunewise.history import (
    Cancelled,
    Failure,
    Outcome,
    TimedOut,
    TrialState,
)
from tunewise.study import Store, StudyRecord
from tunewise.study.store import News
from tunewise.testing.stores.parts import (
    DIFFICULT,
    LONG,
    MEASURED,
    MakeStore,
    added,
    asked,
    far_owner,
)


class StudiesConformance:
    """Tests of how studies, configs and outcomes are kept."""

    def test_whoever_looked_before_is_told_what_changed_since(self, store: Store) -> None:
        """Each change has a higher revision; a lease that is renewed is none."""
        start = store.news("s").revision
        owner = far_owner("a")
        first = asked(store, owner)
        added(store)
        seen = store.news("s", start)
        assert [trial.number for trial in seen.trials] == [0, 1]
        store.renew("s", owner, LONG)
        assert store.news("s", seen.revision) == News(seen.revision, ())
        told = store.tell("s", first.number, MEASURED, owner)
        later = store.news("s", seen.revision)
        assert later.trials == (told,) and later.revision > seen.revision
        store.annotate("s", {"stopped": "enough"})
        noted = store.news("s", later.revision)
        assert noted.trials == () and noted.revision > later.revision

    def test_of_a_study_that_was_made_anew_all_is_told(self, store: Store) -> None:
        """It has fewer revisions behind it than the one that was seen before."""
        for _ in range(3):
            added(store)
        seen, record = store.news("s"), store.load("s")
        store.delete("s")
        store.create(record)
        added(store)
        assert len(store.news("s", seen.revision).trials) == 1

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
            (TimedOut("pruned", {"time": 9.0, "cost": 0.1}), TrialState.FAILED),
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
