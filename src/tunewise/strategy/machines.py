"""The cheapest cluster within limits, by a belief that knows machines: ours, after Lynceus.

As Lynceus, it runs the trial that promises most per USD among those that the budget surely pays
for. Unlike it, it believes in cores, memory and list prices before the first trial, so that no
initial design is needed; it weighs the probability of being the optimum instead of the
improvement; and it stops trials that cannot win any more.
"""

import math

import numpy as np

from tunewise.acquisition.optimality import OptimalityPerUsd
from tunewise.belief.machines.belief import Machines
from tunewise.belief.machines.evidence import bills, prices
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.machines.wanted import Wanted
from tunewise.errors import MetricsRefused
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import payable_clusters
from tunewise.strategy.loop.expected_gain import on_clusters
from tunewise.strategy.loop.initial_design import NOTHING
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import OPTIONS, grace, refuse_given, takes
from tunewise.strategy.loop.payback import Payback
from tunewise.strategy.loop.recommender import best_cluster
from tunewise.surrogate.normal import Normal


@takes(prune=OPTIONS["prune_after"])
def machines(
    problem: Problem,
    seed: int,
    *,
    prune: float | bool | None = True,
    runs: float | None = None,
    candidates: int = 400,
) -> ModelBased[MachinePosterior]:
    """The most probable optimum per USD, by a model that knows machines; cost and time only."""
    longer = grace(prune)
    wanted = Wanted.of(problem)
    if wanted is None:
        raise MetricsRefused(
            "machines finds the least cost or time at the full data, with limits on both alone;"
            f" expected such a problem, not {problem!r}: cherrypick takes any"
        )
    if not wanted.cheapest:
        refuse_given("runs", runs, "where the least time is wanted: it saves no USD")
    parts = Parts(
        belief=Machines(wanted, candidates, longer),
        design=NOTHING,
        acquisition=OptimalityPerUsd(),
        recommender=best_cluster,
        gain=on_clusters,
        affordability=payable_clusters,
        else_random=False,
        pays=None if runs is None else Payback(float(runs)),
        time_limit=None if longer is None else PrunedClusters(wanted, longer),
    )
    return ModelBased(problem, seed, parts)


class PrunedClusters:
    """When a trial has broken a limit or lost to the incumbent, and its grace is over."""

    def __init__(self, wanted: Wanted, grace: float) -> None:
        """Keep what is wanted, and how much longer than one that has lost a trial may run."""
        self._wanted, self._grace = wanted, grace

    def __call__(self, problem: Problem, history: History, trial: Trial, seed: int) -> float | None:
        """Seconds after which the trial is stopped.

        List prices alone stop nothing: before the first bill only a limit on time does.
        """
        if trial.fraction != 1.0:
            return None
        few = MachinePool(
            problem, self._wanted, [trial.config, *(t.config for t in history.full)], seed
        )
        billed = len(bills(problem, history, few.place)[0])
        price = prices(problem, history, few.place, few.prices)[:1]
        if problem.price is None and not billed:
            price = Normal(np.full(1, -math.inf), np.zeros(1))
        best = self._wanted.incumbent(problem, history)
        stop = float(self._wanted.stopped_after(price, best, self._grace)[0])
        return math.exp(stop) if math.isfinite(stop) else None
