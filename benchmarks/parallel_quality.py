"""What a search loses by running several trials at once, on measured tables in virtual time.

Usage: python -m benchmarks.parallel_quality [--trials 44] [--parallel 4] [--seeds 20]

The same searches twice: one trial after the other, and several at once, which decide with less
known. Told is the share of the optimum that the last recommendation reached, the ratio of the two,
and how much sooner (in virtual seconds) the search had ended.
"""

import argparse
from dataclasses import replace

import numpy as np

from benchmarks import machine
from benchmarks.early_stop import cases
from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.race import Run, race


def main() -> None:
    """Print a row for each table and strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategies", default="trimtuner,eic")
    parser.add_argument("--tables", default="", help="only these, with commas between")
    parser.add_argument("--trials", type=int, default=44)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    print(machine.described() + "\n")
    head = [
        "table",
        "strategy",
        "one at a time",
        f"{asked.parallel} at once",
        "ratio",
        "± ",
        "time",
    ]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for case in cases():
        if asked.tables and case.name not in asked.tables.split(","):
            continue
        alone = replace(case.contest(asked.trials), job=None)
        together = replace(alone, parallel=asked.parallel)
        for entrant in entrants(asked.strategies):
            runs = [race(each, [entrant], seeds, asked.jobs) for each in (alone, together)]
            print(_row(case.name, *runs), flush=True)


def _row(table: str, alone: list[Run], together: list[Run]) -> str:
    before, after = (np.array([run.steps[-1].share for run in runs]) for runs in (alone, together))
    ended = [np.mean([run.steps[-1].time for run in runs]) for runs in (alone, together)]
    error = float(np.std(after - before, ddof=1) / np.sqrt(len(after))) if len(after) > 1 else 0.0
    cells = [table, f"`{alone[0].strategy}`", f"{before.mean():.4f}", f"{after.mean():.4f}"]
    cells += [f"{after.mean() / before.mean():.4f}", f"{1.96 * error:.4f}"]
    cells += [f"{ended[1] / ended[0]:.2f}×"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
