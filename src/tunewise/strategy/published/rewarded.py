"""The loop of Lynceus and Nephele: reward per cost of exploration paths, and their trees."""

from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.modelled import Modelled
from tunewise.acquisition.reward import RewardPerCost
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import Affordability
from tunewise.strategy.loop.expected_gain import measured_improvement
from tunewise.strategy.loop.initial_design import InitialDesign
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.patience import WhileHopeful
from tunewise.strategy.loop.recommender import Recommender
from tunewise.surrogate.registered import SurrogateSpec


def random_trees(count: int) -> SurrogateSpec:
    """Bagged trees as Lynceus and Nephele have them: Weka's, which never leave their data."""
    return SurrogateSpec("trees", (("trees", count), ("slope", 0.0), ("kind", "random")))


def by_reward(
    problem: Problem,
    seed: int,
    belief: Modelled,
    design: InitialDesign,
    ahead: Lookahead,
    recommender: Recommender[Posterior],
    affordability: Affordability[Posterior],
    paths: int = 2000,
    stops: bool = False,
) -> ModelBased[Posterior]:
    """Reward per cost of exploration paths, in what may be afforded."""
    parts = Parts(
        belief=belief,
        design=design,
        acquisition=RewardPerCost(ahead, paths),
        recommender=recommender,
        gain=measured_improvement,
        affordability=affordability,
        patience=WhileHopeful() if stops else None,
        reports=belief.model if stops else None,
    )
    return ModelBased(problem, seed, parts)
