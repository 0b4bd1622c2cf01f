"""`tunewise show`: a study, one of its trials, or a training, on the terminal."""

from collections import deque
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    OfTraining,
    Storage,
    StudyName,
    console,
    print_json,
)
from tunewise.errors import StudyError

if TYPE_CHECKING:
    from pathlib import Path

    from tunewise.cli.studies.stored_study import StoredStudy
    from tunewise.history import Trial

_LOG_LINES = 20
_LONGEST_LINE = 1000
"""Characters of a line of a log that are shown: a progress bar may write megabytes into one."""


def show(
    study: StudyName,
    trial: Annotated[
        int | None, typer.Option(metavar="N", help="Show one trial, with the end of its log.")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="List only the last N trials or switches."),
    ] = None,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="Check what was said against what came true.")
    ] = False,
    training: OfTraining = False,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Show a study: its trials, its cost, its recommendation; or a training and its settings."""
    from tunewise.cli.studies.stored_study import found, opened
    from tunewise.cli.training.folder import folder_of
    from tunewise.cli.training.stored import has_training, print_training, training_data

    with opened(storage, namespace) as store:
        if has_training(store, study, training):
            if trial is not None or reliability:
                raise StudyError(f"{study!r} is a training; it has no trials and no reliability")
            data = training_data(store, study, folder_of(storage, namespace, study))
            print_json(data) if json else print_training(data, last)
            return
    with found(storage, study, namespace) as stored:
        if trial is not None:
            one = _trial(stored, trial)
            print_json(_trial_data(stored, one)) if json else _print_trial(stored, one)
        elif json:
            rows = [asdict(row) for row in stored.reliability()] if reliability else None
            print_json(_data(stored) | ({} if rows is None else {"reliability": rows}))
        else:
            _print(stored, last)
            if reliability:
                _print_reliability(stored)


def _data(stored: "StoredStudy") -> dict[str, Any]:
    from tunewise.cli.studies.export import described, head
    from tunewise.report.front import front

    best = stored.recommend()
    found = [trial.describe() for trial in front(stored.problem, stored.history)]
    return {
        **head(stored),
        "stopped": stored.record.noted.stopped,
        "processes": [each.describe() for each in stored.presences],
        "spent": stored.history.spent,
        "trials": [described(stored, trial) for trial in stored.history],
        "recommendation": None if best is None else best.describe(),
        "infeasible": None if (missed := stored.infeasible) is None else missed.describe(),
        **({"front": found} if found else {}),
        "folder": stored.record.noted.folder,
    }


def _print(stored: "StoredStudy", last: int | None) -> None:
    from rich.text import Text

    from tunewise.report import text

    out = console()
    if len(stored.history):
        out.print(text.trials_table(stored.problem, stored.history, last))
    out.print(text.summary(stored.problem, stored.history, stored.recommend()))
    for line in stored.changes:
        out.print(Text(line))
    present = stored.presences
    for each in present:
        out.print(Text(str(each)), soft_wrap=True)
    if not present and (stopped := stored.record.noted.stopped):
        out.print(Text(f"the last run ended: {stopped}", "dim"))


def _print_reliability(stored: "StoredStudy") -> None:
    from rich.text import Text

    from tunewise.cli.racing.reliability import print_reliability
    from tunewise.report.race.reliability import LOOKED_BACK

    rows = stored.reliability()
    if not rows:
        out = "nothing that was recommended on the way has been measured as it would be deployed"
        console().print(Text(out, "dim"), soft_wrap=True)
        return
    print_reliability(LOOKED_BACK, {stored.record.strategy["name"]: rows})


def _trial(stored: "StoredStudy", number: int) -> "Trial":
    for trial in stored.history:
        if trial.number == number:
            return trial
    count = len(stored.history)
    have = f"it has 0 to {count - 1}" if count else "it has none yet"
    raise StudyError(f"study {stored.record.name!r} has no trial {number}; {have}")


def _trial_data(stored: "StoredStudy", trial: "Trial") -> dict[str, Any]:
    from tunewise.cli.studies.export import described

    log = stored.log(trial)
    return {**described(stored, trial), "log": None if log is None else str(log)}


def _print_trial(stored: "StoredStudy", trial: "Trial") -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    grid = Table.grid(padding=(0, 2))
    for name, said in _facts(stored, trial):
        grid.add_row(Text(name, "dim"), Text(said))
    out.print(grid)
    log = stored.log(trial)
    if log is None:
        return
    lines = _tail(log)
    out.print(Text(f"\n{log}" + ("" if lines else " is empty"), "dim"), soft_wrap=True)
    for line in lines:
        out.print(Text(line), soft_wrap=True)


def _facts(stored: "StoredStudy", trial: "Trial") -> list[tuple[str, str]]:
    from tunewise.format import measured, share_of_data, value
    from tunewise.history import Failure
    from tunewise.report.standing import label, standing

    facts = [("trial", f"{trial.number}, {trial.status}" + ", enqueued" * trial.enqueued)]
    facts += [(name, value(v)) for name, v in trial.config.items()]
    facts += [("data", share_of_data(trial.fraction))] if trial.fraction != 1 else []
    facts += [(k, measured(stored.problem.metric(k), v)) for k, v in trial.metrics.items()]
    if trial.measurement is not None and stored.problem.constraints:
        facts.append(("limits", label(stored.problem, standing(stored.problem, trial))))
    if trial.lost:
        lost = (measured(stored.problem.metric(k), v) for k, v in trial.lost.items())
        facts.append(("lost", f"{' and '.join(lost)} in earlier attempts"))
    if isinstance(trial.outcome, Failure):
        facts.append(("reason", trial.outcome.reason))
    return [*facts, *_times(trial)]


def _times(trial: "Trial") -> list[tuple[str, str]]:
    import time

    return [
        (name, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at)))
        for name, at in (("asked", trial.asked_at), ("told", trial.told_at))
        if at is not None
    ]


def _tail(log: "Path") -> list[str]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        return [_bounded(line.rstrip("\n")) for line in deque(lines, _LOG_LINES)]


def _bounded(line: str) -> str:
    """The end of a line, which is where a progress bar stands by now."""
    left_out = len(line) - _LONGEST_LINE
    return line if left_out <= 0 else f"…({left_out:,} characters)…{line[left_out:]}"
