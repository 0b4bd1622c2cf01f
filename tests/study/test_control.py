"""How a study and its trials are stopped from outside."""

from types import SimpleNamespace

import pytest

from tunewise.storage import MemoryStore
from tunewise.study import StudyRecord
from tunewise.study.run.control import stop_run, stop_trial
from tunewise.testing.stores import MEASURED, added, asked, far_owner


def store_of(*running: str) -> MemoryStore:
    store = MemoryStore()
    store.create(StudyRecord("s", {}, {}, 0))
    for name in running:
        asked(store, far_owner(name))
    return store


def test_a_trial_that_goes_on_is_said_to_run_after_the_wait() -> None:
    found = stop_trial(store_of("a"), "s", 0, wait=0.0)
    assert (found.ended, found.running) == ([], [0])
    assert found.sentence == "trial 0 was asked to stop; it still runs after 0 s"


def test_a_trial_that_nobody_runs_is_cancelled_at_once() -> None:
    store = store_of()
    added(store)
    found = stop_trial(store, "s", 0, wait=0.0)
    assert (found.ended, found.sentence) == ([0], "trial 0 is cancelled")


def test_all_that_runs_is_asked_and_what_goes_on_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of("a", "b", "c")
    found = stop_run(store, "s", wait=0.0)
    assert found.sentence == "study 's' was asked to stop; trials 0, 1, 2 still running after 0 s"
    assert store.renew("s", far_owner("b"), 9.0).stopping == {1}

    def pause(_: float) -> None:
        """Two workers hear it meanwhile."""
        for number, name in enumerate("ab"):
            store.tell("s", number, MEASURED, far_owner(name))
        now[0] += 1000.0

    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=pause)
    monkeypatch.setattr("tunewise.study.run.control.time", clock)
    found = stop_run(store, "s", wait=60.0)
    assert (found.ended, found.running) == ([0, 1], [2])
    assert found.sentence.endswith("trial 2 still running after 60 s")


def test_a_study_that_stands_still_is_stopped_before_its_next_trial() -> None:
    found = stop_run(store_of(), "s", wait=0.0)
    assert (found.ended, found.running) == ([], [])
    assert "has no running trial; a run that is between trials ends now" in found.sentence
