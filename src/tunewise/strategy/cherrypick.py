"""CherryPick (Alipourfard and others, NSDI 2017): constrained expected improvement.

EI times the probability that all limits hold (the thesis' equations 2.13 to 2.17), on Gaussian
processes at the full data. `cherrypick_paper` begins with three random configs and ends as the
paper does: once the expected improvement is below a tenth of the best, after six trials.
"""

from typing import Any

from tunewise.acquisition.improving import ConstrainedImprovement
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import everything
from tunewise.strategy.loop.expected_gain import improvement
from tunewise.strategy.loop.gain import LeastGain
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, at_random, on_full
from tunewise.strategy.loop.model_based import ModelBased, Parts
from tunewise.strategy.loop.options import takes
from tunewise.strategy.loop.patience import WhileHopeful
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.published.incumbent import best_full_run
from tunewise.strategy.strategy import SURE
from tunewise.surrogate.registered import SurrogateSpec
from tunewise.surrogate.slope import LEAST


@takes()
def cherrypick(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
    stop: float | None = None,
    least: int = 6,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """Constrained expected improvement on Gaussian processes, full data only."""
    enough = None if stop is None else LeastGain(float(stop), True, least)
    worth = ConstrainedImprovement(least=LEAST, sure=SURE)
    return improving(problem, seed, worth, initial, surrogate, candidates, enough, prune)


@takes()
def cherrypick_paper(
    problem: Problem, seed: int, *, initial: Any = 3, candidates: int = 4096
) -> ModelBased[Posterior]:
    """CherryPick as published: three random configs begin, a gain below 10 % ends."""
    plain = SurrogateSpec("gp", (("plain", True),))
    parts = Parts(
        belief=Modelled(Model(plain, full_only=True, published=True), "full", candidates),
        design=InitialDesign(at_random, Amount.of(initial)),
        acquisition=ConstrainedImprovement(measured=True),
        recommender=best_full_run,
        gain=improvement,
        affordability=everything,
        stop=LeastGain(0.1, True, 6),
    )
    return ModelBased(problem, seed, parts)


@takes()
def improving(
    problem: Problem,
    seed: int,
    acquisition: Any,
    initial: Any,
    surrogate: Any,
    candidates: int,
    enough: LeastGain | None = None,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """A latin hypercube, then the untried config of most worth, at the full data."""
    model = Model(SurrogateSpec.of(surrogate), full_only=True)
    parts = Parts(
        belief=Modelled(model, "full", candidates),
        design=InitialDesign(on_full, Amount.of(initial)),
        acquisition=acquisition,
        recommender=PredictedBest(tested=True),
        gain=improvement,
        affordability=everything,
        stop=enough,
        patience=WhileHopeful() if prune else None,
        reports=model if prune else None,
    )
    return ModelBased(problem, seed, parts)
