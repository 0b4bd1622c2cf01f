"""BOHB (Falkner and others, 2018): Hyperband's brackets with new configs from a model.

The model is of the largest fraction that enough is known about; some configs stay random, so that
none is ruled out. `bohb_paper` has the paper's: two kernel densities, of the good and of the other
configs, and the best ratio of 64 samples (equations 2 to 4). `bohb` has our surrogates, and
constrained expected improvement there.
"""

from typing import Any

from tunewise.belief.model import Model
from tunewise.problem import Problem
from tunewise.strategy.loop.options import takes
from tunewise.strategy.successive_halving.brackets import Brackets
from tunewise.strategy.successive_halving.newcomer import ByModel, Densities, Improvement
from tunewise.surrogate.registered import SurrogateSpec


@takes()
def bohb(
    problem: Problem,
    seed: int,
    *,
    eta: int = 3,
    random: float = 1 / 3,
    surrogate: Any = "gp",
    candidates: int = 2000,
    prune: bool = True,
) -> Brackets:
    """Hyperband whose new configs come from a model; some stay random: none is ruled out."""
    model = Model(SurrogateSpec.of(surrogate), basis="none")
    newcomer = ByModel(random, candidates, Improvement(model))
    return Brackets(problem, seed, "bohb", eta, newcomer, prune)


@takes()
def bohb_paper(
    problem: Problem,
    seed: int,
    *,
    eta: int = 3,
    random: float = 1 / 3,
    top: float = 0.15,
    candidates: int = 2000,
) -> Brackets:
    """BOHB as published: kernel densities of the good and of the other configs."""
    newcomer = ByModel(random, candidates, Densities(top))
    return Brackets(problem, seed, "bohb_paper", eta, newcomer, prune=False)
