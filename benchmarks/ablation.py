"""Which parts of the default matter: variants of `trimtuner` raced over a family of problems."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.family import Member, family
from tunewise.benchmark.measures.score import score
from tunewise.benchmark.race import Run, race
from tunewise.strategy import StrategySpec

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "trees": {"surrogate": "trees"},
    "entropy gain": {"acquisition": "entropy"},
    "equation 5 as printed": {"acquisition": "literal", "growth": None},
    "paper's bootstrap": {"bootstrap": "paper"},
    "two configs to begin": {"initial": 2},
    "no overhead": {"overhead": 0.0},
    "no growth rule": {"growth": None},
    "one root": {"roots": 1},
    "CEA 10 %": {"filter": "cea", "share": 0.1},
}


def main() -> None:
    """Print tables for benchmarks/NOTEBOOK.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--members", default="", help="names of problems, all by default")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=36)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(machine.described() + "\n")
    print("| variant | problem | units to 90% | units to 99% | final | worst | feasible |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        members = [
            m
            for m in family(Path(folder), given.trials)
            if not given.members or m.name in given.members.split(",")
        ]
        for name in given.variants.split(","):
            spec = StrategySpec("trimtuner", VARIANTS[name])
            results = [race(m.contest, [spec], seeds, given.jobs) for m in members]
            _print(name, members, results)


def _print(name: str, members: Sequence[Member], results: Sequence[Sequence[Run]]) -> None:
    rows = []
    for member, runs in zip(members, results, strict=True):
        scored = score(runs)
        to = {level: usd / member.unit if usd else np.inf for level, usd in scored.cost_to.items()}
        kept = float(np.mean([run.steps[-1].feasible for run in runs]))
        rows.append((to[0.9], to[0.99], scored.final, scored.worst, kept))
        print(_row(name, member.name, rows[-1]), flush=True)
    table = np.array(rows)
    middle = [*np.median(table[:, :2], axis=0), table[:, 2].mean(), table[:, 3].min()]
    print(
        _row(f"**{name}**", "**median / mean / least**", (*middle, table[:, 4].mean())), flush=True
    )


def _row(name: str, problem: str, values: Sequence[float]) -> str:
    cells = ["–" if np.isinf(v) else f"{v:.2f}" for v in values[:2]]
    cells += [f"{v:.3f}" for v in values[2:4]] + [f"{values[4]:.0%}"]
    return f"| {name} | {problem} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
