"""All trials as rows."""

from collections.abc import Iterable
from dataclasses import dataclass

from tunewise.history import Failure, History, Trial, TrialState
from tunewise.problem import Metric, Metrics, Problem
from tunewise.report.standing import Standing, feasible, standing
from tunewise.space import Config


@dataclass(frozen=True)
class Row:
    """One trial in the table; feasible is None where the trial does not tell."""

    number: int
    state: TrialState
    status: str
    stands: Standing
    fraction: float
    amount: str
    config: Config
    metrics: Metrics
    feasible: bool | None
    reason: str


@dataclass(frozen=True)
class Table:
    """The trials as rows, and the parameters and metrics that are its columns."""

    parameters: tuple[str, ...]
    metrics: tuple[Metric, ...]
    fractions: bool
    resource: str
    rows: tuple[Row, ...]


def table(problem: Problem, history: History) -> Table:
    """All trials, with the metrics the problem needs before any others that were told."""
    names = dict.fromkeys([*problem.needed, *_told(history)])
    return Table(
        parameters=tuple(problem.space.names),
        metrics=tuple(problem.metrics.get(name, Metric(name)) for name in names),
        fractions=len(problem.fractions) > 1 or any(t.fraction != 1 for t in history),
        resource=problem.resource,
        rows=tuple(_row(problem, t) for t in history),
    )


def _told(history: Iterable[Trial]) -> list[str]:
    return sorted({name for t in history for name in t.metrics})


def _row(problem: Problem, trial: Trial) -> Row:
    return Row(
        number=trial.number,
        state=trial.state,
        status=trial.status,
        stands=standing(problem, trial),
        fraction=trial.fraction,
        amount=problem.amount(trial.fraction),
        config=trial.config,
        metrics=trial.metrics,
        feasible=feasible(problem, trial),
        reason=trial.outcome.reason if isinstance(trial.outcome, Failure) else "",
    )
