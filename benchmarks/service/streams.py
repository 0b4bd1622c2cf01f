"""How soon a change is with everybody who listens: `python -m benchmarks.service.streams`."""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from benchmarks.service.load import api_process, cpu
from tests.service.server import Server, started
from tunewise.declarative.task import Task


def main() -> None:
    """Print one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--changes", type=int, default=20)
    asked = parser.parse_args()
    options = ("--no-accounts", "--workers", "0", "--no-jobs")
    with (
        tempfile.TemporaryDirectory() as folder,
        started(Path(folder), *options) as server,
    ):
        print(json.dumps(asyncio.run(measure(server, asked.streams, asked.changes))))


async def measure(server: Server, streams: int, changes: int) -> dict[str, object]:
    """Open all streams, then change one task again and again."""
    task = Task("table(2) -> [a, b]", name="watched", storage=server.storage)
    host, _, port = server.url.removeprefix("http://").partition(":")
    readers = [await listen(host, int(port)) for _ in range(streams)]
    last = max(await asyncio.gather(*(event(reader) for reader in readers)))
    process, waits = api_process(server), list[float]()
    before = cpu(process)

    async def heard(reader: asyncio.StreamReader, since: float, before: int) -> int:
        while (revision := await event(reader)) <= before:
            pass  # what it knew already
        waits.append(time.perf_counter() - since)
        return revision

    for number in range(changes):
        since = time.perf_counter()  # the write to the disk is counted too
        listening = [asyncio.create_task(heard(reader, since, last)) for reader in readers]
        await asyncio.to_thread(task.feed, [([number, number], "a")])
        last = max(await asyncio.gather(*listening))
    task.close()
    waits.sort()
    return {
        "streams": streams,
        "changes": changes,
        "p50_ms": round(1000 * waits[len(waits) // 2], 1),
        "p99_ms": round(1000 * waits[int(0.99 * len(waits))], 1),
        "cpu_ms_per_event": round(1000 * (cpu(process) - before) / len(waits), 3),
    }


async def listen(host: str, port: int) -> asyncio.StreamReader:
    """A stream that is open."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET /events?topics=task:watched HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    OPEN.append(writer)
    return reader


OPEN: list[asyncio.StreamWriter] = []
"""Kept, since a writer that nobody holds is closed."""


async def event(reader: asyncio.StreamReader) -> int:
    """The revision of the next event, past what only says that the stream is alive."""
    while True:
        _, found, data = (await reader.readuntil(b"\n\n")).partition(b"data: ")
        if found:
            return int(json.loads(data.splitlines()[0])["revision"])


if __name__ == "__main__":
    main()
