"""The least cost or time within limits: what a belief that knows machines can answer."""

import math
from typing import NamedTuple

import numpy as np

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.surrogate.normal import SURELY, Array, Normal

NEARLY = math.log(1.1)
"""A config that costs 10 % more than the best one is as good: less tells the samples of a pool
apart by their noise, more rewards what is no longer worth deploying. One that fails is taken as
this much slower than the limit: of no use, and so are its like, but no more than just."""


class Wanted(NamedTuple):
    """The least cost or time, and the logarithms of the limits on both (infinite without one)."""

    cheapest: bool
    time: float
    cost: float

    @classmethod
    def of(cls, problem: Problem) -> "Wanted | None":
        """None where something else is wanted, too."""
        known = problem.objective in ("cost", "time") and not problem.maximize
        limits = {"time": math.inf, "cost": math.inf}
        for constraint in problem.constraints:
            if constraint.metric not in limits or constraint.sign != "<=":
                return None
            limits[constraint.metric] = min(limits[constraint.metric], math.log(constraint.bound))
        if not known or problem.deploy != "full":
            return None
        return cls(problem.objective == "cost", limits["time"], limits["cost"])

    def incumbent(self, problem: Problem, history: History) -> float:
        """Logarithm of the best objective that was measured, infinite while there is none."""
        best = history.full.best(problem)
        return math.inf if best is None else math.log(max(best.metrics[problem.objective], 1e-12))

    def lost_after(self, log_price: Array, best: float) -> Array:
        """Log seconds beyond which configs of these prices break a limit or lose to the best."""
        dearest = np.minimum(self.cost, best if self.cheapest else math.inf) - log_price
        slowest = self.time if self.cheapest else min(self.time, best)
        return np.asarray(np.minimum(dearest, slowest), float)

    def stopped_after(self, price: Normal, best: float, grace: float) -> Array:
        """Log seconds after which trials have lost and their grace is over, (n,).

        Whoever loses by its price must lose at the lowest that the price may be: where nothing
        lists it, the best config of all may look dear until it is billed.

        Args:
            price: Log USD per second, (n,).
            best: Logarithm of the best objective, infinite while there is none.
            grace: How many times as long as one that has lost a trial may run.
        """
        doubt = SURELY * np.asarray(price.std, float) - math.log(grace)
        lowest = np.asarray(price.mean, float) - np.maximum(doubt, 0.0)
        return math.log(grace) + self.lost_after(lowest, best)
