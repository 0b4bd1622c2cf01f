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
    stop_hopeless: bool = True,
) -> ModelBased[Posterior]:
    """Reward per USD of exploration paths over (config, fraction).

    Args:
        problem: What is wanted. With deploy="full" only the full data is tried.
        seed: Of the initial design, of candidate pools and of random choices.
        surrogate: "gp", "gp_mcmc" or "trees", which the thesis uses, or one with options.
        horizon: How many steps paths go on after the first.
        roots: Gauss-Hermite roots of the objective and of what is spent (N).
        accuracy_roots: Those of all other metrics (M); 1 takes their means.
        discount: The weight of each step of a path relative to the one before.
        bootstrap: "cheap" begins with configs on the smallest fraction, "paper" with a latin
            hypercube over configs and fractions until the initial budget is spent.
        initial: Configs that "cheap" begins with: 5, "3%" or "5 USD".
        initial_budget: USD that "paper" begins with.
        candidates: How many configs are weighed where the space has more than that.
        paths: How many trials, the best ones by themselves, paths lead through.
        stop_hopeless: Whether trials are stopped that can no longer become the answer.
    """
    ahead = Lookahead(horizon, roots, accuracy_roots, discount, by_means=True)
    begin = Amount.of(initial)
    design = InitialDesign(on_cheapest, begin)
    if bootstrap == "paper":
        design = InitialDesign(hypercube, Amount(begin.configs, usd=initial_budget))
    belief = Modelled(Model(SurrogateSpec.of(surrogate)), "deployable", candidates)
    parts = design, ahead, PredictedBest(tested=True), surely_paid
    return by_reward(problem, seed, belief, *parts, paths=paths, stops=stop_hopeless)


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
    """Nephele as published: five trees, and trials whose predicted means keep all limits.

    Args:
        problem: What is wanted.
        seed: Of the initial design, of candidate pools and of random choices.
        horizon: How many steps paths go on after the first.
        initial: What begins: "5 USD", a count of configs or "3%" of them.
        trees: Of each ensemble.
        accuracy_roots: Gauss-Hermite roots of the accuracy on the way ahead (M): 3 as in chapter 3,
            or 1 as in section 6.5.
        candidates: How many configs are weighed where the space has more than that.
    """
    design = InitialDesign(hypercube, Amount.of(initial))
    ahead = Lookahead(horizon, 3, accuracy_roots, 0.9, by_means=True)
    belief = Modelled(Model(random_trees(trees), published=True), "deployable", candidates)
    return by_reward(problem, seed, belief, design, ahead, best_run, predicted_feasible)
