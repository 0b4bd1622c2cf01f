"""Live events of a real server process: told to whoever wants to know, and to nobody else."""

import json
import socket
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.service.server import Server, started
from tunewise.declarative.task import Task


class Listener:
    """Reads a stream of events in a thread."""

    def __init__(self, server: Server, topics: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._answer = urllib.request.urlopen(f"{server.url}/events?topics={topics}", timeout=60)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._answer:
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError):
            return

    def until(self, count: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + 20
        while len(self.events) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.events

    def close(self) -> None:
        self._answer.close()


def test_a_stream_tells_where_its_topics_stand_and_then_each_change(running: Server) -> None:
    task = Task("table(2) -> [a, b]", name="t", storage=running.storage)
    listener = Listener(running, "task:t,tasks")
    first = listener.until(2)
    assert {event["topic"] for event in first} == {"task:t", "tasks"}
    before = next(event["revision"] for event in first if event["topic"] == "task:t")
    task.feed([([1, 2], "a")])
    told = listener.until(4)[2:]
    assert {event["topic"] for event in told} == {"task:t", "tasks"}
    assert next(e["revision"] for e in told if e["topic"] == "task:t") > before
    listener.close()


def test_who_was_away_learns_the_revision_on_coming_back(running: Server) -> None:
    task = Task("table(2) -> [a, b]", name="away", storage=running.storage)
    one = Listener(running, "task:away")
    seen = one.until(1)[0]["revision"]
    one.close()
    task.feed([([1, 2], "a")])
    again = Listener(running, "task:away")
    assert again.until(1)[0]["revision"] > seen
    again.close()


def test_changes_of_others_are_not_told(running: Server) -> None:
    Task("table(2) -> [a, b]", name="mine", storage=running.storage)
    listener = Listener(running, "task:mine,tasks")
    listener.until(2)
    theirs = Task("table(2) -> [a, b]", name="mine", storage=running.storage, namespace="other")
    theirs.feed([([1, 2], "a")])
    mine = Task(name="mine", storage=running.storage)
    mine.feed([([3, 4], "b")])
    told = listener.until(4)
    assert len(told) == 4
    listener.close()


def test_a_wrong_topic_is_refused(running: Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="422"):
        urllib.request.urlopen(f"{running.url}/events?topics=weather")


def test_an_open_stream_does_not_keep_the_service_from_ending(tmp_path: Path) -> None:
    with started(tmp_path, "--no-accounts", "--workers", "0") as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        stream = socket.create_connection((host, int(port)))
        stream.sendall(b"GET /events?topics=tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"200 OK" in stream.recv(1000)
        server.process.terminate()
        assert server.process.wait(15) == 0
        stream.close()
