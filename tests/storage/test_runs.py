"""Trainings that are tuned while they run are kept event by event."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tunewise.errors import StudyError
from tunewise.storage import open_store
from tunewise.study.owner import Owner
from tunewise.study.store import Runs


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runs]:
    if request.param == "memory":
        store = open_store(None)
    elif request.param == "sqlite":
        store = open_store(f"sqlite:///{tmp_path}/runs.db")
    else:
        store = open_store(str(request.getfixturevalue("postgres_url")))
    yield store.runs()
    store.close()


def test_events_come_back_in_order_and_as_they_were(runs: Runs) -> None:
    runs.begin("one", {"until": "loss <= 0.1"})
    runs.append("one", 0, [{"reported": [0.1 + 0.2, 1e-9, None]}, {"saved": True}])
    runs.append("one", 2, [{"decided": {"workers": 4}}])
    assert runs.events("one") == [
        {"reported": [0.1 + 0.2, 1e-9, None]},
        {"saved": True},
        {"decided": {"workers": 4}},
    ]


def test_only_what_happened_since_is_told_to_whoever_knows_the_rest(runs: Runs) -> None:
    runs.begin("one", {})
    runs.append("one", 0, [{"n": 0}, {"n": 1}, {"n": 2}])
    runs.append("one", 3, [{"n": 3}])
    for since in range(6):
        assert [event["n"] for event in runs.events("one", since)] == list(range(since, 4))


def test_a_run_that_is_there_keeps_its_description(runs: Runs) -> None:
    assert runs.begin("one", {"until": "a"}) == {"until": "a"}
    assert runs.begin("one", {"until": "b"}) == {"until": "a"}
    assert runs.description("one") == {"until": "a"}


def test_a_second_writer_of_the_same_run_is_refused(runs: Runs) -> None:
    runs.begin("one", {})
    runs.append("one", 0, [{"saved": True}])
    with pytest.raises(StudyError, match="goes on in another process"):
        runs.append("one", 0, [{"saved": True}])
    assert len(runs.events("one")) == 1


def test_an_unknown_run_is_refused_with_the_nearest(runs: Runs) -> None:
    runs.begin("digits", {})
    with pytest.raises(StudyError, match="no training 'digit'.*digits"):
        runs.events("digit")


def test_a_deleted_run_is_gone_and_its_name_free(runs: Runs) -> None:
    runs.begin("one", {"until": "a"})
    runs.append("one", 0, [{"saved": True}])
    runs.delete("one")
    assert runs.names() == []
    assert runs.begin("one", {"until": "b"}) == {"until": "b"}
    assert runs.events("one") == []


def test_namespaces_have_runs_of_their_own(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/runs.db")
    store.within("a").runs().begin("one", {"until": "a"})
    assert store.runs().names() == []
    assert store.within("a").runs().names() == ["one"]


def test_a_run_that_goes_on_elsewhere_is_not_given_to_a_second_process(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/runs.db")
    kept, here = store.runs(), Owner.here()
    kept.begin("one", {})
    init = replace(here, pid=1, born=0)  # a process of this machine that is alive
    kept.own("one", init, 0.0)
    with pytest.raises(StudyError, match="'one' goes on in another process, process 1 on"):
        kept.own("one", here, 60)
    kept.disown("one", here)
    with pytest.raises(StudyError, match="end it, or choose another name"):
        kept.own("one", here, 60)
    kept.disown("one", init)
    kept.own("one", here, 60)
    kept.own("one", Owner.here(), 60)  # a second one of the same process takes over


def test_a_run_that_begins_is_its_owners_from_the_first_moment_on(tmp_path: Path) -> None:
    kept, here = open_store(f"sqlite:///{tmp_path}/runs.db").runs(), Owner.here()
    init = replace(here, pid=1, born=0)  # a process of this machine that is alive
    kept.begin("one", {}, init, 60)
    with pytest.raises(StudyError, match="'one' goes on in another process, process 1 on"):
        kept.own("one", here, 60)
    kept.begin("one", {}, here, 60)  # it was there, and stays with whom it has
    with pytest.raises(StudyError, match="'one' goes on in another process, process 1 on"):
        kept.own("one", here, 60)


def test_a_run_of_an_owner_that_is_gone_or_silent_is_taken_over(tmp_path: Path) -> None:
    kept, here = open_store(f"sqlite:///{tmp_path}/runs.db").runs(), Owner.here()
    kept.begin("one", {})
    kept.own("one", replace(here, born=here.born + 1), 60)  # its pid was given to another process
    kept.own("one", here, 60)
    kept.begin("two", {})
    kept.own("two", replace(here, host="elsewhere"), 60)
    with pytest.raises(StudyError, match="or wait 60 s if it is gone"):
        kept.own("two", here, 60)
    kept.own("two", replace(here, host="elsewhere"), 0.0)
    kept.own("two", here, 60)
