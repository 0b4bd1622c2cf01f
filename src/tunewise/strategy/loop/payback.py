"""When another trial no longer pays: it costs more than it is expected to save."""

import math
from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.optimality import improvement
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.format import money
from tunewise.strategy.loop.affordability import payable_clusters


@dataclass(frozen=True)
class Payback:
    """A trial pays when all runs of the deployed config save more than the trial costs.

    Only what a trial finds itself is counted, not what it teaches about others.

    Attributes:
        runs: How often the deployed config will run.
    """

    runs: float

    def __call__(self, posterior: MachinePosterior) -> str | None:
        """Why no trial pays any more; before a first config keeps the limits all do."""
        if not math.isfinite(posterior.best) or not posterior.told:
            return None
        trials = payable_clusters(posterior, posterior.open)
        if not len(trials):
            return None
        saved = self.runs * math.exp(posterior.best) * improvement(posterior, trials)
        cost = posterior.spending[trials]
        best = int(np.argmax(saved - cost))
        if saved[best] >= cost[best]:
            return None
        return (
            f"one more trial no longer pays: it is expected to cost {money(float(cost[best]))} and"
            f" to save {money(float(saved[best]))} in {self.runs:g} runs"
        )
