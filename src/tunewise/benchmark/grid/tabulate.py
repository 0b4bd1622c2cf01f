"""A measured grid as tables: means over repeats, one row for a config at a fraction."""

import csv
import os
import statistics
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tunewise.benchmark.grid.kept import Kept
from tunewise.benchmark.grid.plan import Run
from tunewise.history import Measurement
from tunewise.problem import KNOWN, Metrics
from tunewise.space import Config

Row = dict[str, Any]


def write_tables(path: Path, runs: Sequence[Run], kept: Kept) -> Path | None:
    """Write what was measured by now; returns where the snapshots are, if there are any.

    The table has a row for each config at each fraction that was measured: its parameters, its
    fraction, the mean of each metric over the repeats and, where there are several, the standard
    deviation in a column such as `accuracy_std`. `completed` is there when a run failed, and says
    whether most of the repeats worked. The table of snapshots has a column `snapshot` besides.
    """
    cells = [list(each) for _, each in groupby(_in_order(runs, kept), key=_cell)]
    if not cells:
        return None
    _write(path, [_row(cell, kept) for cell in cells])
    snapshots = [row for cell in cells for row in _snapshots(cell, kept)]
    if not snapshots:
        return None
    beside = snapshots_beside(path)
    _write(beside, snapshots)
    return beside


def snapshots_beside(path: Path) -> Path:
    """Where the snapshots of a table are."""
    return path.with_name(f"{path.stem}_snapshots{path.suffix}")


def _in_order(runs: Sequence[Run], kept: Kept) -> list[Run]:
    """As the space lists them: by the first repeat's number, then by repeat."""
    cells = 1 + max((run.number for run in runs if run.repeat == 0), default=0)
    return sorted((r for r in runs if r in kept), key=lambda r: (r.number % cells, r.repeat))


def _cell(run: Run) -> tuple[Any, float]:
    return run.config, run.fraction


def _row(cell: list[Run], kept: Kept) -> Row:
    outcomes = [kept[run].outcome for run in cell]
    good = [o.metrics for o in outcomes if isinstance(o, Measurement)]
    told = good or [o.metrics for o in outcomes]
    row = {**_named(cell[0].config, cell[0].fraction), **_summary(told)}
    return {**row, "completed": 2 * len(good) > len(outcomes)}


def _snapshots(cell: list[Run], kept: Kept) -> Iterator[Row]:
    outcomes = (kept[run].outcome for run in cell)
    found = [o.snapshots for o in outcomes if isinstance(o, Measurement)]
    for at in sorted({at for each in found for at in each}):
        named = _named(cell[0].config, cell[0].fraction)
        yield {**named, "snapshot": at, **_summary([e[at] for e in found if at in e])}


def _named(config: Config, fraction: float) -> Row:
    return {**config, "fraction": fraction}


def _summary(told: Sequence[Metrics]) -> Row:
    """Means, and behind them standard deviations where there are several values."""
    by_metric = {name: [m[name] for m in told if name in m] for name in _names(told)}
    means = {name: statistics.fmean(values) for name, values in by_metric.items()}
    several = {n: statistics.stdev(v) for n, v in by_metric.items() if len(v) > 1}
    return {**means, **{f"{name}_std": value for name, value in several.items()}}


def _names(told: Iterable[Metrics]) -> list[str]:
    found = dict.fromkeys(name for metrics in told for name in metrics)
    return [*(n for n in KNOWN if n in found), *(n for n in found if n not in KNOWN)]


def _write(path: Path, rows: list[Row]) -> None:
    """All of the table or nothing, so that whoever reads it meanwhile reads a whole one."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    if all(row.get("completed", True) for row in rows) and "completed" in names:
        names.remove("completed")
    passing = path.with_name(f".{path.name}.{os.getpid()}")
    with passing.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_text(row.get(name, "")) for name in names] for row in rows)
    os.replace(passing, path)


def _text(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
