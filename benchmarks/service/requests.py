"""Many requests a second from one process: connections that are kept, and a pace."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Measured:
    """What became of the requests.

    Attributes:
        seconds: Until each answer, of those that came.
        failed: Statuses of those that were none.
        lasted: Seconds in all.
    """

    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    lasted: float = 0.0

    def share(self, part: float) -> float:
        """Seconds below which a share of the answers came."""
        ordered = sorted(self.seconds)
        return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else 0.0


async def load(
    host: str,
    port: int,
    request: Callable[[int], bytes],
    *,
    rate: float,
    seconds: float,
    connections: int,
) -> Measured:
    """Send at a pace for a while; what waits longer than the pace allows is sent late."""
    told, numbers = Measured(), iter(range(10**9))
    began = time.perf_counter()

    async def work(place: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        step = connections / rate
        due = began + place * step / connections
        while due < began + seconds:
            await asyncio.sleep(max(due - time.perf_counter(), 0))
            sent = time.perf_counter()
            writer.write(request(next(numbers)))
            status = await _answered(reader)
            if status.startswith("2"):
                told.seconds.append(time.perf_counter() - sent)
            else:
                told.failed.append(status)
            due = max(due + step, time.perf_counter() - 5 * step)
        writer.close()

    await asyncio.gather(*(work(place) for place in range(connections)))
    told.lasted = time.perf_counter() - began
    return told


async def _answered(reader: asyncio.StreamReader) -> str:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status = head.split(" ", 2)[1]
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            await reader.readexactly(int(value))
            return status
        if name.lower() == "transfer-encoding":
            while size := int(await reader.readline(), 16):
                await reader.readexactly(size + 2)
            await reader.readline()
            return status
    return status


def posted(path: str, body: bytes) -> bytes:
    """A request with a JSON body."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def got(path: str) -> bytes:
    """A request for a page."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n".encode()
