"""Nephele (Mendes, 2020): the cheapest run that is good enough, its fraction included.

Lynceus' long-sighted search over (config, fraction): the data may be sub-sampled in what is
deployed, not only in the search. A model of every limited metric stands beside that of the cost,
outcomes are speculated on by N x M Gauss-Hermite roots (equation 3.3), and the trial of most reward
per cost is run (equation 3.2). `nephele_paper` is the thesis' own: five random trees, a hypercube
for 5 USD (algorithm 2), and the feasible set of algorithm 3, lines 2 and 31.
"""

from typing import Any

from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import predicted_feasible, surely_paid
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, hypercube, on_cheapest
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.options import takes
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.published.incumbent import best_run
from tunewise.strategy.published.rewarded import by_reward, random_trees
from tunewise.surrogate.registered import SurrogateSpec


@takes()
def nephele(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "gp",
    horizon: int = 0,
    roots: int = 3,
    accuracy_roots: int = 1,
    discount: float = 0.9,
    bootstrap: str = "cheap",
    initial: Any = 5,
    initial_budget: float = 5.0,
    candidates: int = 2000,
    paths: int = 2000,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """Reward per USD of exploration paths over (config, fraction)."""
    ahead = Lookahead(horizon, roots, accuracy_roots, discount, by_means=True)
    begin = Amount.of(initial)
    design = InitialDesign(on_cheapest, begin)
    if bootstrap == "paper":
        design = InitialDesign(hypercube, Amount(begin.configs, usd=initial_budget))
    belief = Modelled(Model(SurrogateSpec.of(surrogate)), "deployable", candidates)
    parts = design, ahead, PredictedBest(tested=True), surely_paid
    return by_reward(problem, seed, belief, *parts, paths=paths, stops=prune)


@takes()
def nephele_paper(
    problem: Problem,
    seed: int,
    *,
    horizon: int = 0,
    initial: Any = "5 USD",
    trees: int = 5,
    accuracy_roots: int = 3,
    candidates: int = 2000,
) -> ModelBased[Posterior]:
    """Nephele as published: five trees, and trials whose predicted means keep all limits."""
    design = InitialDesign(hypercube, Amount.of(initial))
    ahead = Lookahead(horizon, 3, accuracy_roots, 0.9, by_means=True)
    belief = Modelled(Model(random_trees(trees), published=True), "deployable", candidates)
    return by_reward(problem, seed, belief, design, ahead, best_run, predicted_feasible)
