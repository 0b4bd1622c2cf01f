"""Live events: what changed, encoded once and sent to everybody who wants to know.

A page says which topics it shows: `study:NAME`, `training:NAME`, `task:NAME`, or the lists
`studies`, `trainings` and `tasks`. It is told the revision of each at once, and again whenever it
rises; then it asks for what is new. So a page that was asleep has missed nothing.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tunewise.storage.database import Database
from tunewise.storage.looking.changes import Change, changes, now, of_list, revisions

POLL = 0.2
"""Seconds between looks into the store, while anybody listens."""

BEAT = 15.0
"""Seconds after which a silent stream says that it is alive."""

LISTS = {"study": "studies", "training": "trainings", "task": "tasks"}
Topic = tuple[str, str]
"""A namespace and what of it."""


class Stream(Response):
    """One listener: holds the newest event of each topic until it is sent."""

    def __init__(self, hub: "Hub", topics: list[Topic]) -> None:
        """For these topics."""
        super().__init__()
        self._hub, self.topics = hub, topics
        self._pending: dict[Topic, bytes] = {}
        self._woken = asyncio.Event()

    def tell(self, topic: Topic, event: bytes) -> None:
        """Have an event sent; one of the same topic that still waits is not worth sending."""
        self._pending[topic] = event
        self._woken.set()

    def wake(self) -> None:
        """Have it look whether it is to end."""
        self._woken.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with events until the client goes."""
        kept = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        headers = [*kept, (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        with self._hub.listening(self):
            await self._hub.catch_up(self)
            gone = asyncio.create_task(_gone(receive))
            try:
                while not gone.done() and not self._hub.closed:
                    await self._send_some(send, gone)
            finally:
                gone.cancel()
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b""})

    async def _send_some(self, send: Send, gone: "asyncio.Task[None]") -> None:
        woken = asyncio.create_task(self._woken.wait())
        await asyncio.wait((woken, gone), timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
        woken.cancel()
        self._woken.clear()
        waiting, self._pending = self._pending, {}
        body = b"".join(waiting.values()) or b": alive\n\n"
        if not gone.done():
            await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Hub:
    """Looks for changes as long as anybody listens, once for all who do."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database
        self._streams: defaultdict[Topic, set[Stream]] = defaultdict(set)
        self._seen: dict[Topic, int] = {}
        self._since = 0.0
        self._looking: asyncio.Task[None] | None = None
        self.closed = False

    @contextlib.contextmanager
    def listening(self, stream: Stream) -> Iterator[None]:
        """Count a stream among those who are told."""
        for topic in stream.topics:
            self._streams[topic].add(stream)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            for topic in stream.topics:
                self._streams[topic].discard(stream)
                if not self._streams[topic]:
                    del self._streams[topic]

    async def catch_up(self, stream: Stream) -> None:
        """Tell a stream where its topics stand."""
        found = await run_in_threadpool(revisions, self._database, stream.topics, LISTS)
        for topic, revision in found.items():
            stream.tell(topic, encoded(topic, max(revision, self._seen.get(topic, 0))))

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        if self._looking is not None:
            self._looking.cancel()
        for stream in set().union(*self._streams.values()):
            stream.wake()

    async def _look(self) -> None:
        self._since = await run_in_threadpool(now, self._database)
        while self._streams and not self.closed:
            await asyncio.sleep(POLL)
            found = await run_in_threadpool(changes, self._database, self._since)
            self._tell(found)
            self._since = max([self._since, *(one.at for one in found)])
        self._seen.clear()

    def _tell(self, found: Iterable[Change]) -> None:
        newest: dict[Topic, int] = {}
        for one in found:
            newest[one.namespace, f"{one.kind}:{one.name}"] = one.revision
            lists = one.namespace, LISTS[one.kind]
            newest[lists] = max(newest.get(lists, 0), of_list(one.at))
        for topic, revision in newest.items():
            if self._seen.get(topic) != revision:
                event = encoded(topic, revision)
                for stream in self._streams.get(topic, ()):
                    stream.tell(topic, event)
        self._seen = newest  # what is not in it is older than what is looked at again


def encoded(topic: Topic, revision: int) -> bytes:
    """An event as it is sent."""
    data = orjson.dumps({"topic": topic[1], "revision": revision})
    return b"event: change\ndata: " + data + b"\n\n"
