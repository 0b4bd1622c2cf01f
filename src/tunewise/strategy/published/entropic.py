"""What FABOLAS and Fabulinus share: entropy search on slices, and their model by MCMC."""

from typing import Any

from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import Growth
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.initial_design import InitialDesign
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.patience import WhileHopeful
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.surrogate.registered import SurrogateSpec


def by_mcmc(samples: int) -> Model:
    """The papers' model: hyper-parameters by MCMC, bases of FABOLAS, no list prices."""
    spec = SurrogateSpec("gp_mcmc", (("samples", samples), ("plain", True)))
    return Model(spec, "fabolas", known_price=False, published=True)


def by_entropy(
    problem: Problem,
    seed: int,
    surrogate: Any,
    candidates: int,
    design: InitialDesign,
    acquisition: EntropySearch,
    recommender: PredictedBest,
    prune: bool,
) -> ModelBased[Posterior]:
    """Entropy search on slices of the data, with our belief."""
    model = Model(SurrogateSpec.of(surrogate))
    parts = Parts(
        belief=Modelled(model, candidates=candidates),
        design=design,
        acquisition=acquisition,
        recommender=recommender,
        gain=knowledge,
        affordability=Growth(None),
        patience=WhileHopeful() if prune else None,
        reports=model if prune else None,
    )
    return ModelBased(problem, seed, parts)
