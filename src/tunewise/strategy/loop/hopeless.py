"""When trials of a strategy without a posterior are hopeless: what it asks instead."""

from dataclasses import dataclass

from tunewise.belief.model import Model
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.outclassed import outclassed
from tunewise.strategy.loop.patience import hopeless_by_slopes


@dataclass(frozen=True)
class HopelessStop:
    """Stops by the clock and by reports, for strategies that have no belief of their own.

    Attributes:
        on: Whether anything is stopped at all.
    """

    on: bool = True

    def after(self, problem: Problem, history: History, trial: Trial) -> float | None:
        """Seconds after which a trial will not keep a limit any more; None for never."""
        return hopeless_by_slopes(problem, history, trial) if self.on else None

    def why(self, problem: Problem, history: History, trial: Trial) -> str | None:
        """Why what it has reported rules out that it becomes the answer; None while it may."""
        return outclassed(problem, history, trial, Model()) if self.on else None
