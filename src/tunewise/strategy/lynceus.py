"""Lynceus (Casimiro and others, 2019): the cheapest config within limits, found cheaply.

In each step the trial is run whose exploration path promises most reward per USD, among those that
what is left of the budget pays for with probability 0.99. `lynceus_paper` is that on random trees
with two steps of lookahead, begun by a latin hypercube of 3 % of the space. `lynceus` by itself is
`machines` wherever that applies; with another surrogate it is Lynceus on that.
"""

from typing import Any

from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.machines.wanted import Wanted
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.errors import StrategyError
from tunewise.problem import Problem
from tunewise.problem.options import choice
from tunewise.strategy.loop.affordability import surely_paid
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, on_full
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.options import OPTIONS, grace, refuse_given, takes
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.machines import machines
from tunewise.strategy.published.incumbent import best_full_run
from tunewise.strategy.published.rewarded import by_reward, random_trees
from tunewise.surrogate.registered import SURROGATES, SurrogateSpec


@takes(prune=OPTIONS["prune_after"])
def lynceus(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "machines",
    horizon: int = 0,
    roots: int = 3,
    discount: float = 0.9,
    prune: float | bool | None = True,
    runs: float | None = None,
    initial: Any = None,
    candidates: int = 400,
) -> ModelBased[Any]:
    """Reward per USD at the full data, with a model of machines where cost and time are wanted.

    By "machines" the next step alone is looked at, nothing is begun with, and `runs` counts.
    """
    if isinstance(surrogate, str):
        known = choice(["machines", *SURROGATES.names()])
        known.check("surrogate", surrogate, StrategyError)
    longer = grace(prune)
    begin = Amount.of(4 if initial is None else initial)
    ahead = Lookahead(horizon, roots, 1, discount)
    by_machines = surrogate == "machines"
    if by_machines and horizon == 0 and Wanted.of(problem) is not None:
        return machines(problem, seed, prune=longer, runs=runs, candidates=candidates)
    refuse_given("runs", runs, "where machines does not decide")
    model = Model(SurrogateSpec.of("gp" if by_machines else surrogate), full_only=True)
    belief, design = Modelled(model, "full", candidates), InitialDesign(on_full, begin)
    parts = design, ahead, PredictedBest(tested=True), surely_paid
    return by_reward(problem, seed, belief, *parts, stops=longer is not None)


@takes()
def lynceus_paper(
    problem: Problem,
    seed: int,
    *,
    horizon: int = 2,
    initial: Any = "3%",
    trees: int = 10,
    candidates: int = 400,
) -> ModelBased[Posterior]:
    """Lynceus as published: bagged trees, a budget, exploration paths of three trials."""
    design = InitialDesign(on_full, Amount.of(initial))
    ahead = Lookahead(horizon, 3, 1, 0.9)
    model = Model(random_trees(trees), full_only=True, published=True)
    belief = Modelled(model, "full", candidates)
    return by_reward(problem, seed, belief, design, ahead, best_full_run, surely_paid)
