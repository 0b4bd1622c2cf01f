"""Fabulinus (Mendes, 2020): constrained entropy search, ES_C.

Information about the full-data optimum per unit of cost and overhead (equation 4.3), times the
constrained expected accuracy of the next incumbent (equations 4.4 and 4.5); it recommends what is
feasible with probability 0.99. `fabulinus_paper` also begins, filters and ends as the thesis does:
3 % of the configs on all slices, the top of its own CEA, never the full data, 100 iterations.
"""

from typing import Any

from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import everything
from tunewise.strategy.loop.chosen_filter import ChosenFilter, next_incumbents_accuracy
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, in_turn, on_all_slices
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import takes
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.published.entropic import by_entropy, by_mcmc
from tunewise.strategy.published.incumbent import Incumbent


@takes()
def fabulinus(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "gp",
    initial: Any = 8,
    overhead: float = 0.1,
    roots: int = 1,
    feasible: float = 0.99,
    candidates: int = 2000,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """ES_C on slices of the data, one root, incumbents safe with probability 0.99."""
    design = InitialDesign(in_turn, Amount.of(initial))
    worth = EntropySearch("accuracy", gained=False, roots=roots, overhead=overhead, least=feasible)
    best = PredictedBest(feasible)
    return by_entropy(problem, seed, surrogate, candidates, design, worth, best, prune)


@takes()
def fabulinus_paper(
    problem: Problem,
    seed: int,
    *,
    initial: Any = "3%",
    samples: int = 10,
    share: float = 0.1,
    feasible: float = 0.99,
    iterations: int = 100,
    candidates: int = 500,
) -> ModelBased[Posterior]:
    """Fabulinus as published: all slices begin, its CEA filters, the full data is never run."""
    parts = Parts(
        belief=Modelled(by_mcmc(samples), "slices", candidates),
        design=InitialDesign(on_all_slices, Amount.of(initial)),
        acquisition=EntropySearch(
            "accuracy", gained=False, roots=1, overhead=0.0, least=feasible, targets=None
        ),
        recommender=Incumbent(feasible),
        gain=knowledge,
        affordability=everything,
        # Whole configs, each with all its slices (algorithm 5, lines 2 to 4); it names no share.
        filter=ChosenFilter("cea", share, next_incumbents_accuracy(feasible), of_configs=True),
        iterations=iterations,
    )
    return ModelBased(problem, seed, parts)
