"""Random kills of studies: nothing lost, nothing doubled, nothing left running, the same history.

Usage: python -m tests.chaos.kills [--kills 1000] [--at-once 4] [--seed 0] [--stores sqlite]

A study runs in a forked process that is killed at a random moment, again and again, until all its
trials are complete; mostly the study's own process is killed, sometimes one that watches over a
trial. Strategies take turns, one trial or two at once.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tunewise as tw
from tests.execution.processes import alive
from tests.postgres import binaries, private_server
from tunewise.execution.process_tree import descendants
from tunewise.history import History, Trial, TrialState
from tunewise.storage import open_store
from tunewise.strategy import STRATEGIES, StrategySpec
from tunewise.study.run.threads import one_thread

TRIALS = 10
KILLS = 15
"""How often one study is killed at most, so that every strategy has its turn."""

PARTICULAR = {"machines"}
"""Strategies that take no problem such as this one; others may, and `lynceus` builds them."""

PROBLEM = tw.Problem(
    tw.Space(tw.Ordinal("x", [1, 2, 4, 8]), tw.Ordinal("y", [0, 1, 2, 3, 4])),
    maximize="accuracy",
    subject_to="cost <= 0.02",
    fractions=(0.25, 1.0),
    price=lambda config: 0.5 * config["x"],
)


@dataclass
class Found:
    """What all studies of a run have shown.

    Attributes:
        kills: Processes that were killed.
        studies: Studies that came to their end.
        lost: Told trials that were not there later, or not the same.
        doubled: Trials that were run again though their result was kept, or two of one number.
        orphans: Processes of a job that outlived its end.
        different: Trials that an unbroken study would not have asked for.
    """

    kills: int = 0
    studies: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.lost or self.doubled or self.orphans or self.different)


class Series:
    """One study after the other in a folder of its own, each killed until it is complete."""

    def __init__(self, folder: Path, make_url: Callable[[], str], seed: int) -> None:
        self.folder, self._make_url = folder, make_url
        self._chance = random.Random(seed)
        self.found = Found()

    def run(self, kills: int, turns: Iterator[tuple[str, int]]) -> Found:
        """Until so many processes were killed."""
        while self.found.kills < kills:
            strategy, parallel = next(turns)
            Chased(self, strategy, parallel, self._make_url()).run(self._chance, kills)
            self.found.studies += 1
        return self.found


class Chased:
    """One study, through all its kills."""

    def __init__(self, series: Series, strategy: str, parallel: int, url: str) -> None:
        self.found, self.strategy, self.parallel, self.url = series.found, strategy, parallel, url
        self.folder = Path(tempfile.mkdtemp(dir=series.folder, prefix=f"{strategy}-{parallel}-"))
        self.seed = 7
        self._told: dict[int, Trial] = {}
        self._kept: dict[int, int] = {}

    def run(self, chance: random.Random, kills: int) -> None:
        """Kill it until it is complete; without more kills than are wanted in all."""
        longest, ended, most = 0.6, False, min(kills, self.found.kills + KILLS)
        while not ended:
            killing = self.found.kills < most
            ended = self._live(chance.uniform(0.02, longest) if killing else None, chance)
            longest *= 1.04  # a slow machine gets through all the same
        self._check_end()

    def _live(self, seconds: float | None, chance: random.Random) -> bool:
        """One life of the study's process; whether it came to the end of the study."""
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                code = self._study()
            finally:
                os._exit(code)
        ended = _wait(pid, seconds)
        if ended is None:
            watchers = [p for p in descendants(pid) if _is_ours(p)]
            victim = chance.choice(watchers) if watchers and chance.random() < 0.15 else pid
            _kill(victim)
            self.found.kills += 1
            if victim != pid:
                ended = _wait(pid, 0.3)
                if ended is None:
                    _kill(pid)
            if ended is None:
                ended = _wait(pid, None)
            self._check_kill()
        return ended == 0

    def _study(self) -> int:
        with tw.Study(PROBLEM, self.strategy, self.seed, self.url, "s", lease=30.0) as study:
            asked = study.strategy.suggest

            def noted(history: History, count: int) -> Any:
                # Whoever asks for the last time before a trial is added decided it.
                known = [t.number for t in history if t.outcome is not None]
                suggested = asked(history, count)
                self._note("asks", json.dumps([len(history), known]))
                return suggested

            study.strategy.suggest = noted  # type: ignore[method-assign] # to look over its shoulder
            study.optimize(
                self._job,
                trials=TRIALS,
                parallel=self.parallel,
                retries=50,
                folder=self.folder / "runs",
                progress=False,
            )
            # A strategy may have a rule of its own by which it stops earlier.
            done = len(study.history.complete) == TRIALS or study.strategy.stops(study.history)
            return 0 if done else 3

    def _job(self, trial: Trial) -> dict[str, float]:
        self._note("ledger", f"start {trial.number} {os.getpid()}")
        time.sleep(0.02)
        x, y = trial.config["x"], trial.config["y"]
        self._note("ledger", f"done {trial.number} {os.getpid()}")
        accuracy = 0.5 + 0.04 * x - 0.004 * x * x - 0.01 * (y - 2) ** 2
        return {"accuracy": accuracy * trial.fraction**0.1, "time": (20.0 + y) / x * trial.fraction}

    def _note(self, name: str, line: str) -> None:
        # One write to a file opened for appending is whole, whenever the process is killed.
        file = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{line}\n".encode())
        os.close(file)

    def _check_kill(self) -> None:
        """What was told before stays as it was; nothing of the killed process goes on."""
        name = f"{self.folder.name} after {self.found.kills} kills"
        pids = [int(words[2]) for words in self._ledger()]
        until = time.monotonic() + 30
        while left := [pid for pid in pids if alive(pid)]:
            if time.monotonic() > until:
                self.found.orphans.append(f"{name}: {left}")
                break
            time.sleep(0.01)
        now = {t.number: t for t in self._history() if t.outcome is not None}
        for number, trial in self._told.items():
            if now.get(number) != trial:
                self.found.lost.append(f"{name}: trial {number}")
        self._told = now
        starts = Counter(int(words[1]) for words in self._ledger() if words[0] == "start")
        for file in (self.folder / "runs").glob("*/result.json"):
            if json.loads(file.read_text())["outcome"]["kind"] == "measurement":
                self._kept.setdefault(int(file.parent.name), starts[int(file.parent.name)])

    def _check_end(self) -> None:
        self._check_kill()
        name, history = self.folder.name, self._history()
        if [t.number for t in history] != list(range(len(history))):
            self.found.doubled.append(f"{name}: {[t.number for t in history]}")
        starts = Counter(int(words[1]) for words in self._ledger() if words[0] == "start")
        for number, before in self._kept.items():
            if starts[number] != before:
                self.found.doubled.append(f"{name}: trial {number} ran again")
        for number, wanted in self._as_unbroken(history):
            if (history[number].config, history[number].fraction) != wanted:
                self.found.different.append(f"{name}: trial {number}")

    def _as_unbroken(self, history: History) -> Iterator[tuple[int, Any]]:
        """What a study without kills asks for when the same trials have been told."""
        strategy = StrategySpec.of(self.strategy).build(PROBLEM, self.seed)
        lines = (self.folder / "asks").read_text().splitlines()
        known = {number: set(told) for number, told in map(json.loads, lines)}
        for number, told in known.items():
            if number >= len(history):
                continue
            seen = [_as_seen(trial, trial.number in told) for trial in history[:number]]
            with one_thread():
                (first, *_) = strategy.suggest(History(seen), 1)
            yield number, (first.config, first.fraction)

    def _history(self) -> History:
        store = open_store(self.url)
        try:
            return store.history("s")
        except tw.TunewiseError:
            return History()  # it was killed before there was a study
        finally:
            store.close()

    def _ledger(self) -> list[list[str]]:
        file = self.folder / "ledger"
        return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def _as_seen(trial: Trial, told: bool) -> Trial:
    """The trial as an ask saw it: with its outcome, or still running."""
    if told:
        return trial
    return replace(trial, state=TrialState.RUNNING, outcome=None, reported={}, told_at=None)


