"""`kill -9` at any point of `tunewise tune` loses nothing and pays for nothing twice.

Each test runs one study to its end through many killed processes, and compares it with the study
of an unbroken run. The job notes when a trial is started and when it is done; a trial whose result
was written is never started again.
"""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.shell import SECONDS, TUNEWISE, clean_environment, job, tunewise
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
        *(("result", "before", count) for count in (1, 2)),
        *(("recover", moment, 2) for moment in ("before", "after")),
    ],
    "telling": [
        *(("tell", "before", count) for count in (1, 2)),
        *(("tell", "after", count) for count in (1, 2)),
        *(("result", "after", count) for count in (1, 2)),
        *(("annotate", moment, 2) for moment in ("before", "after")),
    ],
    "committing": [("commit", "before", count) for count in range(1, 11)],
}


class Tuning:
    """One study that is tuned by one process after the other."""

    def __init__(self, folder: Path, strategy: str, trials: int) -> None:
        self.folder = folder
        self.ledger = folder / "ledger.txt"
        self.trials, self.kills = trials, 0
        (folder / "work.py").write_text(WORK)
        self.path = job(
            folder, command=None, python="work.py:train", strategy=strategy, trials=trials,
            env={"LEDGER": str(self.ledger)},
        )  # fmt: skip
        self._finished: dict[int, int] = {}

    def words(self) -> list[str]:
        return ["tune", str(self.path), "--quiet"]

    def killed_at(self, point: str, moment: str, count: int) -> None:
        """Run until the process has killed itself at a point."""
        done = subprocess.run(
            [sys.executable, SUICIDE, point, moment, str(count), *self.words()],
            cwd=self.folder,
            env={**clean_environment(), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == -signal.SIGKILL, f"{point} {moment} {count}: {done.stderr}"
        self._buried()

    def killed_after(self, starts: int, seconds: float) -> bool:
        """Kill the command when so many more trials have started and some time has passed.

        False when it has come to its end before.
        """
        aim = len(self.started()) + starts
        process = subprocess.Popen(
            [TUNEWISE, *self.words()],
            cwd=self.folder,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while len(self.started()) < aim and process.poll() is None:
            time.sleep(0.002)
        time.sleep(seconds)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            return False
        self._buried()
        return True

    def _buried(self) -> None:
        """After a kill: which trials are finished, and how often each was started until now."""
        self.kills += 1
        starts = Counter(self.started())
        for result in (self.folder / "tunewise.db.runs" / "quick").glob(f"*/{FILE}"):
            number = int(result.parent.name)
            self._finished.setdefault(number, starts[number])

    def completed(self) -> None:
        """Run to the end, and check that nothing was lost and nothing paid twice."""
        done = tunewise(*self.words(), cwd=self.folder)
        assert done.returncode == 0, done.stderr
        starts = Counter(self.started())
        again = {n: starts[n] - before for n, before in self._finished.items()}
        assert not any(again.values()), f"finished trials were started again: {again}"
        assert starts.total() <= self.trials + self.kills, "a kill costs one attempt at most"
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
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, History]:
    """The histories of unbroken studies, by strategy."""
    histories = {}
    for name in ("random", "cherrypick"):
        folder = tmp_path_factory.mktemp(name)
        Tuning(folder, name, TRIALS).completed()
        histories[name] = history(folder)
    return histories


@pytest.mark.parametrize("strategy", ["random", "cherrypick"])
@pytest.mark.parametrize("phase", SCRIPTED)
def test_killed_in_each_phase_the_study_equals_the_unbroken_one(
    tmp_path: Path, unbroken: dict[str, History], phase: str, strategy: str
) -> None:
    # Half of the points with each strategy: starting takes longer than all that follows.
    points = SCRIPTED[phase][::2] if strategy == "random" else SCRIPTED[phase][1::2]
    tuning = Tuning(tmp_path, strategy, trials=10)
    for point, moment, count in points:
        tuning.killed_at(point, moment, count)
    tuning.completed()
    assert tuning.kills == len(points)
    assert history(tmp_path) == unbroken[strategy][:10]


@pytest.mark.parametrize(("strategy", "seed"), [("random", 1), ("random", 2), ("cherrypick", 3)])
def test_killed_at_random_moments_the_study_equals_the_unbroken_one(
    tmp_path: Path, unbroken: dict[str, History], strategy: str, seed: int
) -> None:
    chance = random.Random(seed)
    tuning = Tuning(tmp_path, strategy, TRIALS)
    while tuning.kills < RANDOM_KILLS:
        assert tuning.killed_after(chance.choice((1, 1, 2)), chance.uniform(0, 0.12))
    tuning.completed()
    assert history(tmp_path) == unbroken[strategy]


def test_at_least_50_processes_are_killed() -> None:
    assert sum(map(len, SCRIPTED.values())) + 3 * RANDOM_KILLS >= 50
