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
        sentence=_sentence(problem, blamed, count, len(told), nearest, missed),
    )


def _tells(problem: Problem, trial: Trial) -> bool:
    return all(c.metric in trial.metrics for c in problem.constraints)


def _count(violations: list[float]) -> int:
    return sum(v > 0 for v in violations)


def _sentence(
    problem: Problem,
    blamed: Constraint,
    count: int,
    of: int,
    nearest: Trial,
    missed: list[Constraint],
) -> str:
    trials = "the only measured trial" if of == 1 else f"{count} of {of} measured trials"
    if count == of > 1:
        trials = f"all {of} measured trials"
    verb = "breaks" if count == 1 else "break"
    values = [
        f"{c.metric} {measured(problem.metrics[c.metric], nearest.metrics[c.metric])}"
        for c in missed
    ]
    return (
        f"no measured config keeps the limits: {trials} {verb} {problem.limit(blamed)}; the nearest"
        f" miss is trial {nearest.number} with {' and '.join(values)}"
    )
