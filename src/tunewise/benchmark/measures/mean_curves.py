"""The mean curves of a race: how close to the optimum each strategy was, for what it had spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tunewise.benchmark.measures.pace import Pace, Spending, spending
from tunewise.benchmark.measures.score import by_strategy
from tunewise.benchmark.race import Run


@dataclass(frozen=True)
class MeanCurve:
    """The mean over the seeds of one strategy, as steps.

    Attributes:
        name: What the line is called.
        spent: What had been spent, ascending.
        mean: The mean share of the optimum from there on.
        error: Its standard error.
        bootstrap: What had been spent when the last seed ended its bootstrap; 0 without one.
    """

    name: str
    spent: tuple[float, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]
    bootstrap: float


def mean_curves(
    runs: Sequence[Run], kind: Spending = "cost", names: Mapping[str, str] | None = None
) -> tuple[MeanCurve, ...]:
    """The curves of all strategies, or of those in `names`, called what stands there."""
    groups = by_strategy(runs)
    if names is None:
        names = {group[0].strategy: group[0].strategy for group in groups}
    found = {group[0].strategy: group for group in groups}
    curves = [_curve(found[strategy], kind, name) for strategy, name in names.items()]
    return tuple(curve for curve in curves if curve.spent and curve.spent[-1] > 0)


def _curve(runs: Sequence[Run], kind: Spending, name: str) -> MeanCurve:
    effort = spending(kind)
    pace = Pace.of(runs, effort)
    begun = [effort(step) for run in runs for step in run.steps if step.bootstrap]
    columns = np.column_stack([pace.efforts, pace.mean, pace.error])
    # Many steps change nothing: only the last of all tells where the curve ends.
    moved = np.any(np.diff(columns[:, 1:], axis=0, prepend=-1.0) != 0, axis=1)
    moved[-1:] = True
    spent, mean, error = (tuple(column) for column in columns[moved].T.tolist())
    return MeanCurve(name, spent, mean, error, max(begun, default=0.0))
