"""EIc and EIc per USD, the baselines of TrimTuner's evaluation, and EI, PI and UCB without limits.

All are CherryPick's loop with another acquisition: equation 1 times P(limits hold), the same per
USD expected, and the three classics that do not know constraints.
"""

from typing import Any

from tunewise.acquisition.improving import EI, PI, ConstrainedImprovement
from tunewise.acquisition.improving import ucb as bound
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.cherrypick import improving
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.options import check_number


def eic(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
) -> ModelBased[Posterior]:
    """Constrained expected improvement; begins with a latin hypercube of four.

    Args:
        problem: What is wanted.
        seed: Of the initial design and of candidate pools.
        initial: Configs of the latin hypercube that begins: 4, "3%" or "5 USD".
        surrogate: What models each metric: a name, or one with options.
        candidates: How many configs are weighed where the space has more than that.
    """
    return improving(problem, seed, ConstrainedImprovement(), initial, surrogate, candidates)


def eic_per_usd(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
) -> ModelBased[Posterior]:
    """Constrained expected improvement divided by the expected cost of the trial."""
    acquisition = ConstrainedImprovement(per_usd=True)
    return improving(problem, seed, acquisition, initial, surrogate, candidates)


def ei(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
) -> ModelBased[Posterior]:
    """Expected improvement on the best objective measured; it does not know constraints."""
    return improving(problem, seed, EI, initial, surrogate, candidates)


def pi(
    problem: Problem,
    seed: int,
    *,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
) -> ModelBased[Posterior]:
    """The probability of improving on the best objective measured; it knows no constraints."""
    return improving(problem, seed, PI, initial, surrogate, candidates)


def ucb(
    problem: Problem,
    seed: int,
    *,
    deviations: float = 2.0,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
) -> ModelBased[Posterior]:
    """The upper confidence bound of the objective; it does not know constraints.

    Args:
        problem: What is wanted.
        seed: Of the initial design and of candidate pools.
        deviations: Standard deviations above the mean.
        initial: Configs of the latin hypercube that begins: 4, "3%" or "5 USD".
        surrogate: What models each metric: a name, or one with options.
        candidates: How many configs are weighed where the space has more than that.
    """
    check_number("deviations", deviations)
    return improving(problem, seed, bound(deviations), initial, surrogate, candidates)
