"""Tenants use a service while its processes and connections are killed: nothing accepted is lost.

Usage: python -m tests.chaos.service [--minutes 30] [--tenants 20] [--seed 0]

A service with accounts runs on PostgreSQL. Each tenant feeds a task, asks its model and looks at
pages. Meanwhile API processes, whoever trains and decides, database connections and the whole
service are killed at random. Found is what was accepted and is not there, what is there twice, and
how long it took after each kill until every page answered again.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import Any
from urllib.request import Request, urlopen

from tests.postgres import binaries, free_port, private_server
from tunewise.declarative.task import Task
from tunewise.service.accounts.secret import TOKEN, Secret
from tunewise.service.context import Context
from tunewise.storage.tasks import open_tasks

PAGES = ("/", "/tasks", "/tasks/points", "/studies", "/trainings", "/account")
NAMED = {"api": "running.process", "worker": "task\0work"}
KINDS = ("api", "worker", "connections", "service")


@dataclass
class Found:
    """What became of it all.

    Attributes:
        kills: By what was killed.
        fed: Examples that were accepted.
        lost: Of those, the ones that are not there.
        twice: Examples that are there twice.
        models: That were trained.
        models_lost: Seen by a tenant, and gone; or of a training that has ended, and never there.
        models_twice: Trainings that left two models, or a model without a training.
        answered: How many times a model answered.
        slowest: Seconds after a kill until every page answered, at most.
        typical: The median of these seconds.
    """

    kills: dict[str, int] = field(default_factory=dict)
    fed: int = 0
    lost: int = 0
    twice: int = 0
    models: int = 0
    models_lost: int = 0
    models_twice: int = 0
    answered: int = 0
    slowest: float = 0.0
    typical: float = 0.0

    @property
    def clean(self) -> bool:
        """Whether nothing was lost or doubled."""
        return not (self.lost or self.twice or self.models_lost or self.models_twice)


class Service:
    """`tunewise serve` at one port, started again when it was killed, as by systemd."""

    def __init__(self, folder: Path, storage: str, workers: int) -> None:
        """Nothing runs before `start`."""
        self._folder, self.storage, self._port = folder, storage, free_port()
        self._words = ["--port", str(self._port), "--workers", str(workers)]
        self.url = f"http://127.0.0.1:{self._port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again."""
        with (self._folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tunewise", "serve", *self._words],
                env={**os.environ, "TUNEWISE_STORAGE": self.storage, "OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )

    def kill(self, kind: str) -> bool:
        """Kill one of its kind, without a warning; False where there is none just now."""
        assert self.process is not None
        if kind == "connections":
            return disconnect(self.storage)
        if kind == "service":
            self.process.kill()
            self.process.wait()
            self.start()
            return True
        for child in children(self.process.pid):
            if NAMED[kind].encode() in words_of(child):
                os.kill(child, signal.SIGKILL)
                return True
        return False

    def stop(self) -> None:
        """End it as an operator does."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    try:
        told = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(each) for each in told.split()]


def words_of(process: int) -> bytes:
    """The command of a process."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def disconnect(storage: str) -> bool:
    """End all sessions of the database but this one."""
    import psycopg

    with psycopg.connect(storage, autocommit=True) as connection:
        every = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        here = "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        return bool(connection.execute(f"{every} {here}".encode()).fetchall())


def trained(model: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a trained model apart."""
    return tuple(model[key] for key in ("name", "fraction", "data", "seconds", "quality"))


class Tenant:
    """Somebody who feeds, asks and looks, and does again what was not answered."""

    def __init__(self, number: int, url: str, token: str) -> None:
        """With a token of its own."""
        self.name, self._number, self._url = f"tenant{number}", number, url
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.accepted: list[list[float]] = []
        self.seen: set[tuple[Any, ...]] = set()
        self.answered = 0

    def ask(self, path: str, body: Any = None, timeout: float = 10.0) -> Any:
        """The answer, or None where there was none."""
        data = None if body is None else json.dumps(body).encode()
        asked = Request(self._url + path, data, self._headers)
        try:
            with urlopen(asked, timeout=timeout) as answer:
                told, kind = answer.read(), answer.headers["content-type"]
                return told if kind.startswith("text/html") else json.loads(told)
        except (OSError, HTTPException, ValueError):  # an answer may be cut in its middle
            return None

    def declare(self) -> None:
        """Make the task, or find that it was made."""
        while self.ask("/api/v1/tasks/points") is None:
            self.ask("/api/v1/tasks", {"name": "points", "program": "table(2) -> [low, high]"})
            time.sleep(0.05)

    def live(self, over: Event, pause: float) -> None:
        """Feed one example after the other, and now and then ask and look."""
        self.declare()
        count = 0
        while not over.is_set():
            point = [float(count), float(self._number)]
            pair = {"input": point, "output": "low" if count % 2 else "high"}
            told = self.ask("/api/v1/tasks/points/examples", {"pairs": [pair]})
            if told is not None:
                assert told["added"] + told["known"] == 1, told
                self.accepted.append(point)
                count += 1
            if count % 5 == 0:
                models = self.ask("/api/v1/tasks/points/models") or {"models": []}
                self.seen |= {
                    trained(one) for one in models["models"] if one["quality"] is not None
                }
                told = self.ask("/api/v1/tasks/points/infer", {"input": point})
                self.answered += told is not None
            over.wait(pause)

    def sees_all_pages(self) -> bool:
        """Whether every page answers."""
        return all(self.ask(path) is not None for path in PAGES)


def chaos(
    folder: Path, storage: str, *, seconds: float, tenants: int, seed: int, pause: float = 2.0
) -> Found:
    """Let tenants live while everything is killed, then look at what is there."""
    service, rng = Service(folder, storage, workers=1), random.Random(seed)
    people = [Tenant(n, service.url, token) for n, token in enumerate(admitted(storage, tenants))]
    found, over, waits = Found(), Event(), list[float]()
    service.start()
    try:
        with ThreadPoolExecutor(tenants) as pool:
            try:
                lives = [pool.submit(one.live, over, pause) for one in people]
                wait_for(people[0])
                kills: Counter[str] = Counter()
                until, next_ = time.monotonic() + seconds, list[str]()
                while time.monotonic() < until or len(kills) < len(KINDS):
                    next_ = next_ or rng.sample(KINDS, len(KINDS))
                    kind = next_.pop()
                    if service.kill(kind):
                        kills[kind] += 1
                        waits.append(wait_for(rng.choice(people)))
                    over.wait(rng.uniform(0.2, 3.0))
            finally:
                over.set()
            for life in lives:
                life.result()
    finally:
        service.stop()
    found.kills, found.slowest = dict(kills), round(max(waits), 1)
    found.typical = round(sorted(waits)[len(waits) // 2], 1)
    return counted(found, folder, storage, people)


def admitted(storage: str, count: int) -> list[str]:
    """Tenants with a member each: their tokens."""
    context, tokens = Context.open(storage), list[str]()
    for number in range(count):
        name, invited, token = f"tenant{number}", Secret.new(), Secret.new(TOKEN)
        context.tenants.create(name)
        context.members.invite(invited.hash, name, "admin", "nobody", 600.0)
        member = context.members.join(invited.hash, "anna", "no password")
        assert member is not None
        context.keys.add_token(token.hash, member, "chaos", token.shown, None, None)
        tokens.append(token.text)
    context.close()
    return tokens


def wait_for(tenant: Tenant, longest: float = 300.0) -> float:
    """Seconds until a tenant sees all pages."""
    began = time.monotonic()
    while not tenant.sees_all_pages():
        assert time.monotonic() < began + longest, "the pages do not come back"
        time.sleep(0.05)
    return time.monotonic() - began


def counted(found: Found, folder: Path, storage: str, people: list[Tenant]) -> Found:
    """Compare what was accepted with what is there."""
    os.chdir(folder)  # where the files of tasks lie
    store = open_tasks(storage)
    told = [event for event in store.events() if event["kind"] == "told"]
    ends = Counter(event["pick"] for event in told)
    found.models_twice = sum(count - 1 for count in ends.values())
    for one in people:
        task = Task.stored(store.within(one.name), storage, "points")
        ids = [example.id for example in task.examples()]
        there = Counter(tuple(float(x) for x in task.example(id)[0]) for id in ids)
        found.fed += len(one.accepted)
        found.lost += sum(tuple(point) not in there for point in one.accepted)
        found.twice += sum(count - 1 for count in there.values())
        models = {trained(asdict(one)) for one in task.models() if one.quality is not None}
        found.models += len(store.models(store.within(one.name).load("points").id))
        found.models_lost += len(one.seen - models)
        found.answered += one.answered
        if models:
            task.infer([1.0, 2.0])  # its file is there too
    found.models_twice += max(found.models - len(told), 0)
    found.models_lost += max(len(told) - found.models, 0)
    store.close()
    return found


def main() -> None:
    """Print what was found, as JSON; 1 where anything was lost or a page took too long."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--tenants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    programs = binaries()
    if programs is None:
        raise SystemExit("no PostgreSQL server is installed")
    with private_server(programs) as storage, tempfile.TemporaryDirectory() as folder:
        how = {"seconds": 60 * asked.minutes, "tenants": asked.tenants, "seed": asked.seed}
        found = chaos(Path(folder), storage, **how)
    print(json.dumps(asdict(found)))
    raise SystemExit(not found.clean or found.slowest > 10)


if __name__ == "__main__":
    main()
