"""One study through everything that breaks: at its end each trial and each cent is accounted for.

Usage: python -m tests.chaos.faults [--executor process|ray] [--away 60] [--rounds 2]

Jobs kill themselves, leak memory and processes, never end, ignore every wish to end, and fill the
disk that their folders are on; meanwhile the PostgreSQL server that keeps the study is stopped for
a while, as if it had crashed. On Ray, workers and a whole node are killed too. Each job notes how
long it has lived: so much must have been booked.
"""

import argparse
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tunewise as tw
from tests.postgres import Server, binaries, stoppable_server
from tunewise.errors import StorageError
from tunewise.execution import ProcessExecutor
from tunewise.study.executor import TrialExecutor

KINDS = ("good", "dies", "leaks", "endless", "fills", "good", "deaf", "litters")
PRICE = 3600.0
"""USD per hour: a second costs a dollar."""

MEMORY = 600 * 2**20
TIMEOUT = 3.0
BEAT = 0.05
ROUNDING = 1e-6


@dataclass
class Found:
    """What went wrong, and how much there was that could."""

    trials: int = 0
    attempts: int = 0
    states: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """In a sentence."""
        told = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items()))
        return f"{self.trials} trials ({told}), {self.attempts} attempts: {len(self.wrong)} wrong"


