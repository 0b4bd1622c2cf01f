"""`kill -9` at any point of `tunewise tune` loses nothing and pays for nothing twice.

Each test runs one study to its end through many killed processes, and compares it with the study
of an unbroken run. The job notes when a trial is started and when it is done; a trial whose result
was written is never started again.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cli.shell import SECONDS, clean_environment, job, started
from tests.cli.test_tune import history
from tunewise.execution.result import FILE
from tunewise.history import History

ROOT = Path(__file__).resolve().parents[2]
SUICIDE = Path(__file__).with_name("suicide.py")

WORK = """\
import os, time

def note(line):
    # One write to a file opened for appending is whole, whenever the process is killed.
    file = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, (line + "\\n").encode())
    os.close(file)

def train(trial):
    note(f"start {trial.number}")
    time.sleep(0.06)
    x, y = trial.config["x"], trial.config["y"]
    note(f"done {trial.number}")
    return {"accuracy": round(1 - (x - 0.3) ** 2 - 0.02 * y, 6), "time": 10.0 + y}
"""

TRIALS = 18
RANDOM_KILLS = 7

SCRIPTED = {
    "asking": [
        *(("create", moment, 1) for moment in ("before", "after")),
        *((point, "before", 1) for point in ("ask", "claim", "suggest", "add")),
        *((point, "after", 2) for point in ("ask", "claim", "suggest", "add")),
    ],
    "running": [
        *(("submit", moment, 1) for moment in ("before", "after")),
        *(("wait", moment, 1) for moment in ("before", "after")),
        *(("recover", moment, 1) for moment in ("before", "after")),
        *(("result", "before", count) for count in (1, 2)),
    ],
    "telling": [
        *(("tell", "before", count) for count in (1, 2)),
        *(("tell", "after", count) for count in (1, 2)),
        *(("result", "after", count) for count in (1, 2)),
        *(("annotate", moment, n) for moment in ("before", "after") for n in (2, 3)),
    ],
    "committing": [("commit", "before", count) for count in range(1, 11)],
}


BOTH = ["random", pytest.param("cherrypick", marks=pytest.mark.long)]


class Forks:
    """Processes that run the command, forked from one that has imported everything already."""

    def __init__(self) -> None:
        self._zygote = subprocess.Popen(
            [sys.executable, SUICIDE],
            env={**clean_environment(), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, folder: Path, point: str | None, moment: str, count: int, *words: str) -> int:
        """Fork a process that dies at the point; returns its pid."""
        assert self._zygote.stdin is not None
        line = [str(folder), point, moment, count, *words]
        self._zygote.stdin.write(json.dumps(line) + "\n")
        self._zygote.stdin.flush()
        return self._heard()

    def wait(self) -> int:
        """The exit code of the process that was started last."""
        return self._heard()

    def _heard(self) -> int:
        assert self._zygote.stdout is not None
        return int(self._zygote.stdout.readline())

    def close(self) -> None:
        self._zygote.communicate()


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.close()


class Tuning:
    """One study that is tuned by one process after the other."""

    def __init__(
        self, folder: Path, forks: Forks, strategy: str, trials: int, parallel: int = 1
    ) -> None:
        self.folder, self.forks = folder, forks
        self.ledger = folder / "ledger.txt"
        self.trials, self.parallel, self.kills = trials, parallel, 0
        self.path = job(
            folder,
            strategy=strategy,
            trials=trials,
            parallel=parallel,
            env={"LEDGER": str(self.ledger)},
        )
        (folder / "work.py").write_text(WORK)
        self._finished: dict[int, int] = {}

    def words(self) -> list[str]:
        return ["tune", str(self.path), "--quiet"]

    def killed_at(self, point: str, moment: str, count: int) -> None:
        """Run until the process has killed itself at a point."""
        self.forks.start(self.folder, point, moment, count, *self.words())
        assert self.forks.wait() == -signal.SIGKILL, f"{point} {moment} {count} was not reached"
        self._buried()

    def forked_and_killed(self, starts: int, seconds: float) -> None:
        """Kill a forked process when so many more trials have started and some time has passed."""
        aim = len(self.started()) + starts
        pid = self.forks.start(self.folder, None, "", 0, *self.words())
        self._until(aim, seconds)
        os.kill(pid, signal.SIGKILL)
        assert self.forks.wait() == -signal.SIGKILL
        self._buried()

    def started_and_killed(self, starts: int, seconds: float) -> None:
        """The same with the command as it is installed."""
        aim = len(self.started()) + starts
        process = started(*self.words(), cwd=self.folder)
        self._until(aim, seconds)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        self._buried()

    def _until(self, aim: int, seconds: float) -> None:
        until = time.monotonic() + SECONDS
        while len(self.started()) < aim:
            assert time.monotonic() < until, "no trial was started"
            time.sleep(0.002)
        time.sleep(seconds)

    def _buried(self) -> None:
        """After a kill: which trials are finished, and how often each was started until now."""
        self.kills += 1
        starts = Counter(self.started())
        for result in (self.folder / "tunewise.db.runs" / "quick").glob(f"*/{FILE}"):
            number = int(result.parent.name)
            self._finished.setdefault(number, starts[number])

    def completed(self) -> None:
        """Run to the end, and check that nothing was lost and nothing paid twice."""
        self.forks.start(self.folder, None, "", 0, *self.words())
        assert self.forks.wait() == 0
        starts = Counter(self.started())
        again = {n: starts[n] - before for n, before in self._finished.items()}
        assert not any(again.values()), f"finished trials were started again: {again}"
        assert starts.total() <= self.trials + self.kills * self.parallel, "a kill costs what runs"
        assert sorted(set(self._lines("done"))) == list(range(self.trials))
        assert [t.number for t in history(self.folder)] == list(range(self.trials))

    def started(self) -> list[int]:
        return self._lines("start")

    def _lines(self, word: str) -> list[int]:
        if not self.ledger.exists():
            return []
        pairs = (line.split() for line in self.ledger.read_text().splitlines())
        return [int(number) for said, number in pairs if said == word]


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Callable[[str], History]:
    """The history of an unbroken study, by strategy."""

    @cache
    def tuned(strategy: str) -> History:
        folder = tmp_path_factory.mktemp(strategy)
        Tuning(folder, forks, strategy, TRIALS).completed()
        return history(folder)

    return tuned


@pytest.mark.parametrize("strategy", BOTH)
@pytest.mark.parametrize(
    "phase",
    [pytest.param(p, marks=() if p == "running" else pytest.mark.long) for p in SCRIPTED],
)
def test_killed_in_each_phase_the_study_equals_the_unbroken_one(
    tmp_path: Path, forks: Forks, unbroken: Callable[[str], History], phase: str, strategy: str
) -> None:
    tuning = Tuning(tmp_path, forks, strategy, trials=14)
    for point, moment, count in SCRIPTED[phase]:
        tuning.killed_at(point, moment, count)
    tuning.completed()
    assert tuning.kills == len(SCRIPTED[phase])
    assert history(tmp_path) == unbroken(strategy)[:14]


@pytest.mark.long
@pytest.mark.parametrize("strategy", BOTH)
def test_killed_at_random_moments_the_study_equals_the_unbroken_one(
    tmp_path: Path, forks: Forks, unbroken: Callable[[str], History], strategy: str
) -> None:
    chance = random.Random(len(strategy))
    tuning = Tuning(tmp_path, forks, strategy, TRIALS)
    for _ in range(RANDOM_KILLS):
        tuning.forked_and_killed(chance.choice((1, 1, 2)), chance.uniform(0, 0.12))
    tuning.completed()
    assert history(tmp_path) == unbroken(strategy)


@pytest.mark.long
def test_killed_as_a_person_would_the_study_equals_the_unbroken_one(
    tmp_path: Path, forks: Forks, unbroken: Callable[[str], History]
) -> None:
    tuning = Tuning(tmp_path, forks, "random", TRIALS)
    for seconds in (0.0, 0.04):
        tuning.started_and_killed(2, seconds)
    tuning.completed()
    assert history(tmp_path) == unbroken("random")


def test_killed_with_two_trials_at_once_nothing_is_lost_or_paid_twice(
    tmp_path: Path, forks: Forks
) -> None:
    chance = random.Random(4)
    tuning = Tuning(tmp_path, forks, "random", TRIALS, parallel=2)
    for _ in range(5):
        tuning.forked_and_killed(chance.choice((2, 3)), chance.uniform(0, 0.12))
    tuning.completed()
    assert len(history(tmp_path).complete) == TRIALS


def test_many_more_than_50_processes_are_killed() -> None:
    assert 2 * sum(map(len, SCRIPTED.values())) + 2 * RANDOM_KILLS >= 80
