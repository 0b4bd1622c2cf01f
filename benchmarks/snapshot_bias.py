"""How far what a training has reached on its way is from a real run on the slice.

A trial at fraction `s` passes the fraction `f` when it has made the share `f / s` of its steps.
Told is the mean over all configs of (snapshot - run on the slice), with its standard error, and how
well the two agree on the order of the configs.
"""

import csv
import math
import statistics
from pathlib import Path
from typing import NamedTuple

from scipy.stats import spearmanr

from benchmarks import machine

OWN = Path(__file__).parent / "data"
TABLES = ("fashion_cnn", "fashion_mlp")


class Pair(NamedTuple):
    """The accuracy of a snapshot, and of a run on the slice."""

    passed: float
    ran: float


def main() -> None:
    """Print a row for each table and fraction."""
    print(machine.described() + "\n")
    head = ["table", "fraction", "configs", "run on the slice", "bias", "± ", "rank correlation"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name in TABLES:
        if not (OWN / f"{name}.csv").is_file():
            print(f"{name}.csv is not in {OWN.name}: `tunewise collect` measures it")
            continue
        for fraction, pairs in pairs_of(OWN / f"{name}.csv").items():
            bias = [pair.passed - pair.ran for pair in pairs]
            error = statistics.stdev(bias) / math.sqrt(len(bias))
            rank = spearmanr([p.passed for p in pairs], [p.ran for p in pairs]).statistic
            cells = [name, f"{fraction:.3g}", str(len(pairs))]
            cells += [f"{statistics.fmean(p.ran for p in pairs):.3f}"]
            cells += [f"{statistics.fmean(bias):+.3f}", f"{error:.3f}", f"{rank:.3f}"]
            print(f"| {' | '.join(cells)} |")


def pairs_of(table: Path) -> dict[float, list[Pair]]:
    """By fraction, each config's snapshot of its full run beside its run on the slice."""
    snapshots = table.with_name(f"{table.stem}_snapshots.csv")
    ran = {_key(row, "fraction"): float(row["accuracy"]) for row in _rows(table)}
    found: dict[float, list[Pair]] = {}
    for row in _rows(snapshots):
        place = _key(row, "snapshot")
        if float(row["fraction"]) == 1.0 and place in ran:
            pair = Pair(float(row["accuracy"]), ran[place])
            found.setdefault(float(row["snapshot"]), []).append(pair)
    return dict(sorted(found.items()))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _key(row: dict[str, str], fraction: str) -> tuple[str, ...]:
    config = ("learning_rate", "batch_size", "width", "workers", "mode")
    return (*(row[name] for name in config), row[fraction])


if __name__ == "__main__":
    main()
