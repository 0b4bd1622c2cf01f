"""Who decides has no successor to wait for: the right ends with the process or its silence."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres import break_connection
from tunewise.storage.tasks import TaskStore, open_tasks

DECIDE = """
import sys, time
from tunewise.storage.tasks import open_tasks, store

store._SILENT = 1.0

def choose(events):
    print(len(events), flush=True)
    sys.stdin.readline()
    return [] if events else [{"kind": "picked", "task": 1}]

open_tasks(sys.argv[1]).decide(int(sys.argv[2]), choose)
print("over", flush=True)
"""


@contextmanager
def _deciding(url: str, since: int) -> Iterator["subprocess.Popen[str]"]:
    """A process that has the right to decide, and thinks until it is told to go on."""
    words = [sys.executable, "-c", DECIDE, url, str(since)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "0\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def _last(store: TaskStore) -> int:
    return max((event["id"] for event in store.events()), default=0)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgres_url"))


def test_another_decides_as_soon_as_one_was_killed_and_nothing_of_it_is_left(url: str) -> None:
    store = open_tasks(url)
    since = _last(store)
    with _deciding(url, since) as process:
        process.kill()
        process.wait()
        store.decide(since, lambda events: [{"kind": "left", "task": 1}])
    assert [event["kind"] for event in store.events(since)] == ["left"]
    store.close()


@pytest.mark.postgres
def test_one_that_was_stopped_loses_the_right_and_decides_anew(postgres_url: str) -> None:
    store = open_tasks(postgres_url)
    since = _last(store)
    with _deciding(postgres_url, since) as process:
        os.kill(process.pid, signal.SIGSTOP)
        store.decide(since, lambda events: [{"kind": "left", "task": 1}])
        os.kill(process.pid, signal.SIGCONT)
        told, _ = process.communicate("\n\n", timeout=60)
    assert told.split() == ["1", "over"]
    assert [event["kind"] for event in store.events(since)] == ["left"]
    store.close()


@pytest.mark.postgres
def test_what_is_decided_while_connections_break_is_kept_once(postgres_url: str) -> None:
    store, since, asked = open_tasks(postgres_url), 0, list[int]()

    def choose(events: list[dict[str, object]]) -> list[dict[str, object]]:
        asked.append(len(events))
        if len(asked) == 1:
            break_connection(postgres_url)
        return [{"kind": "left", "task": 1}]

    store.decide(since, choose)
    assert asked == [0, 0]
    assert len(store.events(since)) == 1
    store.close()


@pytest.mark.postgres
def test_a_model_that_is_told_again_because_the_connection_broke_is_there(
    postgres_url: str,
) -> None:
    store, asked = open_tasks(postgres_url), list[int]()
    task = store.create("told again", "text -> 2 classes", {}).id
    since = _last(store)
    told = {"kind": "told", "task": task, "card": {"model": "ridge"}}

    def choose(events: list[dict[str, object]]) -> Iterator[dict[str, object]]:
        asked.append(len(events))
        yield told
        if len(asked) == 1:
            break_connection(postgres_url)  # the model was written, but not for good
        yield {"kind": "left", "task": task}

    store.decide(since, choose)  # type: ignore[arg-type]
    assert asked == [0, 0]
    assert [event["kind"] for event in store.events(since)] == ["told", "left"]
    assert [card["model"] for card in store.models(task)] == ["ridge"]
    store.close()
