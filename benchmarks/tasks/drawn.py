"""Many machines drawn from measured trainings: seconds until the average loss is small, by rule.

Each machine has twelve tasks, drawn from the measurements that ship as the prior: one of each kind
and several tables, each made larger or smaller by a factor, with expected seconds that are off by
a factor of their own. What a drawn task itself measured is left out of the prior, so that of most
kinds it knows nothing. No training runs: it takes a minute where `sharing` takes ten.
"""

import argparse
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.tasks.sharing import RULES, fall, quickest, until
from tunewise.declarative.training.prior import logged, shipped

LOSSES = (0.05, 0.02)
SIZES = 0.7
"""Standard deviation of the logarithm of the factor of a task's seconds: half to twice."""
ESTIMATES = 0.5
"""The same of what a training is expected to take over what it takes."""
FEWEST = 3
"""Models of a task that leave a choice."""


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--tables", action="store_true", help="tables alone")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.sets)
    machines = [drawn(seed, options.tables) for seed in seeds]
    print(f"{machine.described()}\n{len(machines)} machines; seconds over those of round robin\n")
    print("| rule | prior | until 0.05 | until 0.02 |\n|---|---|---|---|")
    for prior in (True, False):
        base = [_seconds(users, "round_robin", prior) for users in machines]
        for rule in RULES:
            _row(rule, prior, [_seconds(users, rule, prior) for users in machines], base)
        if prior:
            least = [
                [sum(quickest(u, loss) for u in users) for loss in LOSSES] for users in machines
            ]
            _row("whoever knows all results", prior, least, base)


def drawn(seed: int, tables: bool) -> list[dict[str, Any]]:
    """The tasks of one machine."""
    rng = np.random.default_rng(seed)
    kinds: dict[str, list[Any]] = {}
    for row in shipped():
        if len(row["models"]) >= FEWEST:
            kinds.setdefault(next(iter(row["models"])).partition("/")[0], []).append(row)
    flat = [*kinds.pop("tables"), *kinds.pop("tables of numbers")]
    images = [row for row in kinds.pop("images") if len(row["models"]) > 10]
    rows = [] if tables else [*images, *(some[rng.integers(len(some))] for some in kinds.values())]
    rows += [flat[at] for at in rng.choice(len(flat), 12 - len(rows), replace=False)]
    return [_task(rows[at], rng) for at in rng.permutation(len(rows))]


def _task(row: Any, rng: np.random.Generator) -> dict[str, Any]:
    size = np.exp(rng.normal(0, SIZES))
    models = {name: (quality, took * size) for name, (quality, took) in row["models"].items()}
    expected = {name: took * np.exp(rng.normal(0, ESTIMATES)) for name, (_, took) in models.items()}
    return {"data": row["data"], "models": models, "expected": expected}


def _seconds(users: list[dict[str, Any]], rule: str, prior: bool) -> list[float]:
    log = None
    if prior:
        own = {user["data"] for user in users}
        families = sorted({name.partition("/")[0] for user in users for name in user["models"]})
        log = logged([row for row in shipped() if row["data"] not in own], families)
    curve = fall(users, rule, log)
    return [until(curve, loss) for loss in LOSSES]


def _row(rule: str, prior: bool, found: list[list[float]], base: list[list[float]]) -> None:
    away = np.log(np.array(found) / np.array(base))
    mean, error = away.mean(axis=0), 1.645 * away.std(axis=0) / np.sqrt(len(away))
    told = [
        f"{np.exp(m):.2f} ({np.exp(m - e):.2f} to {np.exp(m + e):.2f})"
        for m, e in zip(mean, error, strict=True)
    ]
    print(f"| {rule} | {'shipped' if prior else 'none'} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main()
