"""The studies of a storage, and one of them, for terminals."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tunewise.format import MISSING, duration, money, number
from tunewise.report import text
from tunewise.report.terminal.lines import listed
from tunewise.study.stored import StoredStudy

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_HEADS = ("study", "created", "strategy", "trials", "best", "spent", "time")


def studies_table(rows: list[dict[str, Any]]) -> "Table":
    """A line for each study."""
    return listed(_HEADS, map(_cells, rows), _HEADS[:3])


def _cells(row: dict[str, Any]) -> list[str]:
    created, spent = row["created_at"], row["spent"]
    running = f" +{row['running']}" if row["running"] else ""
    return [
        row["name"],
        time.strftime("%Y-%m-%d %H:%M", time.localtime(created)) if created else MISSING,
        row["strategy"],
        f"{row['complete'] + row['failed']}{running}",
        MISSING if row["best"] is None else f"{row['objective']} {number(row['best'])}",
        money(spent["cost"]) if spent["cost"] else MISSING,
        duration(spent["time"]) if spent["time"] else MISSING,
    ]


def shown(study: StoredStudy, last: int | None) -> "Iterator[RenderableType]":
    """A study: its trials, all or the last ones, what it recommends and who works on it."""
    from rich.text import Text

    history = study.history
    if len(history):
        yield text.trials_table(study.problem, history, last)
    yield text.summary(study.problem, history, study.recommendation)
    yield from map(Text, study.changes)
    present = study.presences
    yield from (Text(str(each)) for each in present)
    if not present and (stopped := study.noted.stopped):
        yield Text(f"the last run ended: {stopped}", "dim")


def looked_back_on(study: StoredStudy) -> "Iterator[RenderableType]":
    """How often what it would have said after each trial came true, as far as is known."""
    from rich.text import Text

    from tunewise.benchmark.measures.reliability import of_study
    from tunewise.report.race.reliability import LOOKED_BACK
    from tunewise.report.terminal.reliability import reliability_table

    rows = of_study(study)
    if rows:
        yield from reliability_table(LOOKED_BACK, {study.record.strategy["name"]: rows})
    else:
        out = "nothing that was recommended on the way has been measured as it would be deployed"
        yield Text(out, "dim")
