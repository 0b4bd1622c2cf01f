"""TrimTuner as published (Mendes and others, 2020, algorithm 1).

One random config on every slice as snapshots of one run (lines 3 to 9), CEA of 10 % (equation 6,
line 12), equation 5 with a single root over all configs, the incumbent of line 20, 44 iterations.
Surrogates are the paper's: Gaussian processes with FABOLAS' kernels, in its earlier version by
MCMC, or plain bagged extra-trees. What differs stands in docs/as-published.md.
"""

from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.problem.options import choice, whole
from tunewise.strategy.loop.affordability import everything
from tunewise.strategy.loop.chosen_filter import ChosenFilter, expected_accuracy
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, snapshots
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import takes
from tunewise.strategy.published.incumbent import Incumbent
from tunewise.surrogate.registered import SurrogateSpec

MODELS = {
    "gp": SurrogateSpec("gp", (("plain", True),)),
    "gp_mcmc": SurrogateSpec("gp_mcmc", (("plain", True),)),
    # Trees that never leave their data: the common slope is ours.
    "trees": SurrogateSpec("trees", (("slope", 0.0),)),
}


@takes(surrogate=choice(MODELS), initial=whole())
def trimtuner_paper(
    problem: Problem,
    seed: int,
    *,
    surrogate: str = "trees",
    initial: int = 1,
    share: float = 0.1,
    feasible: float = 0.9,
    iterations: int = 44,
    candidates: int = 2000,
) -> ModelBased[Posterior]:
    """TrimTuner as published: equation 5 with one root on a tenth of the trials, by CEA.

    Several first configs are spread by a latin hypercube (footnote 1).
    """
    model = Model(MODELS[surrogate], basis="fabolas", known_price=False, published=True)
    literal = EntropySearch(
        "feasibility", gained=False, roots=1, overhead=0.0, least=feasible, targets=None
    )
    parts = Parts(
        belief=Modelled(model, candidates=candidates),
        design=InitialDesign(snapshots, Amount(initial)),
        acquisition=literal,
        recommender=Incumbent(feasible),
        gain=knowledge,
        affordability=everything,
        filter=ChosenFilter("cea", share, expected_accuracy),
        iterations=iterations,
    )
    return ModelBased(problem, seed, parts)
