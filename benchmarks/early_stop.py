"""What stopping trials by their reports saves, on real learning curves in virtual time.

Each strategy searches twice with the same seeds: its trials report the same snapshots, and only in
one of the two may they be stopped for what they report.
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.passing import Curves, Key, Passing, key, measured_curves
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.measures.score import Score, scores
from tunewise.benchmark.race import race
from tunewise.problem import Metrics

CLOUD = ["vm", "vms", "learning_rate", "batch_size", "mode"]
CORES = ["learning_rate", "batch_size", "width", "workers", "mode"]
METRICS = ("accuracy", "time", "cost")


@dataclass(frozen=True)
class Case:
    """A table with the curves of its trials, and the limit of its problem."""

    name: str
    table: tw.Table
    curves: Curves
    limit: str

    def contest(self, trials: int) -> Contest:
        """What is raced on."""
        problem = tw.Problem(
            self.table.space,
            maximize="accuracy",
            subject_to=self.limit,
            fractions=self.table.fractions,
        )
        return Contest(self.table, problem, trials, job=Passing(self.table, self.curves))


def cases() -> Iterator[Case]:
    """Our own tables, and the traces of TrimTuner's runs where they are at hand."""
    for name, limit in (("fashion_cnn", "cost <= 0.0007"), ("fashion_mlp", "cost <= 0.0003")):
        path = machine.OWN / f"{name}.csv"
        if path.is_file():
            curves = measured_curves(machine.OWN / f"{name}_snapshots.csv", CORES, METRICS)
            yield Case(name, tw.Table(path, CORES), curves, limit)
    traces = machine.tables() / "trimtuner" / "cnn_traces.csv"
    if traces.is_file():
        table = tw.Table(traces.with_name("cnn.csv"), CLOUD)
        yield Case("trimtuner/cnn", table, traced(traces, table), "cost <= 0.10")
    else:
        print("trimtuner/cnn_traces.csv is not here: set TUNEWISE_DATA to the folder of tables")


def traced(path: Path, table: tw.Table) -> Curves:
    """Snapshots out of the curves that TrimTuner's book-keeper measured, by share of the steps."""
    points: dict[Key, list[tuple[float, float]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            place = key({name: row[name] for name in CLOUD}, float(row["fraction"]))
            points.setdefault(place, []).append((float(row["progress"]), float(row["accuracy"])))
    curves: dict[Key, list[tuple[float, Metrics]]] = {}
    for measured in table.rows:
        place = key(measured.config, measured.fraction)
        progress, accuracy = np.array(sorted(points[place])).T
        curves[place] = [
            (
                s,
                {
                    "accuracy": float(np.interp(share, progress, accuracy)),
                    **_part(measured.metrics, share),
                },
            )
            for s in table.fractions
            if (share := s / measured.fraction) < 1
        ]
    return curves


def _part(metrics: Metrics, share: float) -> Metrics:
    return {name: share * metrics[name] for name in ("time", "cost")}


def main() -> None:
    """Print a row for each table and strategy, with and without stops."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strategies", default="eic,cherrypick,trimtuner")
    parser.add_argument("--tables", default="", help="only these, with commas between")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(machine.described() + "\n")
    head = ["table", "strategy", "stops", "USD to 90%", "USD to 99%", "× at 99%", "final", "worst"]
    head += ["USD in all"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for case in cases():
        if given.tables and case.name not in given.tables.split(","):
            continue
        whole = case.contest(given.trials)
        named = entrants(given.strategies)
        runs = [
            scores(race(replace(whole, stop_by_reports=stops), named, seeds, given.jobs))
            for stops in (False, True)
        ]
        for without, with_stops in zip(*runs, strict=True):
            print(_row(case.name, without, "no", without), flush=True)
            print(_row(case.name, with_stops, "yes", without), flush=True)


def _row(table: str, score: Score, stops: str, base: Score) -> str:
    usd = {level: score.cost_to[level] for level in (0.90, 0.99)}
    times = (
        "–" if not usd[0.99] or not base.cost_to[0.99] else f"{base.cost_to[0.99] / usd[0.99]:.2f}"
    )
    cells = [
        table,
        f"`{score.strategy}`",
        stops,
        *("–" if v is None else f"{v:.3g}" for v in usd.values()),
    ]
    cells += [times, f"{score.final:.4f}", f"{score.worst:.4f}", f"{score.cost:.3g}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
