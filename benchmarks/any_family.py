"""Variants of nephele on a family of problems, so that no default is chosen on one table.

The least cost within limits on accuracy and time, at any fraction: a measured table and parts of it
under several limits, and made-up tables whose limits are quantiles of what they hold.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.any_fraction import optimum, problems, searched
from benchmarks.family import CONFIG, family
from tunewise.benchmark.measures.cno import cno_curves

LIMITS = {
    "sync only": (0.85, 300),
    "async only": (0.9, 300),
    "regular": None,
    "crossing": None,
    "misleading": None,
    "noisy": None,
    "set-up": None,
}
MEASURED = ((0.85, 300), (0.95, 300), (0.9, 150), (0.7, 600))
NEVER = 800.0
"""What a search that does not arrive is counted as, in costs of the optimum."""


def main() -> None:
    """Print a table for benchmarks/NOTEBOOK.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--options", nargs="+", default=["{}"], help="of nephele, as JSON")
    given = parser.parse_args()
    print(machine.described() + "\n")
    print("| options | to CNO 1.5, 90 % | 50 % | to the optimum, 50 % |\n|---|---|---|---|")
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    with tempfile.TemporaryDirectory() as folder:
        members = list(_members(Path(folder)))
    for options in given.options:
        spec = tw.strategy("nephele", **json.loads(options))
        spent = []
        for table, problem in members:
            goal = optimum(table, problem)
            runs = [searched(table, problem, spec, seed, given.trials) for seed in seeds]
            curve = cno_curves(runs, goal, "cost")[0]
            falls = [curve.falls_to(*to) for to in ((1.5, 90), (1.5, 50), (1.0, 50))]
            spent.append([NEVER if usd is None else min(usd / goal, NEVER) for usd in falls])
        means = np.exp(np.log(spent).mean(0))
        print(f"| `{options}` | {' | '.join(f'{mean:.0f}' for mean in means)} |", flush=True)


def _members(folder: Path) -> Iterator[tuple[tw.Table, tw.Problem]]:
    measured = machine.tables() / "trimtuner/cnn.csv"
    if measured.is_file():
        whole = tw.Table(measured, CONFIG, fraction="fraction")
        yield from ((whole, _problem(whole, *limits)) for limits in MEASURED)
    for member in family(folder, 1):
        if member.name in LIMITS:
            table = member.contest.table
            yield table, _problem(table, *(LIMITS[member.name] or _quantiles(table)))


def _quantiles(table: tw.Table) -> tuple[float, float]:
    accuracy, time = table.values("accuracy", 1.0), table.values("time", 1.0)
    return float(np.quantile(accuracy, 0.6)), float(np.quantile(time, 0.4))


def _problem(table: tw.Table, accuracy: float, seconds: float) -> tw.Problem:
    return problems(table, [f"accuracy >= {accuracy!r}", f"time <= {seconds!r}"])[0]


if __name__ == "__main__":
    main()
