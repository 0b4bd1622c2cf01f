"""When one more trial is expected to bring too little."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from tunewise.history import History, TrialState
from tunewise.problem import Problem


@dataclass(frozen=True)
class LeastGain:
    """What one more trial must be expected to bring, or the search is over.

    Attributes:
        amount: In the objective's own unit, or as a share of the best objective so far.
        relative: Whether it is a share.
        trials: Before so many trials have ended the search is never over.
    """

    amount: float
    relative: bool = False
    trials: int = 0

    def missed(
        self, problem: Problem, history: History, gain: Callable[[], float | None]
    ) -> str | None:
        """Why the search is over, None when it goes on or the gain is not known.

        The gain is asked for only where it matters. A share is one of the best feasible objective
        measured where it could be deployed: while there is none, nothing is too little.
        """
        least = self._least(problem, history)
        if least is None or len(history.of(TrialState.COMPLETE, TrialState.FAILED)) < self.trials:
            return None
        expected = gain()
        if expected is None or math.isnan(expected) or expected >= least:
            return None
        share = f" ({100 * self.amount:g} % of the best)" if self.relative else ""
        return f"one more trial is expected to bring {expected:.2g}, less than {least:g}{share}"

    def _least(self, problem: Problem, history: History) -> float | None:
        if not self.relative:
            return self.amount
        best = history.best(problem)
        return None if best is None else self.amount * abs(best.metrics[problem.objective])
