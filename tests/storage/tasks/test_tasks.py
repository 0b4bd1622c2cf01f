"""Declared tasks in real databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow, TaskStore, open_tasks
from tunewise.storage.tasks.opening import from_anywhere


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TaskStore]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        url = request.getfixturevalue("postgres_url")
    opened = open_tasks(url)
    yield opened
    for task in opened.tasks():
        opened.delete(task.id)
    opened.close()


def _rows(*contents: str) -> list[ExampleRow]:
    return [
        ExampleRow(0, content, content[:1], "file", place, "cat", "test", "")
        for place, content in enumerate(contents)
    ]


def test_a_task_is_opened_again_by_its_name(store: TaskStore) -> None:
    made = store.create("clothes", "text -> 2 classes", {"salt": "x"})
    assert store.create("clothes", "text -> 3 classes", {}) == made
    with pytest.raises(TaskError, match="did you mean 'clothes'"):
        store.load("cloths")


def test_the_same_example_is_kept_once_and_every_change_is_a_version(store: TaskStore) -> None:
    task = store.create("clothes", "text -> 2 classes", {}).id
    assert store.feed(task, _rows("aa", "bb", "aa"), {"kind": "feed"}) == [1, 2]
    assert store.feed(task, _rows("bb", "cc"), {"kind": "feed"}) == [3]
    assert store.feed(task, _rows("aa"), {"kind": "feed"}) == []
    assert store.load("clothes").version == 2
    assert store.switch(task, [], [1, 2], {"kind": "refine"}) == [1, 2]
    assert store.switch(task, [1], [2], {"kind": "refine"}) == [1]
    assert [row.on for row in store.examples(task)] == [True, False, True]
    assert [change["version"] for change in store.changes(task)] == [1, 2, 3, 4]
    with pytest.raises(TaskError, match="e9"):
        store.switch(task, [9], [], {})


def test_events_are_decided_one_process_at_a_time_and_models_come_with_them(
    store: TaskStore,
) -> None:
    task = store.create("clothes", "text -> 2 classes", {}).id
    before = store.events()
    last = before[-1]["id"] if before else 0
    told = {"kind": "told", "task": task, "card": {"model": "ridge"}}
    store.decide(last, lambda events: [{"kind": "picked", "task": task}])
    store.decide(last, lambda events: [told] if len(events) == 1 else [])
    assert [event["kind"] for event in store.events(last)] == ["picked", "told"]
    assert [card["model"] for card in store.models(task)] == ["ridge"]


def test_a_deleted_task_leaves_nothing_and_gets_no_model(store: TaskStore) -> None:
    task = store.create("clothes", "text -> 2 classes", {}).id
    store.feed(task, _rows("aa"), {"kind": "feed"})
    store.delete(task)
    told = {"kind": "told", "task": task, "card": {"model": "ridge"}}
    store.decide(0, lambda events: [told])
    assert (store.tasks(), store.examples(task), store.models(task)) == ([], [], [])


def test_a_store_is_the_same_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = open_tasks("sqlite:///store.db")
    here.create("clothes", "text -> 2 classes", {})
    here.close()
    for given in ("sqlite:///store.db", "store.db"):
        url = from_anywhere(given)
        (tmp_path / "below").mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / "below")
        there = open_tasks(url)
        assert [task.name for task in there.tasks()] == ["clothes"]
        there.close()
        monkeypatch.chdir(tmp_path)
    assert from_anywhere("postgresql://host/base") == "postgresql://host/base"