def job_of(place: Path) -> Callable[[Any], dict[str, float]]:
    """A job that does what its number wants, and notes in `place` how long it lives."""
    kinds, beat, folder, memory = KINDS, BEAT, str(place), MEMORY

    def job(trial: Any) -> dict[str, float]:
        kind = kinds[trial.number % len(kinds)]
        first = not trial.lost
        file = os.path.join(folder, f"{trial.number}.{os.getpid()}")
        began = time.monotonic()

        def live(seconds: float) -> None:
            while time.monotonic() < began + seconds:
                with open(f"{file}.new", "w") as out:
                    json.dump({"pids": [os.getpid()], "lived": time.monotonic() - began}, out)
                os.replace(f"{file}.new", file)
                time.sleep(beat)

        trial.report(accuracy=0.1, fraction=0.1)
        live(0.3)
        if kind == "dies" and first:
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "leaks":
            held = []
            while True:
                held.append(bytearray(memory // 20))
                live(time.monotonic() - began + beat)
        if kind in ("endless", "deaf"):
            if kind == "deaf":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            live(1000.0)
        if kind == "litters" and os.fork() == 0:
            os.setsid()
            live(1000.0)
        if kind == "fills":
            with open(os.path.join(folder, "..", "disk", "ballast"), "wb", buffering=0) as out:
                try:
                    while True:
                        out.write(bytes(65536))
                except OSError:
                    print("the disk is full", flush=True)
        return {"accuracy": 0.5}

    return job


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A disk of 2 MB on the folder, where this user may mount one."""
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def outage(server: Server, seconds: float, began: Callable[[], bool]) -> threading.Thread:
    """Stop the server for so long, as soon as something has begun."""

    def work() -> None:
        while not began():
            time.sleep(0.05)
        server.stop(hard=True)
        time.sleep(seconds)
        server.start()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def play(
    server: Server,
    executor: TrialExecutor,
    folder: Path,
    away: float,
    rounds: int = 1,
    meanwhile: Callable[[Path], None] = lambda lives: None,
) -> Found:
    """Run the study to its end, and look at what is left."""
    lives, disk = folder / "lives", folder / "disk"
    lives.mkdir(parents=True)
    disk.mkdir()
    space = tw.Space(tw.Real("x", 0.0, 1.0))
    problem = tw.Problem(
        space, maximize="accuracy", fractions=(0.1, 1.0), price=lambda config: PRICE, budget=1e6
    )
    trials = rounds * len(KINDS)
    with small_disk(disk), tw.Study(problem, "random", 0, server.url, "faults") as study:
        gone = outage(server, away, lambda: any(lives.glob("2.*")))
        breaking = threading.Thread(target=meanwhile, args=(lives,), daemon=True)
        breaking.start()
        settings: dict[str, Any] = {"trial_timeout": TIMEOUT, "retries": 1, "progress": False}
        job = job_of(lives)
        with executor:
            while True:
                try:
                    study.optimize(
                        job, trials, parallel=2, executor=executor, folder=disk, **settings
                    )
                    break
                except StorageError:
                    gone.join()  # it broke in a commit, which may not be repeated: run it again
        gone.join()
        breaking.join()
        return examined(study, lives, trials)


def examined(study: tw.Study, lives: Path, trials: int) -> Found:
    """What is wrong with the history, measured by what the jobs noted themselves."""
    found = Found(trials=len(study.history))
    if [trial.number for trial in study.history] != list(range(trials)):
        found.wrong.append(f"the trials are {[trial.number for trial in study.history]}")
    lived: dict[int, float] = {}
    for file in lives.glob("*.*"):
        number, _, rest = file.name.partition(".")
        if rest.endswith(".new"):
            continue
        said = json.loads(file.read_text())
        lived[int(number)] = lived.get(int(number), 0.0) + said["lived"]
        found.attempts += 1
        found.wrong += [f"trial {number}: {p} lives on" for p in said["pids"] if alive(p)]
    for trial in study.history:
        found.states[str(trial.state)] = found.states.get(str(trial.state), 0) + 1
        if trial.state.pending:
            found.wrong.append(f"{trial} has not ended")
        booked = trial.spent["time"]
        # Two processes of one trial live at once; its own one is the first of them.
        own = lived.get(trial.number, 0.0)
        if KINDS[trial.number % len(KINDS)] != "litters" and booked < own - BEAT:
            found.wrong.append(f"{trial}: {booked:.2f} s booked, it lived {own:.2f} s")
        if abs(trial.spent["cost"] - PRICE / 3600 * booked) > ROUNDING * max(booked, 1.0):
            found.wrong.append(f"{trial}: {trial.spent['cost']} USD for {booked} s")
    total = sum(trial.spent["cost"] for trial in study.history)
    if abs(study.spent["cost"] - total) > ROUNDING * max(total, 1.0):
        found.wrong.append(f"the study spent {study.spent['cost']}, its trials {total}")
    return found


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def on_this_machine(away: float, rounds: int) -> Found:
    """All of it in processes of this machine."""
    programs = binaries()
    assert programs is not None, "no PostgreSQL server is installed"
    with (
        TemporaryDirectory(prefix="tunewise-faults-") as folder,
        stoppable_server(programs) as server,
    ):
        executor = ProcessExecutor(2, memory=MEMORY, grace=1.0)
        return play(server, executor, Path(folder), away, rounds)


def on_ray(away: float, rounds: int) -> Found:
    """The same on a Ray of three nodes, of which a worker and then a whole node are killed."""
    from tests.execution.ray.nodes import kill_worker, nodes
    from tunewise.execution.ray import RayExecutor

    programs = binaries()
    assert programs is not None, "no PostgreSQL server is installed"
    with (
        TemporaryDirectory(prefix="tunewise-faults-") as folder,
        stoppable_server(programs) as server,
        nodes(cpus=(2, 2)) as cluster,
    ):

        def break_it(lives: Path) -> None:
            while not any(lives.glob("3.*")):
                time.sleep(0.05)
            kill_worker()
            cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)

        wanted = {"CPU": 1, "memory": MEMORY}
        executor = RayExecutor(2, resources=wanted, grace=1.0)
        return play(server, executor, Path(folder), away, rounds, break_it)


def main() -> int:
    """Run it, say what was found."""
    parser = argparse.ArgumentParser(prog="make faults")
    parser.add_argument("--executor", choices=["process", "ray"], default="process")
    parser.add_argument("--away", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    began = time.monotonic()
    run = on_ray if asked.executor == "ray" else on_this_machine
    found = run(asked.away, asked.rounds)
    print(f"{asked.executor}, store away for {asked.away:g} s: {found}")
    print(f"({time.monotonic() - began:.0f} s)")
    for line in found.wrong:
        print(line)
    return 1 if found.wrong or not found.trials else 0


if __name__ == "__main__":
    raise SystemExit(main())
