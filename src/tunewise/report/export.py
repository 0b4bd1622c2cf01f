"""A study as plain data, for other tools and for whoever asks over a wire."""

import csv
import json
from io import StringIO
from typing import Any

from tunewise.format.printable import escaped_json
from tunewise.history import Failure, Trial
from tunewise.report.front import front
from tunewise.report.standing import feasible
from tunewise.study.frame import columns, rows
from tunewise.study.stored import StoredStudy


def as_json(stored: StoredStudy) -> str:
    """The study with its problem and trials, whole."""
    data = {**head(stored), **_trials(stored)}
    return escaped_json(json.dumps(data, indent=1, ensure_ascii=False)) + "\n"


def head(stored: StoredStudy) -> dict[str, Any]:
    """What a study is, without its trials: name, strategy, seed, problem."""
    return {
        "study": stored.record.name,
        "created_at": stored.record.created_at,
        "strategy": stored.record.strategy,
        "seed": stored.record.seed,
        "problem": stored.record.current_problem,
        **_changes(stored),
    }


def looked_at(stored: StoredStudy) -> dict[str, Any]:
    """All about a study: its trials, who works on it, and what it recommends."""
    best, noted = stored.recommendation, stored.noted
    found = [trial.describe() for trial in front(stored.problem, stored.history)]
    return {
        **head(stored),
        "stopped": noted.stopped,
        "processes": [each.describe() for each in stored.presences],
        **_trials(stored),
        "recommendation": None if best is None else best.describe(),
        "infeasible": None if (missed := stored.infeasible) is None else missed.describe(),
        **({"front": found} if found else {}),
        "folder": noted.folder,
    }


def told(stored: StoredStudy, trial: Trial) -> dict[str, Any]:
    """The event that a trial has ended."""
    kept = described(stored, trial)
    names = ("number", "state", "config", "fraction", "metrics", "feasible")
    reason = {"reason": kept["reason"]} if kept["reason"] is not None else {}
    shown = {name: kept[name] for name in names}
    return {"event": "trial", "study": stored.name, **shown, "spent": stored.spent, **reason}


def ended(stored: StoredStudy) -> dict[str, Any]:
    """The event that a run has ended, with what to deploy."""
    best, noted, history = stored.recommendation, stored.noted, stored.history
    return {
        "event": "end",
        "study": stored.name,
        "stopped": noted.stopped,
        "trials": len(history),
        "spent": history.spent,
        "recommendation": None if best is None else best.describe(),
        "infeasible": None if (missed := stored.infeasible) is None else missed.describe(),
        "folder": noted.folder,
    }


def _trials(stored: StoredStudy) -> dict[str, Any]:
    history = stored.history
    return {"spent": history.spent, "trials": [described(stored, trial) for trial in history]}


def _changes(stored: StoredStudy) -> dict[str, Any]:
    """The problems that the study had before, and from which trial on each counted."""
    posed = stored.record.noted.problems
    if not posed:
        return {}
    told = [(0, stored.record.problem), *((p.since, p.problem) for p in posed)]
    return {"problems": [{"since": since, "problem": problem} for since, problem in told]}


def described(stored: StoredStudy, trial: Trial) -> dict[str, Any]:
    """One trial as plain data."""
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


def as_csv(stored: StoredStudy) -> str:
    """A row for each trial: config and metrics in columns of their own."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    problem, history = stored.problem, stored.history
    for row in (columns(problem, history), *rows(problem, history)):
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula else value
