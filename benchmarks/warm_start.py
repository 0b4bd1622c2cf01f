"""What a warm start from another study saves when that study helps, and costs when it misleads."""

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.measures.penalty import penalised
from tunewise.benchmark.measures.score import reached
from tunewise.benchmark.race import Run, Step

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]
LEVELS = (0.90, 0.99)
Change = Callable[[tw.History, np.random.Generator], tw.History]


@dataclass(frozen=True)
class Case:
    """A table to learn from, another to search on, and a strategy for both."""

    name: str
    strategy: str
    trials: int
    before: tw.Table
    now: tw.Table
    wanted: dict[str, str]

    def problem(self, table: tw.Table) -> tw.Problem:
        """What is wanted, over the configs of a table."""
        return tw.Problem(table.space, fractions=table.fractions, **self.wanted)  # type: ignore[arg-type] # a mix of keywords


def cases(folder: Path, scratch: Path) -> list[Case]:
    """What is raced, as far as its tables are here."""
    cnn, lynceus, scout = folder / "trimtuner/cnn.csv", folder / "lynceus", folder / "scout"
    found = []
    if cnn.is_file():
        halves = {m: _half(cnn, m, scratch / f"{m}.csv") for m in ("async", "sync")}
        capped = {"maximize": "accuracy", "subject_to": "cost <= 0.10"}
        for one, other in (("async", "sync"), ("sync", "async")):
            name = f"CNN, {one} to {other}"
            found.append(Case(name, "trimtuner", 30, halves[one], halves[other], capped))
    if lynceus.is_dir():
        old, new = (tw.Table(lynceus / f"{n}.csv", CONFIG, None) for n in ("cnn", "multilayer"))
        cheap = {"minimize": "cost", "subject_to": "time <= 600"}
        found.append(Case("CNN to multilayer", "cherrypick", 20, old, new, cheap))
        found.append(Case("multilayer to CNN", "cherrypick", 20, new, old, cheap))
    if scout.is_dir():
        names = ("pagerank_bigdata_hadoop", "terasort_bigdata_hadoop")
        vms, metrics = ["vm", "vms"], ("time", "cost")
        old, new = (tw.Table(scout / f"{n}.csv", vms, None, metrics, "completed") for n in names)
        found.append(Case("page rank to sort", "cherrypick", 16, old, new, {"minimize": "cost"}))
        found.append(Case("sort to page rank", "cherrypick", 16, new, old, {"minimize": "cost"}))
    return found


def _half(table: Path, mode: str, copy: Path) -> tw.Table:
    with table.open(encoding="utf-8") as source, copy.open("w", encoding="utf-8") as target:
        rows = csv.DictReader(source)
        written = csv.DictWriter(target, rows.fieldnames or [])
        written.writeheader()
        written.writerows(row for row in rows if row["mode"] == mode)
    return tw.Table(copy, CONFIG[:-1])


def reversed_(history: tw.History, rng: np.random.Generator) -> tw.History:
    """The same trials with every metric turned round: the best config looks worst."""
    values = {m: history.observations(m).values for m in history[0].metrics}

    def turned(metrics: dict[str, float]) -> dict[str, float]:
        return {
            m: values[m].min() + values[m].max() - v
            if m == "accuracy"
            else values[m].min() * values[m].max() / v
            for m, v in metrics.items()
        }

    return tw.History(replace(t, outcome=tw.Measurement(turned(t.metrics))) for t in history)


def shuffled(history: tw.History, rng: np.random.Generator) -> tw.History:
    """The same trials with the measurements of others."""
    order = rng.permutation(len(history)).tolist()
    return tw.History(
        replace(t, outcome=history[i].outcome) for t, i in zip(history, order, strict=True)
    )


CHANGES: dict[str, Change] = {
    "as it was": lambda history, rng: history,
    "shuffled": shuffled,
    "turned round": reversed_,
}


def searched(
    case: Case, table: tw.Table, seed: int, label: str, others: list[tw.History]
) -> tuple[Run, tw.History]:
    """One search on one table, and how good what it recommends truly is after each trial."""
    problem = case.problem(table)
    best = table.best(problem)
    assert best is not None, "some config keeps the limits"
    steps = []
    with tw.Study(problem, case.strategy, seed, warm_start=others) as study:
        for _ in range(case.trials):
            trial = study.ask()
            study.tell(trial, table(trial))
            share = _share(problem, study, table, best.objective)
            steps.append(Step(study.spent["cost"], study.spent["time"], share, share > 0))
        return Run(label, seed, tuple(steps), 0.0), study.history


def _share(problem: tw.Problem, study: tw.Study, table: tw.Table, optimum: float) -> float:
    if not study.history.complete:
        return 0.0
    deployed = table(tw.Trial(0, study.recommend().config))
    if not isinstance(deployed, tw.Measurement):
        return 0.0
    value = penalised(problem, deployed.metrics)
    return min(value / optimum if problem.maximize else optimum / value, 1.0)


def raced(case: Case, seeds: range) -> dict[str, list[Run]]:
    """The runs without a warm start, and with one from each variant of the study before."""
    runs: dict[str, list[Run]] = {"none": [], **{change: [] for change in CHANGES}}
    for seed in seeds:
        _, before = searched(case, case.before, 1000 + seed, "before", [])
        runs["none"].append(searched(case, case.now, seed, "none", [])[0])
        for name, change in CHANGES.items():
            other = change(before.complete, np.random.default_rng(seed))
            runs[name].append(searched(case, case.now, seed, name, [other])[0])
    return runs


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="a part of a case's name")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = [c for c in cases(machine.tables(), Path(scratch)) if given.only in c.name]
        if not found:
            print("no tables are here: set TUNEWISE_DATA to the folder of measured tables")
            sys.exit(0)
        print(machine.described() + "\n")
        levels = [f"USD to {level:.0%}" for level in LEVELS]
        head = ["case", "strategy", "other study", *levels, "saved to 90%", "final", "worst"]
        print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
        for case in found:
            runs = raced(case, range(given.first, given.first + given.seeds))
            for name in runs:
                cells = [case.name, f"`{case.strategy}`", name, *_cells(runs[name], runs["none"])]
                print(f"| {' | '.join(cells)} |", flush=True)


def _cells(runs: list[Run], without: list[Run]) -> list[str]:
    costs = [reached(runs, level, lambda step: step.cost) for level in LEVELS]
    shown = ["–" if usd is None else f"{usd:.3f}" for usd in costs]
    saved = np.array([_usd(b) - _usd(a) for a, b in zip(runs, without, strict=True)])
    error = saved.std(ddof=1) / np.sqrt(len(saved)) if len(saved) > 1 else 0.0
    finals = [run.steps[-1].share for run in runs]
    return [
        *shown,
        f"{saved.mean():.3f} ± {error:.3f}",
        f"{np.mean(finals):.3f}",
        f"{min(finals):.3f}",
    ]


def _usd(run: Run) -> float:
    """What one run spent until it stayed above the first level; all of it where it never did."""
    usd = reached([run], LEVELS[0], lambda step: step.cost)
    return run.steps[-1].cost if usd is None else usd


if __name__ == "__main__":
    main()