def _is_ours(pid: int) -> bool:
    """Whether a process is one that watches over trials, and not one of a job."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return bool(descendants(pid)) or parent == os.getpid()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _wait(pid: int, seconds: float | None) -> int | None:
    """The exit code of a child; None while it lives after so many seconds."""
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if until is not None and time.monotonic() > until:
            return None
        time.sleep(0.005)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it ended just now


def turns(strategies: list[str], first: int) -> Iterator[tuple[str, int]]:
    """Every strategy with one and with two trials at once, in turn."""
    pairs = [(name, parallel) for name in strategies for parallel in (1, 2)]
    while True:
        yield pairs[first % len(pairs)]
        first += 1


@contextmanager
def places(stores: list[str], folder: Path) -> Iterator[Callable[[], str]]:
    """A function that gives the URL of a new empty store, of each kind in turn."""
    import itertools

    import psycopg

    with ExitStack() as stack:
        programs = binaries()
        server = ""
        if "postgres" in stores and programs is not None:
            server = stack.enter_context(
                private_server(programs, ("fsync=off", "max_connections=300"))
            )
        numbers = itertools.count()

        def make() -> str:
            number = next(numbers)
            if stores[number % len(stores)] == "sqlite" or not server:
                return f"sqlite:///{folder}/{os.getpid()}-{number}.db"
            schema = f"chaos_{os.getpid()}_{number}"
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {schema}".encode())
            return f"{server}?options=-csearch_path%3D{schema}"

        yield make


def at_once(count: int, work: Callable[[int], Found]) -> list[Found]:
    """What so many forked processes find, each by itself."""
    pipes = []
    for i in range(count):
        ours, theirs = os.pipe()
        if os.fork() == 0:
            try:
                os.write(theirs, json.dumps(work(i).__dict__).encode())
            finally:
                os._exit(0)
        os.close(theirs)
        pipes.append(ours)
    found = []
    for pipe in pipes:
        with os.fdopen(pipe, "rb") as said:
            text = said.read()
        found.append(Found(**json.loads(text)) if text else Found(lost=["a series broke off"]))
    for _ in range(count):
        os.wait()
    return found


def chaos(
    kills: int,
    series: int,
    seed: int,
    stores: list[str],
    folder: Path,
    strategies: list[str],
) -> Found:
    """Kill so many processes of studies, some series at once, and add up what was found."""
    for name in strategies:
        StrategySpec.of(name).build(PROBLEM, 0)  # imported once, before the forks
    with places(stores, folder) as make_url:
        share = -(-kills // series)

        def work(i: int) -> Found:
            one = Series(folder, make_url, seed + i)
            return one.run(share, turns(strategies, 2 * len(strategies) * i // series))

        parts = at_once(series, work)
    total = Found()
    for part in parts:
        for name, value in part.__dict__.items():
            setattr(total, name, getattr(total, name) + value)
    return total


def main() -> int:
    """Run it, say what was found."""
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stores", default="sqlite,postgres")
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tunewise-chaos-") as folder:
        found = chaos(
            asked.kills,
            asked.at_once,
            asked.seed,
            asked.stores.split(","),
            Path(folder),
            [name for name in STRATEGIES.names() if name not in PARTICULAR],
        )
    counts = ", ".join(
        f"{len(value)} {name}" for name, value in found.__dict__.items() if isinstance(value, list)
    )
    seconds = time.monotonic() - began
    print(f"{found.kills} kills in {found.studies} studies: {counts} ({seconds:.0f} s)")
    for name in ("lost", "doubled", "orphans", "different"):
        for line in getattr(found, name):
            print(f"{name}: {line}")
    return 0 if found.clean else 1


if __name__ == "__main__":
    raise SystemExit(main())
