"""What stops trials: the contract of a pruner beside a strategy."""

from abc import ABC, abstractmethod

from tunewise.history import BOOKED, History, Trial
from tunewise.problem import Constraint, Problem

GRACE = 1.5
"""How many times a limit, or what the best one needed, a trial may take: one on the full data
teaches others by how far it breaks it, and all of the data never takes less than a slice. The best
of four for the cheapest machines (NOTEBOOK.md)."""


class Pruner(ABC):
    """Says when a trial is better stopped: a limit before it starts, a verdict while it reports.

    Both are functions of the history alone, as the answers of a strategy are. A trial that is
    stopped is told as `TimedOut`: its time and cost are lower bounds of what the config would have
    taken, and its snapshots stay.
    """

    @abstractmethod
    def limit(self, history: History, trial: Trial) -> float | None:
        """Seconds after which a trial about to start is pruned; None for never."""

    def verdict(self, history: History, trial: Trial) -> str | None:
        """Why a running trial is better stopped, by what it has reported; None to let it run.

        The history has its reports by then.
        """
        return None


class BrokenLimits(Pruner):
    """Stops what has broken a limit, or lost to the best one: no larger slice takes less."""

    def __init__(self, problem: Problem) -> None:
        """Keep the limits."""
        self._problem = problem

    def limit(self, history: History, trial: Trial) -> float | None:
        """Seconds after which a limit is broken."""
        return broken_after(self._problem, history, trial)


def limits_on_spending(problem: Problem, history: History) -> list[Constraint]:
    """Upper limits on cost and time that the answer keeps.

    They are those of the problem and, where the least cost or time is wanted, what the best config
    so far has needed, with some grace.
    """
    limits = [c for c in problem.constraints if c.metric in BOOKED and c.sign == "<="]
    if problem.objective in BOOKED and not problem.maximize and len(problem.objectives) == 1:
        best = history.best(problem)
        if best is not None and best.metrics[problem.objective] > 0:
            most = GRACE * best.metrics[problem.objective]
            limits.append(Constraint(problem.objective, "<=", most))
    return limits


def broken_after(problem: Problem, history: History, trial: Trial) -> float | None:
    """Seconds after which a trial has broken a limit on time, or on cost at a known price."""
    limits = limits_on_spending(problem, history)
    ends = [c.bound for c in limits if c.metric == "time"]
    for limit in limits:
        if limit.metric == "cost" and problem.price is not None:
            hourly = problem.hourly(trial.config)
            ends += [3600 * limit.bound / hourly] if hourly > 0 else []
    return min(ends, default=None)
