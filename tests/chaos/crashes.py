"""A PostgreSQL server that crashes again and again under a study: nobody waits for ever.

Usage: python -m tests.chaos.crashes [--restarts 60] [--seed 0]

The server is ended as `pg_ctl -m immediate` does it, every few seconds, while a study is run by
`tune`, by `tune` and `work`, or by four times `work`, with and without `fsync`. Found are studies
that stall, trials that are lost, and trials that were run twice.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.postgres import Server, binaries, stoppable_server
from tunewise.job.jobfile import parse
from tunewise.storage import open_store
from tunewise.study import Study
from tunewise.study.record import JobText, Notes

MODES = {"tune": (1, 0), "tune + work": (1, 1), "4 x work": (0, 4)}
"""How many processes of `tune` and of `work` there are."""

PAUSES = (1.0, 5.0)
"""Seconds between crashes."""

STALLED = 90.0
"""Seconds without a crash and without a trial that was told, after which a study has stalled."""

JOB = """\
name: s
python: job.py:run
space: {x: {real: [0, 1]}}
maximize: accuracy
strategy: random
seed: 0
trials: TRIALS
"""

PYTHON = """\
import os
import time
from pathlib import Path


def run(trial):
    file = os.open(Path(__file__).with_name("ledger"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{trial.number}\\n".encode())
    os.close(file)
    time.sleep(0.1 * trial.config["x"])
    return {"accuracy": trial.config["x"]}
"""


@dataclass
class Found:
    """What went wrong, and how much there was that could."""

    studies: int = 0
    restarts: int = 0
    trials: int = 0
    stalled: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing did."""
        return not (self.stalled or self.lost or self.doubled)

    def __str__(self) -> str:
        """In a sentence."""
        return (
            f"{self.restarts} hard restarts under {self.studies} studies of {self.trials} trials:"
            f" {len(self.stalled)} stalled, {len(self.lost)} lost, {len(self.doubled)} doubled"
        )


@dataclass(frozen=True)
class Play:
    """One study on a server that crashes."""

    server: Server
    folder: Path
    mode: str
    trials: int
    pauses: tuple[float, float] = PAUSES

    def run(self, restarts: int, chance: random.Random, found: Found) -> None:
        """Crash the server at most so often while the study runs, and look at what is left."""
        self.folder.mkdir(parents=True)
        (self.folder / "job.py").write_text(PYTHON)
        text, path = JOB.replace("TRIALS", str(self.trials)), self.folder / "job.yaml"
        path.write_text(text)
        self._begin(text, path)
        tunes, works = MODES[self.mode]
        commands = [["tune", str(path)]] * tunes + [["work", "--study", "s"]] * works
        processes = [self._started(command) for command in commands]
        try:
            self._await_all(processes)
            left = restarts
            while left and self._runs(processes, chance.uniform(*self.pauses)):
                self.server.stop(hard=True)
                self.server.start()
                left -= 1
            found.restarts += restarts - left
            if not self._ended(processes):
                found.stalled.append(f"{self.mode}: {self._told()} of {self.trials} trials")
        finally:
            for process in processes:
                process.kill()
                process.wait()
        found.studies += 1
        found.trials += self._told()
        self._examine([process.returncode for process in processes], found)

    def _begin(self, text: str, path: Path) -> None:
        file = parse(text, path)
        with Study(file.problem, file.strategy, 0, self.server.url, "s") as study:
            (self.folder / "runs").mkdir()
            notes = Notes(folder=str(self.folder / "runs"), job=JobText(str(path), text, {}))
            study.store.annotate("s", notes.changed("folder", "job"))

    def _started(self, command: list[str]) -> "subprocess.Popen[bytes]":
        with (self.folder / "out.txt").open("ab") as out:
            tunewise = str(Path(sys.executable).with_name("tunewise"))
            words = [tunewise, *command, "--storage", self.server.url]
            return subprocess.Popen([*words, "--quiet"], stdout=out, stderr=out, cwd=self.folder)

    def _await_all(self, processes: "list[subprocess.Popen[bytes]]") -> None:
        """Wait until each process has a trial: a server that is away at first is said at once."""
        import psycopg

        seen: set[str] = set()
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            while len(seen) < len(processes) and self._runs(processes, 0.02):
                rows = connection.execute("SELECT owner FROM tunewise_trials WHERE owner <> ''")
                seen |= {owner for (owner,) in rows}

    def _runs(self, processes: "list[subprocess.Popen[bytes]]", seconds: float) -> bool:
        """Whether some process still runs after so many seconds."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and any(p.poll() is None for p in processes):
            time.sleep(0.02)
        return any(p.poll() is None for p in processes)

    def _ended(self, processes: "list[subprocess.Popen[bytes]]") -> bool:
        """Whether all end by themselves, as long as trials are told meanwhile."""
        told = -1
        while told != (told := self._told()):
            if not self._runs(processes, STALLED):
                return True
        return False

    def _told(self) -> int:
        store = open_store(self.server.url)
        try:
            return sum(not trial.state.pending for trial in store.history("s"))
        finally:
            store.close()

    def _examine(self, codes: list[int], found: Found) -> None:
        store = open_store(self.server.url)
        history = store.history("s")
        store.delete("s")
        store.close()
        ledger = self.folder / "ledger"
        ran = Counter(map(int, ledger.read_text().split() if ledger.exists() else []))
        here, said = f"{self.mode} in {self.folder}", (self.folder / "out.txt").read_text()
        whole = [t.number for t in history if t.state == "complete"] == list(range(self.trials))
        if not whole or any(codes):
            found.lost.append(f"{here}: {history!r}, exit codes {codes}: {said[-500:]}")
        found.doubled += [f"{here}: trial {n} ran {k} times" for n, k in ran.items() if k > 1]


def main() -> int:
    """Run it, say what was found."""
    parser = argparse.ArgumentParser(prog="make crashes")
    parser.add_argument("--restarts", type=int, default=60, help="for each mode, fsync on and off")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    programs, chance, clean = binaries(), random.Random(asked.seed), True
    assert programs is not None, "no PostgreSQL server is installed"
    with tempfile.TemporaryDirectory(prefix="tunewise-crashes-") as folder:
        for fsync in ("on", "off"):
            with stoppable_server(programs, (f"fsync={fsync}",)) as server:
                for mode in MODES:
                    began, found = time.monotonic(), Found()
                    while found.restarts < asked.restarts and found.clean:
                        place = Path(folder) / fsync / mode / str(found.studies)
                        left = asked.restarts - found.restarts
                        Play(server, place, mode, trials=150).run(left, chance, found)
                    seconds = time.monotonic() - began
                    print(f"{mode}, fsync {fsync}: {found} ({seconds:.0f} s)", flush=True)
                    wrong = [*found.stalled, *found.lost, *found.doubled]
                    print("".join(f"{line}\n" for line in wrong), end="", flush=True)
                    clean = clean and found.clean
    return 0 if clean else 1


if __name__ == "__main__":
    raise SystemExit(main())
