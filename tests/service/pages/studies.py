"""Studies in a store, small or large, for the tests of pages."""

import numpy as np
from sqlalchemy import insert

from tunewise.problem import Problem
from tunewise.space import Choice, Real, Space
from tunewise.storage.schema import studies, trials
from tunewise.storage.sql import SqlStore
from tunewise.study import StudyRecord

SPACE = Space(Choice("vm", ["small", "large"]), Real("rate", 1e-5, 1e-1, log=True))
PROBLEM = Problem(
    SPACE, maximize="accuracy", subject_to=["cost <= 0.02"], fractions=(0.5, 1.0), budget=5.0
)


def filled(store: SqlStore, name: str, count: int, seed: int = 0) -> None:
    """A study with so many trials that have ended, as a store holds them."""
    record = StudyRecord(name, PROBLEM.describe(), {"name": "random"}, seed)
    store.create(record)
    rng = np.random.default_rng(seed)
    store.database.write(
        lambda connection: connection.execute(
            insert(trials),
            [_trial(number, study_id, rng) for study_id in [_id(connection, store, name)]
             for number in range(count)],
        )
        if count
        else None
    )  # fmt: skip


def _id(connection, store: SqlStore, name: str) -> int:  # type: ignore[no-untyped-def]
    here = (studies.c.namespace == store.namespace) & (studies.c.name == name)
    connection.execute(studies.update().where(here).values(revision=10))
    return int(connection.execute(studies.select().where(here)).one().id)


def _trial(number: int, study: int, rng: np.random.Generator) -> dict[str, object]:
    """Every tenth failed, every third used half of the data."""
    cost, fraction = float(rng.uniform(0, 0.03)), 0.5 if number % 3 == 0 else 1.0
    metrics = {"accuracy": float(rng.uniform(0.5, 0.9)), "time": 60.0, "cost": cost}
    measured = {"kind": "measurement", "metrics": metrics, "snapshots": {}, "deviations": {}}
    spent = {"time": 60.0, "cost": cost}
    failed = {"kind": "failure", "reason": "out of memory", "metrics": spent}
    return {
        "study_id": study,
        "number": number,
        "config": {"vm": "small" if number % 2 else "large", "rate": float(rng.uniform(1e-4, 0.1))},
        "fraction": fraction,
        "snapshots": [],
        "enqueued": False,
        "state": "complete" if number % 10 else "failed",
        "outcome": measured if number % 10 else failed,
        "lost": {},
        "asked_at": 1e9 + number,
        "told_at": 1e9 + number + 0.5,
        "stop": False,
        "revision": 1 + number % 10,
        "usd": cost,
        "seconds": 60.0,
    }
