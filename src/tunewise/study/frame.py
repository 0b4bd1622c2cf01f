"""Trials as a table of another tool: one row a trial, for pandas."""

from typing import TYPE_CHECKING, Any

from tunewise.errors import optional
from tunewise.history import Failure, History, Trial
from tunewise.problem import Problem

if TYPE_CHECKING:
    import pandas as pd


def dataframe(problem: Problem, history: History) -> "pd.DataFrame":
    """One row a trial, its number as the index: config and metrics in columns of their own."""
    pandas = optional("pandas", "pandas")
    return pandas.DataFrame(rows(problem, history), columns=columns(problem, history)).set_index(
        "number"
    )


def columns(problem: Problem, history: History) -> list[str]:
    """The names of the columns; a metric that is called like a parameter is `measured_` so."""
    parameters = list(problem.space.names)
    metrics = _metrics(problem, history)
    named = [f"measured_{name}" if name in parameters else name for name in metrics]
    lost = [f"lost_{name}" for name in _lost(history)]
    return ["number", "state", *parameters, "fraction", *named, *lost, "feasible", "reason",
            "enqueued", "asked_at", "told_at"]  # fmt: skip


def rows(problem: Problem, history: History) -> list[list[Any]]:
    """The cells of each trial, in the order of the columns; None where there is no value."""
    metrics, lost = _metrics(problem, history), _lost(history)
    return [_row(problem, trial, metrics, lost) for trial in history]


def _row(problem: Problem, trial: Trial, metrics: list[str], lost: list[str]) -> list[Any]:
    feasible = None
    if trial.measurement is not None and problem.deployable(trial.fraction):
        feasible = problem.feasible(trial.metrics)
    return [
        trial.number,
        trial.state.value,
        *(trial.config.get(name) for name in problem.space.names),
        trial.fraction,
        *(trial.metrics.get(name) for name in metrics),
        *(trial.lost.get(name, 0.0) for name in lost),
        feasible,
        trial.outcome.reason if isinstance(trial.outcome, Failure) else None,
        trial.enqueued,
        trial.asked_at,
        trial.told_at,
    ]


def _lost(history: History) -> list[str]:
    """What earlier attempts have used, where any did: without it, costs would not add up."""
    return sorted({metric for trial in history for metric in trial.lost})


def _metrics(problem: Problem, history: History) -> list[str]:
    told = sorted({metric for trial in history for metric in trial.metrics})
    return list(dict.fromkeys([*problem.needed, *told]))
