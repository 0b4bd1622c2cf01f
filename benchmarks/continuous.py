"""Continuous and mixed spaces with slices: who is how near to the optimum, after so many units.

`python -m benchmarks.continuous` searches every problem with every entrant and seed, and prints the
share of the optimum that the recommended config truly has after 8 and 16 units, one being what a
full training within the limit takes. Optuna's entrants need the environment of `make peers`. With
`--json` every run is kept, and none that is there is run again.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np

from benchmarks import machine
from benchmarks.course import course
from benchmarks.worlds.continuous import LANDSCAPES
from benchmarks.worlds.world import World
from tunewise.benchmark.entrants import entrants

MARKS = (8.0, 16.0)
ASKED = ("hartmann6", "ackley8", "corner7", "narrow7", "network10", "rosenbrock20")
PEERS = ("optuna gp", "optuna tpe", "optuna tpe hyperband")
MOST = 600
"""Trials of one search."""

Runs = dict[str, "Run"]
"""By problem, entrant and seed."""


class Run(TypedDict):
    """One search: how many trials it had; what was spent, and the share of the optimum then."""

    trials: int
    course: list[list[float]]


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    given = _options()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    asked = given.problems.split(",")
    worlds = [one.world() for one in LANDSCAPES if one.name in asked]
    names = given.entrants.split(";")
    kept: Runs = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for seed in seeds:
        for world in worlds:
            for name in names:
                place = _place(world.name, name, seed)
                if place in kept:
                    continue
                began = time.process_time()
                kept[place] = searched(world, name, seed)
                trials = kept[place]["trials"]
                took = (time.process_time() - began) / max(trials, 1)
                shares = " ".join(f"{at(kept[place], mark):.3f}" for mark in MARKS)
                print(f"{place}: {shares}, {trials} trials, {took:.2f} s each", flush=True)
                if given.json:
                    given.json.write_text(json.dumps(kept), encoding="utf-8")
    print(f"\n{machine.described()}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("\n".join(table(kept, [world.name for world in worlds], names, seeds)))


def searched(world: World, name: str, seed: int) -> Run:
    """One search."""
    if name in PEERS:
        from benchmarks.peers.continuous_by_optuna import searched_by_optuna

        told = searched_by_optuna(world, name, seed, MARKS[-1], MOST)
        return {"trials": len(told) - 1, "course": told}
    strategy = entrants(name)[0].build(world.problem, seed)
    ran = course(world, strategy, name, MARKS[-1], MOST, MARKS)
    return {"trials": ran.trials, "course": [[s.units, s.share] for s in ran.stands]}


def at(run: Run, mark: float) -> float:
    """The share after the last trial that ended by then."""
    return [share for units, share in run["course"] if units <= mark][-1]


def table(
    kept: Runs, worlds: Sequence[str], names: Sequence[str], seeds: Sequence[int]
) -> Iterator[str]:
    """For each problem and entrant the mean share at each mark, with its 95 % interval."""
    yield f"| problem | entrant | {' | '.join(f'{m:g} units' for m in MARKS)} | trials |"
    yield f"|---|---|{'---|' * (len(MARKS) + 1)}"
    for world in worlds:
        for name in names:
            runs = [kept[_place(world, name, seed)] for seed in seeds]
            cells = [_interval([at(run, mark) for run in runs]) for mark in MARKS]
            trials = np.mean([run["trials"] for run in runs])
            yield f"| {world} | `{name}` | {' | '.join(cells)} | {trials:.0f} |"


def _interval(values: Sequence[float]) -> str:
    """Mean and a 95 % interval, by the bootstrap over seeds."""
    drawn = np.random.default_rng(0).choice(values, (2000, len(values))).mean(1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{np.mean(values):.3f} ({low:.3f} to {high:.3f})"


def _place(world: str, name: str, seed: int) -> str:
    return f"{world} / {name} / {seed}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuous", description=__doc__)
    parser.add_argument(
        "--entrants", default=";".join(["trimtuner", *PEERS, "random"]), help="by semicolons"
    )
    parser.add_argument("--problems", default=",".join(ASKED), help="by commas")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="where to keep every run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
