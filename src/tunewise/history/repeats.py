"""Whether measurements are noisy: by repeated trials, or by deviations that were told.

What a surrogate calls noise may belong to its configs: a table of measurements gives the same value
again, however rough it is. Only a trial that was run again tells these apart.
"""

from tunewise.history.history import History
from tunewise.problem import Problem

_ALIKE = 2
"""Repeats that have to agree before none is run any more: one alone may be a tie, as accuracies on
a few test items often are. Not tuned."""


def noisy(problem: Problem, history: History, metric: str | None = None) -> bool:
    """Whether measurements of a metric, by default the objective, are known to differ."""
    name = metric or problem.objective
    told = (trial.measurement for trial in history.complete)
    deviations = (each.deviations.get(name, 0.0) for each in told if each is not None)
    return any(deviation > 0 for deviation in deviations) or differs(problem, history, name)


def differs(problem: Problem, history: History, metric: str) -> bool:
    """Whether a trial that was run again had another result.

    A deviation that was told does not say so: what was told with it is the mean of several runs,
    and one more trial gives that mean again, not another draw.
    """
    seen = dict[tuple[object, float], float]()
    for trial in history.complete:
        value = trial.metrics.get(metric)
        key = problem.space.key(trial.config), trial.fraction
        if value is not None and seen.setdefault(key, value) != value:
            return True
    return False


def agree(problem: Problem, history: History, metric: str) -> bool:
    """Whether trials that were run again, two of them or more, all had the same result."""
    seen = dict[tuple[object, float], set[float]]()
    again = 0
    for trial in history.complete:
        if (value := trial.metrics.get(metric)) is not None:
            values = seen.setdefault((problem.space.key(trial.config), trial.fraction), set())
            again += len(values) > 0
            values.add(value)
    return again >= _ALIKE and all(len(values) == 1 for values in seen.values())
