"""`tunewise export`: all trials of a study, for other tools."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Output, Storage, StudyName
from tunewise.format.printable import escaped_json

if TYPE_CHECKING:
    from tunewise.cli.studies.stored_study import StoredStudy
    from tunewise.history import Trial


class Format(StrEnum):
    """How trials are written."""

    CSV = "csv"
    JSON = "json"


def export(
    study: StudyName,
    format: Annotated[  # noqa: A002 - it is what the option is called
        Format, typer.Option("--format", "-f", help="csv has a row for each trial.")
    ] = Format.CSV,
    output: Output = None,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Write all trials of a study as CSV or JSON."""
    from tunewise.cli.studies.stored_study import found

    with found(storage, study, namespace) as stored:
        text = as_json(stored) if json or format is Format.JSON else as_csv(stored)
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    output.write_text(text, encoding="utf-8")
    typer.echo(f"{len(stored.history)} trials are in {output}", err=True)


def as_json(stored: "StoredStudy") -> str:
    """The study with its problem and trials, whole."""
    import json

    data = {
        **head(stored),
        "spent": stored.history.spent,
        "trials": [described(stored, trial) for trial in stored.history],
    }
    return escaped_json(json.dumps(data, indent=1, ensure_ascii=False)) + "\n"


def head(stored: "StoredStudy") -> dict[str, Any]:
    """What a study is, without its trials: name, strategy, seed, problem."""
    return {
        "study": stored.record.name,
        "created_at": stored.record.created_at,
        "strategy": stored.record.strategy,
        "seed": stored.record.seed,
        "problem": stored.record.current_problem,
        **_changes(stored),
    }


def _changes(stored: "StoredStudy") -> dict[str, Any]:
    """The problems that the study had before, and from which trial on each counted."""
    posed = stored.record.noted.problems
    if not posed:
        return {}
    told = [(0, stored.record.problem), *((p.since, p.problem) for p in posed)]
    return {"problems": [{"since": since, "problem": problem} for since, problem in told]}


def described(stored: "StoredStudy", trial: "Trial") -> dict[str, Any]:
    """One trial as plain data."""
    from tunewise.history import Failure
    from tunewise.report.standing import feasible

    measured = trial.measurement
    return {
        "number": trial.number,
        "state": trial.state.value,
        "config": trial.config,
        "fraction": trial.fraction,
        "metrics": trial.metrics,
        "feasible": feasible(stored.problem, trial),
        "snapshots": {} if measured is None else {str(s): m for s, m in measured.snapshots.items()},
        "deviations": {} if measured is None else measured.deviations,
        "reason": trial.outcome.reason if isinstance(trial.outcome, Failure) else None,
        "lost": trial.lost,
        "enqueued": trial.enqueued,
        "asked_at": trial.asked_at,
        "told_at": trial.told_at,
    }


def as_csv(stored: "StoredStudy") -> str:
    """A row for each trial: config and metrics in columns of their own."""
    import csv
    from io import StringIO

    from tunewise.study.frame import columns, rows

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (
        columns(stored.problem, stored.history),
        *rows(stored.problem, stored.history),
    ):
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula else value
