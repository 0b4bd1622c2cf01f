"""A measured table whose trials also report what they passed on their way."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunewise.benchmark.table import Table
from tunewise.errors import ExecutionError
from tunewise.execution import RunningTrial
from tunewise.history import Outcome
from tunewise.problem import Metrics

Key = tuple[tuple[tuple[str, str], ...], str]
Curves = Mapping[Key, Sequence[tuple[float, Metrics]]]


class Passing:
    """A job that replays a table, and reports snapshots before each trial's result."""

    def __init__(self, table: Table, curves: Curves) -> None:
        """Take the table, and by `key` the snapshots of its trials, each at its fraction."""
        self.table, self.curves = table, curves

    def __call__(self, trial: RunningTrial) -> Outcome:
        """Report what the trial passed, then tell what it measured."""
        for fraction, metrics in self.curves.get(key(trial.config, trial.fraction), ()):
            trial.report(metrics, fraction=fraction)
        return self.table(trial)


def key(config: Mapping[str, object], fraction: float) -> Key:
    """What a trial is known by: text, so that what a file says is found again."""
    return tuple(sorted((k, _text(v)) for k, v in config.items())), f"{fraction:.3g}"


def measured_curves(
    path: Path, config: Sequence[str], metrics: Sequence[str]
) -> dict[Key, list[tuple[float, Metrics]]]:
    """The snapshots in a table that `tunewise collect` wrote."""
    found: dict[Key, list[tuple[float, Metrics]]] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                place = key({name: row[name] for name in config}, float(row["fraction"]))
                told = {name: float(row[name]) for name in metrics if row.get(name)}
                found.setdefault(place, []).append((float(row["snapshot"]), told))
    except (OSError, KeyError, ValueError) as error:
        raise ExecutionError(
            f"{path.name} holds no snapshots of a collected table: {error}"
        ) from error
    return found


def _text(value: object) -> str:
    try:
        return f"{float(str(value)):.6g}"
    except ValueError:
        return str(value)
