"""The store at a million trials, and the scheduler at a hundred thousand users."""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert

import tunewise as tw
from tunewise.storage.opening import open_store
from tunewise.storage.schema import studies, trials
from tunewise.storage.sql import SqlStore

CHUNK = 20_000


def store(count: int) -> dict[str, float]:
    """Processor seconds of telling a trial, and of opening the study, with so many in SQLite."""
    space = tw.Space(tw.Choice("vm", ["small", "large"]), tw.Real("rate", 1e-5, 1e-1, log=True))
    problem = tw.Problem(space, maximize="accuracy")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/large.db"
        with tw.Study(problem, "random", seed=0, storage=url, name="large"):
            pass
        _fill(url, count)
        began = time.process_time()
        study = tw.Study(problem, "random", seed=0, storage=url, name="large")
        opened = time.process_time() - began
        trial = study.ask()
        asked = time.process_time() - began - opened
        began = time.process_time()
        study.tell(trial, {"accuracy": 0.5, "time": 1.0, "cost": 0.1})
        told = time.process_time() - began
        study.close()
        size = Path(folder, "large.db").stat().st_size / 2**20
    return {"open": opened, "ask": asked, "tell": told, "file_mb": size}


def _fill(url: str, count: int) -> None:
    kept = open_store(url)
    assert isinstance(kept, SqlStore)
    rng = np.random.default_rng(0)

    def work(connection: Any) -> None:
        study = int(connection.execute(studies.select()).one().id)
        for first in range(0, count, CHUNK):
            numbers = range(first, min(first + CHUNK, count))
            connection.execute(insert(trials), [_row(n, study, rng) for n in numbers])

    kept.database.write(work)
    kept.close()


def _row(number: int, study: int, rng: np.random.Generator) -> dict[str, object]:
    metrics = {"accuracy": float(rng.random()), "time": 60.0, "cost": 0.01}
    outcome = {"kind": "measurement", "metrics": metrics, "snapshots": {}, "deviations": {}}
    return {
        **{"study_id": study, "number": number, "fraction": 1.0, "snapshots": [], "lost": {}},
        **{"config": {"vm": "small", "rate": float(rng.uniform(1e-4, 0.1))}, "enqueued": False},
        **{"state": "complete", "outcome": outcome, "asked_at": 1e9, "told_at": 1e9 + 1},
        **{"stop": False, "revision": 1, "usd": 0.01, "seconds": 60.0},
    }


def scheduler(users: int) -> dict[str, float]:
    """Processor seconds of a decision with so many users and 200 models."""
    from benchmarks.tenancy_speed import scheduled

    join, seconds = scheduled(users, 200, 100)
    return {"join": join, "decide": float(np.median(seconds)), "slowest": max(seconds)}


PLACES = {"store": (store, (1000, 100_000, 1_000_000)), "scheduler": (scheduler, (1000, 100_000))}
