"""Whether slices of the data save anything, by what trials on them have taken."""

from statistics import median

from tunewise.format import duration
from tunewise.history import History
from tunewise.problem import Problem

_ALIKE = 0.9
"""The share of the time of a full training from which on a slice is said to take as long."""

_SEVERAL = 3
"""Trials on a slice, and on all of the data, before anything is said: configs differ too."""


def idle_slices(problem: Problem, history: History) -> str | None:
    """That trials on a slice take as long as those on all of the data; None where they do not."""
    times: dict[float, list[float]] = {}
    for trial in history.complete:
        if trial.metrics.get("time", 0.0) > 0:
            times.setdefault(trial.fraction, []).append(trial.metrics["time"])
    told = {s: median(each) for s, each in times.items() if len(each) >= _SEVERAL}
    idle = [s for s in told if s < 1.0 and 1.0 in told and told[s] >= _ALIKE * told[1.0]]
    if not idle:
        return None
    least = min(idle)
    return (
        f"Trials on {problem.part(least)} take as long as full ones ({duration(told[least])} and"
        f" {duration(told[1.0])}), so they save nothing: leave out the fractions, or have the job"
        " do less where its fraction is below 1."
    )
