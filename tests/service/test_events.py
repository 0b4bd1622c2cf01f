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

PATIENCE = 60.0
"""Seconds after which a test gives up, whatever the machine is busy with."""


class Listener:
    """Reads a stream of events in a thread."""

    def __init__(self, server: Server, topics: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._socket = opened(server, topics)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines:
            for line in lines:
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line[6:]))

    def revision(self, topic: str, after: int = -1) -> int:
        """The first that is told of a topic and newer than another."""
        deadline = time.monotonic() + PATIENCE
        while True:
            told = [event["revision"] for event in list(self.events) if event["topic"] == topic]
            if newer := [each for each in told if each > after]:
                return int(newer[0])
            assert time.monotonic() < deadline, self.events
            time.sleep(0.02)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._socket.close()


def opened(server: Server, topics: str) -> socket.socket:
    host, _, port = server.url.removeprefix("http://").partition(":")
    stream = socket.create_connection((host, int(port)))
    stream.sendall(f"GET /events?topics={topics} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return stream


def test_a_stream_tells_where_its_topics_stand_and_then_each_change(running: Server) -> None:
    task = Task("table(2) -> [a, b]", name="t", storage=running.storage)
    listener = Listener(running, "task:t,tasks")
    before = {topic: listener.revision(topic) for topic in ("task:t", "tasks")}
    task.feed([([1, 2], "a")])
    assert all(listener.revision(topic, seen) > seen for topic, seen in before.items())
    listener.close()


def test_who_was_away_learns_the_revision_on_coming_back(running: Server) -> None:
    task = Task("table(2) -> [a, b]", name="away", storage=running.storage)
    one = Listener(running, "task:away")
    seen = one.revision("task:away")
    one.close()
    task.feed([([1, 2], "a")])
    again = Listener(running, "task:away")
    assert again.revision("task:away", seen) > seen
    again.close()


def test_changes_of_others_are_not_told(running: Server) -> None:
    mine = Task("table(2) -> [a, b]", name="mine", storage=running.storage)
    listener = Listener(running, "task:mine")
    before = listener.revision("task:mine")
    theirs = Task("table(2) -> [a, b]", name="mine", storage=running.storage, namespace="other")
    for value in range(20):  # each raises its revision by one at least
        theirs.feed([([value, 2], "a")])
    mine.feed([([3, 4], "b")])
    listener.revision("task:mine", before)
    assert max(event["revision"] for event in listener.events) < before + 20
    listener.close()


def test_a_wrong_topic_is_refused(running: Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="422") as refused:
        urllib.request.urlopen(f"{running.url}/events?topics=weather")
    refused.value.close()


def test_an_open_stream_does_not_keep_the_service_from_ending(tmp_path: Path) -> None:
    with started(tmp_path, "--no-accounts", "--workers", "0") as server:
        stream = opened(server, "tasks")
        assert b"200 OK" in stream.recv(1000)
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
        stream.close()
