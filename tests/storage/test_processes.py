"""Several processes work on one study at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.storage.worker import STUDY
from tunewise.history import TrialState
from tunewise.storage import open_store
from tunewise.study import Owner, StudyRecord

ROOT = Path(__file__).resolve().parents[2]

Worker = subprocess.Popen[str]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    return str(request.getfixturevalue("postgres_url"))


@contextmanager
def working(url: str, *modes: str, trials: int = 10) -> Iterator[list[Worker]]:
    """Worker processes that are ready, the first of them at work; none outlives the block."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.storage.worker", url, mode, str(trials)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for mode in modes
    ]
    try:
        for worker in workers:
            assert next_line(worker) == "ready"
        go(workers[0])
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def go(*workers: Worker) -> None:
    """Let them work."""
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()


def next_line(worker: Worker) -> str:
    assert worker.stdout is not None
    return worker.stdout.readline().strip()


def told_by(worker: Worker) -> list[int]:
    """The trials that a worker says it told, after it ended well."""
    output, _ = worker.communicate(timeout=600)
    assert worker.returncode == 0
    return [int(line.split()[1]) for line in output.splitlines()]


@pytest.mark.parametrize(
    ("count", "trials"), [(3, 40), pytest.param(8, 200, marks=pytest.mark.long)]
)
def test_processes_ask_and_tell_each_trial_once_though_one_is_killed(
    url: str, count: int, trials: int
) -> None:
    modes = ["hang while running", *["work"] * (count - 1)]
    with working(url, *modes, trials=trials) as (victim, *others):
        # The others begin when the victim holds one: else they might have done all before.
        told = []
        while (line := next_line(victim)).startswith("told"):
            told.append(int(line.split()[1]))
        held = int(line.removeprefix("running "))
        go(*others)
        store = open_store(url)
        while len(store.history(STUDY)) < trials // 2:
            time.sleep(0.01)
        os.kill(victim.pid, signal.SIGKILL)  # not waited for: a zombie is dead too
        shares = {worker.pid: told_by(worker) for worker in others}
        shares[victim.pid] = told
    history = store.history(STUDY)
    store.close()
    assert [trial.number for trial in history] == list(range(trials))
    assert {trial.state for trial in history} == {TrialState.COMPLETE}
    # Each was asked on a history of its own: nobody asked twice, nobody overtook.
    assert [trial.config["seen"] for trial in history] == list(range(trials))
    # And each was told by the one process that says so, the victim's by another.
    assert sorted(n for share in shares.values() for n in share) == list(range(trials))
    assert all(history[n].metrics == {"pid": pid} for pid, ns in shares.items() for n in ns)
    assert held not in told
    assert sum(bool(share) for share in shares.values()) >= count // 2


def test_the_right_to_ask_of_a_killed_process_is_passed_on_at_once(url: str) -> None:
    with working(url, "hang while asking") as (victim,):
        assert next_line(victim) == "asking"
        os.kill(victim.pid, signal.SIGKILL)
        store = open_store(url)
        with store.asking(STUDY, Owner.here()):
            pass  # its lease would have kept us longer than a test may take
        store.close()


def test_a_forked_process_uses_connections_of_its_own(url: str) -> None:
    code = (
        "import os, sys\n"
        "from tunewise.history import Measurement\n"
        "from tunewise.storage import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "store.history('shared')\n"
        "child = os.fork()\n"
        "for number in range(0 if child else 1, 20, 2):\n"
        "    store.tell('shared', number, Measurement({'accuracy': 0.5}))\n"
        "    store.history('shared')\n"
        "store.close()\n"
        "if child:\n"
        "    sys.exit(os.waitpid(child, 0)[1])\n"
    )
    store = open_store(url)
    store.create(StudyRecord(STUDY, {}, {}, 0))
    for _ in range(20):
        store.add(STUDY, {"x": 1}, 1.0, (), None, 60)
    done = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(store.history(STUDY).complete) == 20
    store.close()
