"""How many requests one process of a service answers: `python -m benchmarks.service.load`.

A service is started with one API process, on PostgreSQL unless --storage says otherwise, and asked
from this process. Wall times are those of a machine that both share; the CPU of the API process is
told too.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from benchmarks.service.requests import Measured, got, load, posted
from tests.postgres import binaries, private_server
from tests.service.server import Server, started
from tunewise.declarative.task import Task

WIDE = 200
"""Numbers of an example: about 2 KB of JSON."""

TARGETS = {"feed": (300, 32), "infer": (1000, 32), "home": (50, 8)}
"""Requests a second that are asked for, and connections: 30 are needed for 300 of 100 ms."""


def main() -> None:
    """Print one line of JSON for each kind of request."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kinds", default="feed,infer,home,feed+infer")
    parser.add_argument("--storage", help="default: a PostgreSQL server of its own")
    parser.add_argument("--rate", type=float, default=1.0, help="times the target")
    asked = parser.parse_args()
    with place(asked.storage) as storage, tempfile.TemporaryDirectory() as folder:
        options = ("--no-accounts", "--workers", "0", "--no-jobs")
        with started(Path(folder), *options, storage=storage) as server:
            declare(server)
            for kinds in asked.kinds.split(","):
                print(json.dumps(measure(server, kinds.split("+"), asked.seconds, asked.rate)))


@contextmanager
def place(storage: str | None) -> Iterator[str]:
    """The URL of the store."""
    programs = binaries()
    if storage is None and programs is None:
        raise SystemExit("no PostgreSQL is installed; give --storage")
    made = nullcontext(storage) if storage or programs is None else private_server(programs)
    with made as url:
        assert url is not None
        yield url


def declare(server: Server) -> None:
    """A task to feed, and one that answers."""
    os.chdir(Path(server.log).parent)
    Task(f"table({WIDE}) -> [low, high]", name="fed", storage=server.storage).close()
    asked = Task("table(4) -> [low, high]", name="asked", storage=server.storage)
    rows = [[i % 7, i / 100, 1.0, i % 3] for i in range(200)]
    asked.feed(rows, ["low" if row[0] < 4 else "high" for row in rows])
    asked.train(60.0, models=2)
    asked.close()


def requests() -> dict[str, Callable[[int], bytes]]:
    """By kind: the request of a number."""
    rng = random.Random(0)

    def feed(number: int) -> bytes:
        values = [round(rng.random(), 6) for _ in range(WIDE)]
        pair = {"input": values, "output": "low" if values[0] < 0.5 else "high"}
        return posted("/api/v1/tasks/fed/examples", json.dumps({"pairs": [pair]}).encode())

    one = posted("/api/v1/tasks/asked/infer", b'{"input": [3, 0.5, 1, 2]}')
    return {"feed": feed, "infer": lambda number: one, "home": lambda number: got("/")}


def measure(server: Server, kinds: list[str], seconds: float, times: float) -> dict[str, object]:
    """Send one kind of request, or several at once."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    process = api_process(server)
    before, made = cpu(process), requests()

    async def both() -> list[Measured]:
        return await asyncio.gather(
            *(
                load(
                    host,
                    int(port),
                    made[kind],
                    rate=times * TARGETS[kind][0] / len(kinds),
                    seconds=seconds,
                    connections=TARGETS[kind][1],
                )
                for kind in kinds
            )
        )

    told = asyncio.run(both())
    used, count = cpu(process) - before, sum(len(one.seconds) for one in told)
    return {
        "kinds": kinds,
        "per_second": [round(len(one.seconds) / one.lasted, 1) for one in told],
        "p50_ms": [round(1000 * one.share(0.5), 1) for one in told],
        "p99_ms": [round(1000 * one.share(0.99), 1) for one in told],
        "failed": [len(one.failed) for one in told],
        "cpu_ms_per_request": round(1000 * used / max(count, 1), 3),
    }


def api_process(server: Server) -> int:
    """The process that answers."""
    own = server.process.pid
    for child in Path(f"/proc/{own}/task/{own}/children").read_text().split():
        if "running.process" in Path(f"/proc/{child}/cmdline").read_text():
            return int(child)
    raise SystemExit("the API process is not there")


def cpu(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
