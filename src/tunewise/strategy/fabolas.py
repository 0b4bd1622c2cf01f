"""FABOLAS (Klein and others, 2017): entropy search over the full-data optimum, limits unseen.

Information about the unconstrained optimum per unit of cost and overhead (TrimTuner's equation 3,
the thesis' 2.25). `fabolas` scores the information gained on our models; `fabolas_paper` all of it,
as printed, on Gaussian processes by MCMC with the bases (1, (1 - s)^2) and (1, s), and recommends
among tested configs.
"""

from typing import Any

from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import everything
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.initial_design import BOOTSTRAPS, Amount, InitialDesign, on_all_slices
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import takes
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.published.entropic import by_entropy, by_mcmc
from tunewise.strategy.published.incumbent import Incumbent


@takes()
def fabolas(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "gp",
    bootstrap: str = "paper",
    initial: Any = 1,
    overhead: float = 0.1,
    roots: int = 3,
    candidates: int = 2000,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """Information about the optimum per unit of cost; it does not know constraints."""
    design = InitialDesign(BOOTSTRAPS[bootstrap], Amount.of(initial))
    worth = EntropySearch("none", roots=roots, overhead=overhead, limited=False)
    best = PredictedBest(least=None)
    return by_entropy(problem, seed, surrogate, candidates, design, worth, best, prune)


@takes()
def fabolas_paper(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 10,
    samples: int = 10,
    roots: int = 3,
    candidates: int = 500,
) -> ModelBased[Posterior]:
    """FABOLAS as published: MCMC, its own bases, the incumbent among tested configs.

    What it calls overhead is computing time, which a function of the history cannot know: 0 here.
    """
    printed = EntropySearch(
        "none", gained=False, roots=roots, overhead=0.0, targets=None, limited=False
    )
    parts = Parts(
        belief=Modelled(by_mcmc(samples), candidates=candidates),
        design=InitialDesign(on_all_slices, Amount.of(initial)),
        acquisition=printed,
        recommender=Incumbent(least=None, tested=True),
        gain=knowledge,
        affordability=everything,
    )
    return ModelBased(problem, seed, parts)
