"""Several tasks and processes share one store: its log of events says all."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import make_url

import tunewise as tw
from tests.extras import needs
from tests.postgres import break_connection
from tunewise.declarative.task.looking import being_trained
from tunewise.declarative.training.job import run
from tunewise.declarative.training.schedule import LEAST, Schedule
from tunewise.declarative.training.work import Progress, Work
from tunewise.storage.accounts import Tenants
from tunewise.storage.database import Database
from tunewise.storage.tasks import TaskStore, open_tasks
from tunewise.storage.tasks.opening import files_beside
from tunewise.study.owner import Owner

needs("lightgbm", "tasks")
needs("onnxruntime", "tasks")


def _fed(url: str, name: str, count: int = 40) -> tw.Task:
    rng = np.random.default_rng(len(name))
    x = rng.normal(size=(count, 3))
    task = tw.Task("table(3) -> [no, yes]", name=name, storage=url)
    task.feed(x, ["yes" if row.sum() > 0 else "no" for row in x])
    return task


def _work(store: TaskStore, url: str, heard: list[Progress]) -> Work:
    return Work(store, url, files_beside(url), hear=heard.append)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


def test_one_worker_trains_for_all_tasks(url: str) -> None:
    anna, bert = _fed(url, "anna"), _fed(url, "bert", 50)
    store, heard = open_tasks(url), list[Progress]()
    assert _work(store, url, heard).run(models=2) == 2
    assert {progress.task for progress in heard} == {"anna", "bert"}
    assert "no other task is expected" in heard[0].sentence
    for progress in heard:
        assert progress.low is not None and progress.high is not None
        assert 0 <= progress.low < progress.high <= 1
    assert anna.infer([1, 1, 1]).value in ("yes", "no")
    assert bert.infer([1, 1, 1]).value in ("yes", "no")


def test_one_task_alone_is_told_of_no_others(url: str) -> None:
    _fed(url, "anna")
    heard: list[Progress] = []
    assert _work(open_tasks(url), url, heard).run(models=1) == 1
    assert heard[0].sentence.startswith(f"{heard[0].model} is the first, expected at 0.")
    assert "other" not in heard[0].sentence


def test_what_a_killed_worker_trained_is_picked_again(url: str) -> None:
    _fed(url, "anna")
    store = open_tasks(url)
    work = _work(store, url, [])
    schedule = Schedule()
    picked = work._pick(schedule, 0.0, 100.0)
    assert picked is not None
    dead = Owner(Owner.here().host, 2**22 + 1, 1, "gone")
    lost = store.events()[-1]
    assert lost["kind"] == "picked"
    # The same event by an owner whose process is gone: whoever comes next takes it over.
    store.decide(
        lost["id"],
        lambda events: [
            {"kind": "given up", "task": lost["task"], "pick": lost["id"], "reason": "test"},
            {**{k: v for k, v in lost.items() if k not in ("id", "at")}, "owner": str(dead)},
        ],
    )
    heard: list[Progress] = []
    assert _work(store, url, heard).run(models=1) == 1
    kinds = [event["kind"] for event in store.events()]
    assert kinds == ["joined", "picked", "given up", "picked", "given up", "picked", "told"]
    assert heard[0].model == picked.model


def test_a_training_says_since_when_it_runs_and_when_that_is_long(url: str) -> None:
    task = _fed(url, "anna")
    store = open_tasks(url)
    picked = _work(store, url, [])._pick(Schedule(), 0.0, 100.0)
    assert picked is not None
    at = 80_000 + picked.limit + LEAST  # it began at 22:13:20
    early = replace(picked, pick=replace(picked.pick, seconds=131.0), until=at)
    said = f"{picked.model} is being trained since 22:13:20 UTC, expected to take 131 s"
    assert being_trained(early, 80_060) == said
    late = replace(early, pick=replace(picked.pick, seconds=20.0))
    said = "expected to take 20 s; 60 s by now, longer than expected; it is ended after 100 s"
    assert being_trained(late, 80_060).endswith(said)
    assert f"{picked.model} is being trained since " in task.outlook()


def test_any_process_reads_the_same_state_from_the_log(url: str) -> None:
    _fed(url, "anna"), _fed(url, "bert", 50)
    store = open_tasks(url)
    _work(store, url, []).run(models=3)
    first, second = Schedule(), Schedule()
    events = store.events()
    first.hear(events)
    for event in events:
        second.hear([event])
    for task in first.joined:
        assert first.outlook(task) == second.outlook(task)


def test_models_are_trained_again_when_a_fifth_of_the_data_is_new(url: str) -> None:
    task = _fed(url, "anna", 40)
    store = open_tasks(url)
    _work(store, url, []).run(models=1)

    def feed(count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(count, 3))
        task.feed(x, ["yes" if row.sum() > 0 else "no" for row in x])

    feed(4, 100)
    _work(store, url, []).run(models=1)
    assert "reopened" not in [event["kind"] for event in store.events()]
    feed(8, 101)
    _work(store, url, []).run(models=1)
    assert "reopened" in [event["kind"] for event in store.events()]
    assert task.models()[-1].data == 3


def test_a_task_that_is_fed_while_it_joins_joins_with_what_was_fed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tw.Task("table(1) -> [no, yes]", name="anna", storage=url)
    store, read, fed = open_tasks(url), TaskStore.examples, list[int]()

    def examples(self: TaskStore, number: int) -> Any:
        if not fed:
            fed.append(1)
            task.feed([[float(k)] for k in range(60)], ["no", "yes"] * 30)
        return read(self, number)

    work = _work(store, url, [])
    monkeypatch.setattr(TaskStore, "examples", examples)
    news = [*work._news(Schedule()), *work._news(Schedule())]
    assert [(event["version"], event["examples"]) for event in news] == [(1, 60)]


def test_a_deleted_task_leaves_the_scheduler(url: str) -> None:
    anna = _fed(url, "anna")
    _fed(url, "bert")
    store = open_tasks(url)
    _work(store, url, []).run(models=2)
    anna.delete()
    _work(store, url, []).run(models=1)
    assert "left" in [event["kind"] for event in store.events()]


def test_nothing_is_left_of_a_task_that_was_deleted_while_it_was_trained(url: str) -> None:
    anna = _fed(url, "anna")

    def hear(progress: Progress) -> None:
        if progress.kind == "picked":
            anna.delete()

    store = open_tasks(url)
    Work(store, url, files_beside(url), hear=hear).run(models=1)
    assert not list(files_beside(url).iterdir())
    assert store.models(anna._id) == []
    assert not [event for event in store.events() if "card" in event]


def test_a_long_training_makes_way_for_a_task_without_a_model(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = _fed(url, "anna")
    store, heard = open_tasks(url), list[Progress]()
    _work(store, url, []).run(models=1)

    def slow_for_anna(trial: Any) -> Any:
        if trial.config["task"] == anna._id:
            time.sleep(600)
        return run(trial)

    def hear(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) == 1:
            _fed(url, "bert")

    made = Work(store, url, files_beside(url), hear=hear)
    monkeypatch.setattr("tunewise.declarative.training.work.run", slow_for_anna)
    assert made.run(models=1) == 1
    told = [(progress.task, progress.kind) for progress in heard]
    assert told == [("anna", "picked"), ("anna", "given up"), ("bert", "picked"), ("bert", "told")]
    assert heard[1].sentence == "a task without a model comes first"
    again = _work(store, url, [])._pick(Schedule(), 0.0, 100.0)
    assert again is not None


def test_the_tasks_of_one_tenant_share_its_weight(url: str) -> None:
    for name, namespace in (("one", "anna"), ("two", "anna"), ("three", "bert")):
        task = tw.Task("table(1) -> [no, yes]", name=name, namespace=namespace, storage=url)
        task.feed([[float(k)] for k in range(10)], ["no", "yes"] * 5)
    store = open_tasks(url)
    _work(store, url, [])._pick(Schedule(), 0.0, 100.0)
    weights = [event["weight"] for event in store.events() if event["kind"] == "joined"]
    assert weights == [0.5, 0.5, 1.0]


def test_whose_tenant_counts_more_is_served_first_from_the_next_pick_on(url: str) -> None:
    for name in ("anna", "bert"):
        task = tw.Task("table(1) -> [no, yes]", name=name, namespace=name, storage=url)
        task.feed([[float(k)] for k in range(10)], ["no", "yes"] * 5)
    store, schedule = open_tasks(url), Schedule("greedy")
    work = _work(store, url, [])
    for _ in range(2):  # everybody is served once, whatever they count
        assert work._pick(schedule, 0.0, 100.0) is not None
    tenants = Tenants(Database(make_url(url)))
    numbers = {task.namespace: task.id for task in store.everyone()}
    for favoured in ("bert", "anna", "bert"):
        for name in numbers:
            tenants.ensure(name)
            tenants.change(name, {"weight": 100.0 if name == favoured else 0.01})
        picked = work._pick(schedule, 0.0, 100.0)
        assert picked is not None and picked.task == numbers[favoured]


@pytest.mark.postgres
def test_a_pick_whose_connection_broke_is_made_once(postgres_url: str) -> None:
    class Broken(Schedule):
        def next(self, *args: Any) -> dict[str, Any] | None:
            if not broken:
                broken.append(1)
                break_connection(postgres_url)
            return super().next(*args)

    broken: list[int] = []
    _fed(postgres_url, "anna").close()
    store = open_tasks(postgres_url)
    schedule = Broken()
    picked = _work(store, postgres_url, [])._pick(schedule, 0.0, 100.0)
    assert picked is not None
    events = [event for event in store.events() if event["kind"] == "picked"]
    assert [event["token"] for event in events] == [picked.token]
    assert list(schedule.running) == [events[0]["id"]]
    store.close()


def test_seconds_are_expected_by_the_length_of_the_series_that_were_fed(url: str) -> None:
    pytest.importorskip("torch", reason="only networks take longer for long series")
    expected = []
    for name, steps in (("short", 3), ("long", 150)):
        task = tw.Task("series(1) -> [no, yes]", name=name, storage=url)
        task.feed([[[float(k)]] * steps for k in range(10)], ["no", "yes"] * 5)
    store = open_tasks(url)
    _work(store, url, [])._pick(Schedule(), 0.0, 100.0)
    for event in store.events():
        if event["kind"] == "joined":
            expected.append(max(event["seconds"].values()))
    assert expected[1] > 5 * expected[0]
