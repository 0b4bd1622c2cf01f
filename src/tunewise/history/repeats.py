"""Whether measurements are noisy: by repeated trials, or by deviations that were told.

What a surrogate calls noise may belong to its configs: a table of measurements gives the same value
again, however rough it is. Only a trial that was run again tells these apart.
"""

from tunewise.history.history import History
from tunewise.problem import Problem


def noisy(problem: Problem, history: History, metric: str | None = None) -> bool:
    """Whether measurements of a metric, by default the objective, are known to differ."""
    name, seen = metric or problem.objective, dict[tuple[object, float], float]()
    for trial in history.complete:
        told = trial.measurement
        assert told is not None, "a complete trial has one"
        if (value := trial.metrics.get(name)) is None:
            continue
        first = seen.setdefault((problem.space.key(trial.config), trial.fraction), value)
        if first != value or told.deviations.get(name, 0.0) > 0:
            return True
    return False


def repeated(problem: Problem, history: History) -> bool:
    """Whether any trial was begun more than once."""
    begun = [trial for trial in history if trial.state != "cancelled"]
    ran = [(problem.space.key(trial.config), trial.fraction) for trial in begun]
    return len(set(ran)) < len(ran)
