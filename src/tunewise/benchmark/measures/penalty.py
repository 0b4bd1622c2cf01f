"""How good a config truly is: its objective, worse by as much as it misses limits.

This is TrimTuner's Accuracy_C (equation 7) for any objective, either direction and several limits.
"""

from math import inf

from tunewise.problem import Constraint, Metrics, Problem


def penalised(problem: Problem, metrics: Metrics) -> float:
    """The objective, worse by the product of what is kept of each limit (equation 7)."""
    kept = 1.0
    for limit in problem.constraints:
        kept *= _kept(limit, metrics[limit.metric])
    objective = metrics[problem.objective]
    # Less of a positive maximum is worse, and so is more of a positive minimum.
    if (objective >= 0) == problem.maximize:
        return objective * kept
    return objective / kept if kept else inf if objective > 0 else -inf


def share_of_optimum(problem: Problem, metrics: Metrics, optimum: float) -> float:
    """The penalised objective as a share of the optimum, between 0 and 1.

    A config just outside of the limits may beat all inside of them: it counts as no better.
    """
    value = penalised(problem, metrics)
    return _ratio(value, optimum) if problem.better(optimum, value) else 1.0


def _kept(limit: Constraint, value: float) -> float:
    return 1.0 if limit.holds(value) else _ratio(value, limit.bound)


def _ratio(one: float, other: float) -> float:
    """The smaller by the larger amount; nothing where zero lies between them."""
    if one * other <= 0:
        return 0.0
    smaller, larger = sorted((abs(one), abs(other)))
    return smaller / larger
