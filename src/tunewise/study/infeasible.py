"""Why nothing that was measured keeps the limits: which limit is to blame, and the nearest miss."""

from dataclasses import dataclass
from typing import Any

from tunewise.format import measured
from tunewise.history import History, Trial
from tunewise.problem import Constraint, Metrics, Problem


@dataclass(frozen=True)
class Infeasible:
    """No measured trial that could be deployed keeps all limits.

    Attributes:
        trials: How many measured trials could be deployed as they are.
        blamed: The limit that most of them break; of equals the one that is missed by most.
        broken_by: How many of them break it.
        nearest: The trial that misses the limits least, by the sum of its violations.
        misses: What the nearest trial measured, of the metrics whose limits it breaks.
        sentence: All of this for people.
    """

    trials: int
    blamed: Constraint
    broken_by: int
    nearest: Trial
    misses: Metrics
    sentence: str

    def describe(self) -> dict[str, Any]:
        """As plain data, for machines."""
        return {
            "sentence": self.sentence,
            "limit": str(self.blamed),
            "broken_by": self.broken_by,
            "of": self.trials,
            "nearest": {
                "trial": self.nearest.number,
                "config": self.nearest.config,
                "fraction": self.nearest.fraction,
                "metrics": self.nearest.metrics,
            },
        }


def infeasible(problem: Problem, history: History) -> Infeasible | None:
    """Why no limits are kept; None where some trial keeps them, or none could tell."""
    told = [t for t in history.complete if problem.deployable(t.fraction) and _tells(problem, t)]
    if not told or not problem.constraints or any(problem.feasible(t.metrics) for t in told):
        return None
    broken = {c: [c.violation(t.metrics[c.metric]) for t in told] for c in problem.constraints}
    blamed = max(broken, key=lambda c: (_count(broken[c]), min(broken[c])))
    nearest = min(told, key=lambda t: problem.violation(t.metrics))
    missed = [c for c in problem.constraints if not c.holds(nearest.metrics[c.metric])]
    count = _count(broken[blamed])
    return Infeasible(
        trials=len(told),
        blamed=blamed,
        broken_by=count,
        nearest=nearest,
        misses={c.metric: nearest.metrics[c.metric] for c in missed},
        sentence=_sentence(problem, _counted(history, count, len(told)), blamed, nearest, missed),
    )


def _tells(problem: Problem, trial: Trial) -> bool:
    return all(c.metric in trial.metrics for c in problem.constraints)


def _count(violations: list[float]) -> int:
    return sum(v > 0 for v in violations)


def _counted(history: History, count: int, of: int) -> str:
    """Which trials break a limit: those on parts of the data say nothing of what is deployed."""
    if of == len(history.complete):
        one, more = "measured trial", "measured trials"
    else:
        one, more = "trial on the full data", "trials on the full data"
    trials = f"the only {one}" if of == 1 else f"{count} of {of} {more}"
    if count == of > 1:
        trials = f"all {of} {more}"
    return f"{trials} {'breaks' if count == 1 else 'break'}"


def _sentence(
    problem: Problem,
    broken: str,
    blamed: Constraint,
    nearest: Trial,
    missed: list[Constraint],
) -> str:
    values = [
        f"{c.metric} {measured(problem.metrics[c.metric], nearest.metrics[c.metric])}"
        for c in missed
    ]
    return (
        f"no measured config keeps the limits: {broken} {problem.limit(blamed)}; the nearest"
        f" miss is trial {nearest.number} with {' and '.join(values)}"
    )
