"""A tenant's quota is a promise, whatever its studies and tasks are and wherever they run."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tunewise.errors import StudyError
from tunewise.history import Measurement
from tunewise.problem import Problem
from tunewise.space import Ordinal, Space
from tunewise.storage.accounts import Tenants
from tunewise.storage.looking.changes import changes
from tunewise.storage.opening import parsed_url
from tunewise.storage.sql import SqlStore
from tunewise.storage.tasks import TaskStore
from tunewise.study import Study, StudyRecord
from tunewise.study.owner import Owner
from tunewise.study.store import Allocation


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/q.db" if sqlite else request.getfixturevalue("postgres_url")
    parsed = parsed_url(url)
    assert parsed is not None
    opened = SqlStore(parsed)
    yield opened
    opened.close()


def everything(trial: Any, free: float, waiting: int) -> float:
    return free


def begun(store: SqlStore, study: str, budget: float) -> float:
    """What a new trial of the study gets of its budget."""
    owner = Owner.here()
    with store.asking(study, owner):
        trial = store.add(study, {"x": 1}, 1.0, (), owner, 60, Allocation(budget, everything))
    return store.held(study)[trial.number]


def test_studies_of_a_tenant_never_hold_and_spend_more_than_its_quota(store: SqlStore) -> None:
    Tenants(store.database).create("team", usd=10.0)
    team = store.within("team")
    for name in "abc":
        team.create(StudyRecord(name, {}, {}, 0))
    assert begun(team, "a", 7.0) == 7.0
    assert begun(team, "b", 7.0) == 3.0
    team.tell("a", 0, Measurement({"cost": 2.0, "time": 5.0}))
    assert begun(team, "c", 20.0) == 5.0
    other = store.within("other")
    other.create(StudyRecord("a", {}, {}, 0))
    assert begun(other, "a", 20.0) == 20.0


def test_what_a_deleted_study_spent_stays_spent(store: SqlStore) -> None:
    Tenants(store.database).create("team", usd=10.0)
    team = store.within("team")
    for name in "ab":
        team.create(StudyRecord(name, {}, {}, 0))
    begun(team, "a", 7.0)
    team.tell("a", 0, Measurement({"cost": 6.0}))
    team.delete("a")
    assert begun(team, "b", 20.0) == 4.0


def test_a_study_without_a_budget_is_refused_where_there_is_a_quota(store: SqlStore) -> None:
    Tenants(store.database).create("", usd=1.0)
    study = Study(Problem(Space(Ordinal("x", [1, 2])), minimize="loss"), storage=store, name="s")
    with pytest.raises(StudyError, match="need a budget"):
        study.ask()


def test_a_run_ends_when_the_quota_is_used_up(store: SqlStore) -> None:
    Tenants(store.database).create("", usd=0.5)
    problem = Problem(
        Space(Ordinal("x", list(range(20)))), minimize="loss", budget=100.0, price=3600.0
    )
    study = Study(problem, strategy="random", storage=store, name="s", seed=1)
    study.optimize(lambda trial: {"loss": 1.0, "time": 0.1}, trials=20)
    assert 0 < study.spent["cost"] <= 0.5 + 1e-9


def picked(task: int, limit: float) -> dict[str, Any]:
    return {"kind": "picked", "task": task, "limit": limit, "until": time.time() + limit}


def test_trainings_of_a_tenant_never_hold_and_use_more_than_its_seconds(store: SqlStore) -> None:
    Tenants(store.database).create("team", seconds=100.0)
    tasks = TaskStore(store.database, "team")
    one, two = (tasks.create(name, "4 numbers -> 2 classes", {}).id for name in "ab")
    tasks.decide(0, lambda events: [picked(one, 70.0)])
    tasks.decide(0, lambda events: [picked(two, 70.0)])
    tasks.decide(0, lambda events: [picked(two, 70.0)])
    began = [event for event in tasks.events() if event["kind"] == "picked"]
    assert [event["limit"] for event in began] == [70.0, 30.0]
    assert tasks.seconds_left() == {"team": 0.0}
    done = {"kind": "told", "task": one, "pick": began[0]["id"], "seconds": 20.0, "quality": 1.0}
    tasks.decide(0, lambda events: [done])
    assert tasks.seconds_left() == {"team": 50.0}
    tasks.delete(one)
    assert tasks.seconds_left() == {"team": 50.0}


def test_every_change_is_seen_once_with_a_higher_revision(store: SqlStore) -> None:
    tasks = TaskStore(store.database)
    task = tasks.create("t", "4 numbers -> 2 classes", {})
    store.create(StudyRecord("s", {}, {}, 0))
    store.runs().begin("r", {})
    before = {(one.kind, one.name): one.revision for one in changes(store.database, 0.0)}
    tasks.settle(task.id, task.program, {"label": "y"})
    store.annotate("s", {"title": "x"})
    store.runs().append("r", 0, [{"a": 1}, {"a": 2}])
    after = {(one.kind, one.name): one.revision for one in changes(store.database, 0.0)}
    assert set(after) == {("task", "t"), ("study", "s"), ("training", "r")}
    assert all(after[key] > before[key] for key in after)
    assert changes(store.database, time.time() + 60) == []
