"""Which columns of a table mean what, told apart by their names where nobody says."""

import csv
from dataclasses import dataclass
from pathlib import Path

from tunewise.benchmark.table import Table
from tunewise.errors import ExecutionError
from tunewise.problem import KNOWN


@dataclass(frozen=True)
class Columns:
    """Which columns of a table mean what; None is found out."""

    config: str | None = None
    fraction: str | None = None
    metrics: str | None = None
    completed: str | None = None


def read(path: Path, given: Columns) -> Table:
    """The table, its columns told apart by their names where nobody said."""
    header = _header(path)
    metrics = _split(given.metrics) or [name for name in header if name in KNOWN]
    if not metrics:
        raise ExecutionError(
            f"{path.name} has none of the columns {', '.join(KNOWN)};"
            " name its metrics with --metrics"
        )
    deviations = {m: f"{m}_std" for m in metrics if f"{m}_std" in header}
    fraction = given.fraction or ("fraction" if "fraction" in header else None)
    completed = given.completed or ("completed" if "completed" in header else None)
    taken = {*metrics, *deviations.values(), fraction, completed}
    config = _split(given.config) or [name for name in header if name not in taken]
    if not config:
        raise ExecutionError(f"{path.name} has no columns left for configs: {', '.join(header)}")
    return Table(path, config, fraction, metrics, completed, deviations)


def _header(path: Path) -> list[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return [name.strip() for name in next(csv.reader(file), [])]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecutionError(f"the table {str(path)!r} cannot be read: {why}") from error


def _split(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]
