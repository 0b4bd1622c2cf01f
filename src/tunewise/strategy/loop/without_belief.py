"""When trials of a strategy without a posterior are pruned: what it asks instead."""

from tunewise.belief.model import Model
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.outclassed import outclassed
from tunewise.strategy.loop.patience import pruned_by_slopes
from tunewise.strategy.pruner import Pruner


class PrunerWithoutBelief(Pruner):
    """Stops by the clock and by reports, for strategies that have no belief of their own."""

    def __init__(self, problem: Problem, on: bool = True) -> None:
        """Say what is wanted, and whether anything is stopped at all."""
        self._problem, self._on = problem, on

    def limit(self, history: History, trial: Trial) -> float | None:
        """Seconds after which a trial will not keep a limit any more; None for never."""
        return pruned_by_slopes(self._problem, history, trial) if self._on else None

    def verdict(self, history: History, trial: Trial) -> str | None:
        """Why what it has reported rules out that it becomes the answer; None while it may."""
        return outclassed(self._problem, history, trial, Model()) if self._on else None
