"""What `tunewise tune --json` prints: one JSON object a line."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunewise.cli.options import print_json
from tunewise.history import Failure, Trial
from tunewise.report.standing import feasible

if TYPE_CHECKING:
    from tunewise.cli.studies.stored_study import StoredStudy
    from tunewise.study import Study


def print_told(study: "Study", trial: Trial) -> None:
    """A trial that ended."""
    event: dict[str, Any] = {
        "event": "trial",
        "study": study.name,
        "number": trial.number,
        "state": trial.state.value,
        "config": trial.config,
        "fraction": trial.fraction,
        "metrics": trial.metrics,
        "feasible": feasible(study.problem, trial),
        "spent": study.spent,
    }
    if isinstance(trial.outcome, Failure):
        event["reason"] = trial.outcome.reason
    print_json(event, indent=None)


def print_end(stored: "StoredStudy", page: Path | None) -> None:
    """How the run ended, and what to deploy."""
    best = stored.recommend()
    event = {
        "event": "end",
        "study": stored.record.name,
        "stopped": stored.record.noted.stopped,
        "trials": len(stored.history),
        "spent": stored.history.spent,
        "recommendation": None if best is None else best.describe(),
        "infeasible": None if (missed := stored.infeasible) is None else missed.describe(),
        "folder": stored.record.noted.folder,
        "report": None if page is None else str(page),
    }
    print_json(event, indent=None)
