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
from tunewise.strategy.loop.options import LONGER, grace, refuse_given, takes
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.machines import machines
from tunewise.strategy.published.incumbent import best_full_run
from tunewise.strategy.published.rewarded import by_reward, random_trees
from tunewise.surrogate.registered import SURROGATES, SurrogateSpec


@takes(stop_hopeless=LONGER)
def lynceus(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "machines",
    horizon: int = 0,
    roots: int = 3,
    discount: float = 0.9,
    stop_hopeless: float | bool | None = True,
    runs: float | None = None,
    initial: Any = None,
    candidates: int = 400,
) -> ModelBased[Any]:
    """Reward per USD at the full data, with a model of machines where cost and time are wanted.

    Args:
        problem: What is wanted.
        seed: Of all that is drawn.
        surrogate: "machines", or what models each metric: "gp", "gp_mcmc" or "trees", or one
            with options.
        horizon: Steps to look ahead; "machines" looks at the next one only.
        roots: Gauss-Hermite roots of an outcome on the way ahead.
        discount: The weight of each step relative to the one before.
        stop_hopeless: How many times as long a trial may run as one that could win; False: no stop.
        runs: How often the deployed config will run; only for "machines", which explains it.
        initial: Configs that begin, 4 by default, "3%" or "5 USD"; not for "machines".
        candidates: How many configs are weighed where the space has more than that.
    """
    if isinstance(surrogate, str):
        known = choice(["machines", *SURROGATES.names()])
        known.check("surrogate", surrogate, StrategyError)
    longer = grace(stop_hopeless)
    begin = Amount.of(4 if initial is None else initial)
    ahead = Lookahead(horizon, roots, 1, discount)
    by_machines = surrogate == "machines"
    if by_machines and horizon == 0 and Wanted.of(problem) is not None:
        return machines(problem, seed, stop_hopeless=longer, runs=runs, candidates=candidates)
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
    """Lynceus as published: bagged trees, a budget, exploration paths of three trials.

    Args:
        problem: What is wanted, with a budget.
        seed: Of all that is drawn.
        horizon: Steps to look ahead.
        initial: Configs of the latin hypercube that begins: "3%" of the space, 4 or "5 USD".
        trees: Of the ensemble.
        candidates: How many configs are weighed where the space has more than that.
    """
    design = InitialDesign(on_full, Amount.of(initial))
    ahead = Lookahead(horizon, 3, 1, 0.9)
    model = Model(random_trees(trees), full_only=True, published=True)
    belief = Modelled(model, "full", candidates)
    return by_reward(problem, seed, belief, design, ahead, best_full_run, surely_paid)
