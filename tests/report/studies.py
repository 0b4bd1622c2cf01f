"""Small studies with known numbers, for the tests of the report."""

from typing import Any

import numpy as np

from tunewise.history import Cancelled, Failure, History, Measurement, Outcome, Preempted, Trial
from tunewise.problem import Problem
from tunewise.report.overview import overview
from tunewise.report.sections.subject import Subject
from tunewise.space import Choice, Integer, Ordinal, Real, Space
from tunewise.strategy.strategy import Recommendation
from tunewise.study.store import StudyRecord
from tunewise.surrogate.normal import Normal

SPACE = Space(
    Choice("vm", ["small", "large"]),
    Ordinal("vms", [1, 2, 4]),
    Real("rate", 1e-5, 1e-1, log=True),
    Integer("layers", 1, 4),
)
CONFIG = {"vm": "small", "vms": 2, "rate": 0.01, "layers": 2}


def maximising(**changes: object) -> Problem:
    """Accuracy under a cap on cost, with fractions and a budget."""
    given: dict[str, object] = {
        "maximize": "accuracy",
        "subject_to": ["cost <= 0.02"],
        "fractions": (0.1, 0.5, 1.0),
        "budget": 1.0,
    }
    return Problem(SPACE, **(given | changes))  # type: ignore[arg-type]  # tests change any of them


def told(number: int, outcome: Outcome | None, fraction: float = 1.0, **config: object) -> Trial:
    """A trial with its outcome; without one it is running."""
    trial = Trial(number, CONFIG | config, fraction)
    return trial if outcome is None else trial.told(outcome)


def measured(
    number: int,
    accuracy: float,
    cost: float,
    time: float = 60.0,
    fraction: float = 1.0,
    **config: object,
) -> Trial:
    """A complete trial."""
    metrics = {"accuracy": accuracy, "cost": cost, "time": time}
    return told(number, Measurement(metrics), fraction, **config)


def mixed() -> History:
    """Trials of every state: the best feasible one is number 4, with an accuracy of 0.9."""
    return History(
        [
            measured(0, 0.95, 0.001, fraction=0.5),  # best of all, but on half of the data
            measured(1, 0.80, 0.010),
            measured(2, 0.99, 0.030, vm="large"),  # breaks the cap
            told(3, Failure("out of memory", {"cost": 0.002, "time": 5.0})),
            measured(4, 0.90, 0.020, rate=0.002),  # exactly at the cap
            measured(5, 0.85, 0.015, vms=4),
            told(6, Cancelled("stopped by hand", {"cost": 0.001, "time": 2.0})),
            told(7, Preempted("spot", {"cost": 0.003, "time": 9.0})),
            told(8, None),
        ]
    )


def many(count: int, seed: int = 0) -> History:
    """So many measured trials whose accuracy depends on the rate alone."""
    rng = np.random.default_rng(seed)
    trials = []
    for number in range(count):
        rate = float(10 ** rng.uniform(-5, -1))
        accuracy = 0.9 - 0.05 * (np.log10(rate) + 3) ** 2 + 0.01 * rng.normal()
        config: dict[str, Any] = {
            "vm": str(rng.choice(["small", "large"])),
            "vms": int(rng.choice([1, 2, 4])),
            "layers": int(rng.integers(1, 5)),
        }
        cost = 0.03 * float(rng.random())
        trials.append(measured(number, float(accuracy), cost, rate=rate, **config))
    return History(trials)


def recommended(**changes: object) -> Recommendation:
    """The config of trial 4, with a belief about it."""
    predicted = {"accuracy": Normal(0.9012, 0.0051), "cost": Normal(0.0191, 0.0004)}
    given: dict[str, object] = {
        "config": CONFIG | {"rate": 0.002},
        "predicted": predicted,
        "feasible": 0.973,
    }
    return Recommendation(**(given | changes))  # type: ignore[arg-type]  # tests change any of them


def expected_better(**changes: object) -> Recommendation:
    """Another config, of more accuracy than is unsure of the recommended one."""
    return recommended(predicted={"accuracy": Normal(0.93, 0.02)}, **changes)


def record(name: str = "digits", **notes: object) -> StudyRecord:
    """The record of a study."""
    return StudyRecord(name, {}, {"name": "cherrypick"}, 7, dict(notes), 1_760_000_000.0)


def subject(
    problem: Problem | None = None,
    history: History | None = None,
    given: Recommendation | None = None,
    **notes: object,
) -> Subject:
    """What the sections of a page are about: the mixed study, unless told otherwise."""
    wanted = maximising() if problem is None else problem
    trials = mixed() if history is None else history
    told = record("digits", **notes)
    return Subject(told, wanted, trials, given, overview(wanted, trials, given))
