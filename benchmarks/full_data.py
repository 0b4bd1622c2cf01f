"""How strategies that work at the full data do on a measured table, in virtual time."""

import argparse
from collections.abc import Sequence

import tunewise as tw
from benchmarks import machine
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.score import LEVELS, score
from tunewise.benchmark.race import Run, race
from tunewise.strategy import StrategySpec

CONFIG = ["vm", "vms", "learning_rate", "batch_size", "mode"]


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="trimtuner/cnn.csv", help="below the tables' folder")
    parser.add_argument("--limit", default="cost <= 0.10")
    parser.add_argument("--strategies", default="random,cherrypick")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=48)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    path = machine.table(given.table)
    table = tw.Table(path, CONFIG)
    problem = tw.Problem(table.space, maximize="accuracy", subject_to=given.limit)
    contest = Contest(table, problem, given.trials)
    strategies = [StrategySpec.of(name) for name in given.strategies.split(",")]
    runs = race(contest, strategies, range(given.seeds), given.jobs)
    print(machine.described() + "\n")
    print_table([[r for r in runs if r.strategy == spec.name] for spec in strategies])


def print_table(entries: Sequence[Sequence[Run]]) -> None:
    """A row for each strategy."""
    levels = [f"USD to {level:.0%}" for level in LEVELS]
    head = ["strategy", *levels, "seeds at 99 %", "final", "worst", "seconds per ask"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for runs in entries:
        scored = score(runs)
        reached = sum(run.steps[-1].share >= 0.99 for run in runs)
        costs = ["–" if usd is None else f"{usd:.2f}" for usd in scored.cost_to.values()]
        cells = [f"`{scored.strategy}`", *costs, f"{reached} of {len(runs)}"]
        cells += [f"{scored.final:.3f}", f"{scored.worst:.3f}", f"{scored.seconds_per_ask:.3f}"]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
