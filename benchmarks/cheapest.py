"""What a search for the cheapest config within a time limit spends until it has a good one.

Every table is searched at the full data until a config is measured that keeps the limit (the median
time of the table) and costs at most 1.1 times the cheapest one that does: CNO <= 1.1.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.disguise import disguised
from tunewise.history import History, Measurement, Outcome, TimedOut, Trial
from tunewise.strategy.spec import StrategySpec

FOLDERS = ("cherrypick", "lynceus", "scout")
NOT_CONFIG = {"fraction", "accuracy", "time", "cost", "completed"}
GOOD = 1.1
MANY = 20
"""Random search is run with so many times the seeds."""
OWN = {
    "lynceus": tw.strategy("lynceus"),
    "lynceus, all run to their end": tw.strategy("lynceus", prune=False),
    "lynceus, trees": tw.strategy("lynceus", surrogate="trees"),
    "lynceus, trees, horizon 1": tw.strategy("lynceus", surrogate="trees", horizon=1),
    "lynceus_paper": tw.strategy("lynceus_paper"),
    "cherrypick": tw.strategy("cherrypick"),
    "cherrypick, all run to their end": tw.strategy("cherrypick", prune=False),
    "random": tw.strategy("random"),
}
PEERS = ("optuna tpe", "optuna gp")
Spent = dict[str, dict[str, list[float]]]
"""USD by table and entrant, one for each seed."""


class Hunt:
    """A table, its limit, and which configs are good enough."""

    def __init__(self, path: Path, name: str = "") -> None:
        """Read the table."""
        columns = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        config = [name for name in columns if name not in NOT_CONFIG]
        completed = "completed" if "completed" in columns else None
        self.name = name or f"{path.parent.name}/{path.stem}"
        self.table = tw.Table(path, config, None, ["time", "cost"], completed)
        self.limit = float(np.median(self.table.values("time")))
        self.problem = tw.Problem(
            self.table.space, minimize="cost", subject_to=[("time", "<=", self.limit)]
        )
        optimum = self.table.best(self.problem)
        assert optimum is not None, "half of the configs keep the limit"
        self._enough = GOOD * optimum.objective

    def good(self, outcome: Outcome) -> bool:
        """Whether it is a measurement good enough to end the search."""
        if not isinstance(outcome, Measurement) or not self.problem.feasible(outcome.metrics):
            return False
        return outcome.metrics["cost"] <= self._enough


def spent(hunt: Hunt, spec: StrategySpec, seed: int) -> float:
    """USD that a strategy of the project spends."""
    strategy, trials, usd = spec.build(hunt.problem, seed), list[Trial](), 0.0
    while suggested := strategy.suggest(history := History(trials), 1):
        trial = Trial(len(trials), suggested[0].config)
        outcome = stopped(hunt.table(trial), strategy.pruner.limit(history, trial))
        usd += outcome.metrics["cost"]
        if hunt.good(outcome):
            return usd
        trials.append(trial.told(outcome))
    return math.inf


def stopped(outcome: Outcome, limit: float | None) -> Outcome:
    """The outcome, unless it took longer than a limit: it is paid for until then."""
    seconds, cost = outcome.metrics["time"], outcome.metrics["cost"]
    if limit is None or seconds <= limit:
        return outcome
    return TimedOut("pruned", {"time": limit, "cost": cost * limit / seconds})


def main() -> None:
    """Print tables for benchmarks/RESULTS.md."""
    given = _options()
    paths = [p for f in FOLDERS for p in sorted((machine.tables() / f).glob("*.csv"))]
    if not paths:
        print("no tables are here: set TUNEWISE_DATA to the folder of measured tables")
        sys.exit(0)
    folder = tempfile.TemporaryDirectory()
    hunts = [
        hunt
        for i, path in enumerate(paths)
        if given.table in (hunt := _hunt(path, i + given.turn, given, Path(folder.name))).name
    ]
    entrants = given.entrants.split(";") if given.entrants else [*OWN]
    seeds = range(given.first, given.first + given.seeds)
    found: Spent = {hunt.name: {} for hunt in hunts}
    for hunt, entrant in ((h, e) for e in entrants for h in hunts):
        began = time.process_time()
        found[hunt.name][entrant] = list(_each(hunt, entrant, seeds))
        took = time.process_time() - began
        usd = fmean(found[hunt.name][entrant])
        print(f"{entrant} {hunt.name}: {usd:.3f} USD, {took:.1f} s", file=sys.stderr, flush=True)
        if given.json:
            given.json.write_text(json.dumps(found), encoding="utf-8")
    print(f"{machine.described()}, seeds {seeds[0]} to {seeds[-1]}\n")
    print_spent(found, entrants)
    print_ratios(found, entrants)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrants", help=f"by semicolons; {'; '.join([*OWN, *PEERS])}")
    parser.add_argument("--table", default="", help="only tables whose names have this in them")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--hide", type=float, default=0.0, choices=(0.0, 0.5, 1.0), help="share of tables whose"
        " machines get names that tell nothing"
    )  # fmt: skip
    parser.add_argument(
        "--cliff", type=float, default=0.0, help="share of tables, in thirds,"
        " with a memory cliff"
    )  # fmt: skip
    parser.add_argument("--turn", type=int, default=0, help="which tables have these")
    parser.add_argument("--json", type=Path, help="where to keep every run")
    return parser.parse_args()


def _hunt(path: Path, turn: int, given: argparse.Namespace, folder: Path) -> Hunt:
    """A table, in disguise where its turn has come."""
    hidden, cliff = turn % 2 < round(2 * given.hide), turn % 3 < round(3 * given.cliff)
    if not hidden and not cliff:
        return Hunt(path)
    marks = [mark for mark, put in (("hidden", hidden), ("cliff", cliff)) if put]
    name = f"{path.parent.name}/{path.stem}, {' and '.join(marks)}"
    return Hunt(disguised(path, folder / f"{turn}.csv", hidden, cliff), name)


def _each(hunt: Hunt, entrant: str, seeds: Sequence[int]) -> Iterator[float]:
    if entrant == "random":  # it costs nothing to know it well
        seeds = range(seeds[0], seeds[0] + MANY * len(seeds))
    if entrant in OWN:
        yield from (spent(hunt, OWN[entrant], seed) for seed in seeds)
    else:
        from benchmarks.peers.cheapest_by_optuna import spent_by_optuna

        table, good = hunt.table, hunt.good
        yield from (spent_by_optuna(entrant, table, hunt.limit, good, seed) for seed in seeds)


def print_spent(found: Spent, entrants: Sequence[str]) -> None:
    """Mean and median over seeds, for each table."""
    print(f"| table | {' | '.join(entrants)} |\n|{'---|' * (len(entrants) + 1)}")
    for name, by in found.items():
        cells = [f"{fmean(by[e]):.2f} / {median(by[e]):.2f}" for e in entrants]
        print(f"| {name} | {' | '.join(cells)} |")


def print_ratios(found: Spent, entrants: Sequence[str]) -> None:
    """How the first entrant compares with each other one."""
    first, *others = entrants
    head = f"{first} to", "ratio of medians over tables", "median of ratios", "worst table"
    print(f"\n| {' | '.join(head)} |\n|---|---|---|---|")
    for other in others:
        cells = []
        means = {n: (fmean(by[first]), fmean(by[other])) for n, by in found.items()}
        medians = {n: (median(by[first]), median(by[other])) for n, by in found.items()}
        for pairs in (means, medians):
            ratios = {name: a / b for name, (a, b) in pairs.items()}
            of_medians = median(a for a, _ in pairs.values()) / median(b for _, b in pairs.values())
            cells.append((of_medians, median(ratios.values()), max(ratios.values())))
        texts = [f"{of_means:.2f} / {of_medians:.2f}" for of_means, of_medians in zip(*cells)]  # noqa: B905 - both have three
        print(f"| {other} | {' | '.join(texts)} |")


if __name__ == "__main__":
    main()
