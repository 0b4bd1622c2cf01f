"""TrimTuner (Mendes and others, 2020): constrained search on slices of the data.

A trial is worth what it teaches about the full-data recommendation, per unit of what it spends. The
paper's acquisition is its equation 5, its filter equation 6, its loop algorithm 1:
`trimtuner_paper` has all of them. The default weighs by the knowledge gradient of the constrained
recommendation instead, and trials grow slowly.
"""

from typing import Any

from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.knowledge_gradient import KnowledgeGradient
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.problem.options import choice
from tunewise.strategy.loop.affordability import Growth
from tunewise.strategy.loop.chosen_filter import ChosenFilter, expected_accuracy
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.initial_design import begun_by
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import OPTIONS, takes
from tunewise.strategy.loop.patience import WhileHopeful
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.surrogate.registered import SurrogateSpec

ACQUISITIONS = ("knowledge", "entropy", "literal")
WEIGHED = 2000
"""Configs whose trials are weighed by the acquisition; of larger pools the most promising ones. A
filter chooses for itself."""


@takes(acquisition=choice(ACQUISITIONS), roots=OPTIONS["roots"].or_none())
def trimtuner(
    problem: Problem,
    seed: int,
    *,
    surrogate: Any = "gp",
    acquisition: str = "knowledge",
    bootstrap: str = "cheap",
    initial: Any = None,
    overhead: float = 0.1,
    growth: float | None = 1.5,
    roots: int | None = None,
    feasible: float = 0.9,
    filter: str = "none",
    share: float = 0.1,
    candidates: int = WEIGHED,
    prune: bool = True,
    inside: bool = True,
) -> ModelBased[Posterior]:
    """Learns on slices, recommends for the full data, keeps the limits.

    It begins with 3 configs, or with all where they are unrelated. The acquisition is "knowledge",
    "entropy", or "literal": equation 5 as printed, with one root. A filter ("cea", "random",
    "direct", "cmaes") chooses a share of the trials to be weighed.
    """
    worth = _worth(acquisition, roots, overhead, feasible, prune)
    gradient = worth if isinstance(worth, KnowledgeGradient) else None
    model = Model(SurrogateSpec.of(surrogate), inside=inside)
    parts = Parts(
        belief=Modelled(model, "all", candidates, WEIGHED if filter == "none" else None),
        design=begun_by(bootstrap, initial, problem, model.unrelated(problem)),
        acquisition=worth,
        recommender=PredictedBest(feasible),
        gain=knowledge,
        affordability=Growth(growth, stopped=gradient is not None and gradient.stops),
        patience=WhileHopeful(gradient) if prune else None,
        reports=model if prune else None,
        filter=ChosenFilter(filter, 1.0 if filter == "none" else share, expected_accuracy),
    )
    return ModelBased(problem, seed, parts)


def _worth(
    name: str, roots: int | None, overhead: float, feasible: float, stops: bool
) -> KnowledgeGradient | EntropySearch:
    """What a trial is worth, by the name of the acquisition."""
    if name == "knowledge":
        return KnowledgeGradient(roots, overhead, stops=stops, least=feasible)
    if name == "entropy":
        return EntropySearch("feasibility", True, roots or 3, overhead, feasible)
    return EntropySearch("feasibility", False, roots or 1, 0.0, feasible)
