"""Kills feeders and workers at random moments, and looks whether anything was lost or doubled."""

import argparse
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.declarative.training.schedule import Schedule
from tunewise.declarative.training.work import Work
from tunewise.storage.tasks import open_tasks
from tunewise.storage.tasks.opening import files_beside

PROGRAM = "table(3) -> [no, yes]"


def main() -> None:
    """Print what was found after all kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(machine.described())
    with tempfile.TemporaryDirectory() as folder:
        print(survived(Path(folder), options.kills, options.seed))


def survived(folder: Path, kills: int, seed: int = 0, longest: float = 4.0) -> dict[str, int]:
    """Kill so often, workers within so many seconds; then check that all is there, and go on.

    Raises:
        AssertionError: Where something was lost, doubled or cannot go on.
    """
    url, rng = f"sqlite:///{folder / 'store.db'}", random.Random(seed)
    tw.Task(PROGRAM, name="one", storage=url).feed(*_rows(0, 60))
    # Imported once, so that children spend their short lives on what is tested.
    Work(open_tasks(url), url, files_beside(url))._warm()
    fork = multiprocessing.get_context("fork")
    for number in range(kills):
        feeding = number % 3 != 0
        target, arguments = (_feed, (url, folder, number)) if feeding else (_train, (url,))
        child = fork.Process(target=target, args=arguments)
        child.start()
        time.sleep(rng.uniform(0.02, 0.5 if feeding else longest))
        if child.pid is not None and child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
        child.join()
    return _checked(url, folder)


def _rows(batch: int, count: int) -> tuple[Any, list[str]]:
    x = np.random.default_rng(batch).normal(size=(count, 3)).astype(np.float32)
    return x, ["yes" if row.sum() > 0 else "no" for row in x]


def _feed(url: str, folder: Path, number: int) -> None:
    """Feed batch after batch, and write down which were accepted."""
    os.setsid()
    task = tw.Task(name="one", storage=url)
    for batch in range(1000 * number + 1, 1000 * number + 400):
        task.feed(*_rows(batch, 5))
        with (folder / "accepted").open("a") as file:
            file.write(f"{batch}\n")
            file.flush()
            os.fsync(file.fileno())


def _train(url: str) -> None:
    store = open_tasks(url)
    Work(store, url, files_beside(url)).run(60)


def _checked(url: str, folder: Path) -> dict[str, int]:
    task, store = tw.Task(name="one", storage=url), open_tasks(url)
    file = folder / "accepted"
    accepted = [int(line) for line in file.read_text().split()] if file.exists() else []
    rows = store.examples(task._id)
    assert max(Counter(row.content for row in rows).values()) == 1, "an example is doubled"
    again = 0
    for batch in accepted:
        fed = task.feed(*_rows(batch, 5), dry_run=True)
        again += fed.known
        assert fed.added == 0, f"examples of batch {batch} were lost"
    for row in rows:
        task.example(f"e{row.number}") if row.number % 50 == 1 else None
    cards = store.models(task._id)
    for card in cards:
        for part in ("graph", "encoder", "losses"):
            task._files.get(card[part])
    schedule = Schedule()
    schedule.hear(store.events())
    before = len(cards)
    trained = Work(store, url, files_beside(url)).run(None, models=1)
    told = [event["pick"] for event in store.events() if event["kind"] == "told"]
    assert len(told) == len(set(told)) == len(store.models(task._id)), "a training is doubled"
    assert trained == 1 or schedule.outlook(task._id) is not None
    answer = task.infer([1.0, 1.0, 1.0])
    assert answer.value in ("no", "yes")
    return {"accepted": again, "examples": len(rows), "models": before, "after": trained}


if __name__ == "__main__":
    main()
