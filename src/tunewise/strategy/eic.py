"""EIc and EIc per USD, the baselines of TrimTuner's evaluation, and EI, PI and UCB without limits.

All are CherryPick's loop with another acquisition: equation 1 times P(limits hold), the same per
USD expected, and the three classics that do not know constraints.
"""

from collections.abc import Callable
from typing import Any

from tunewise.acquisition.improving import EI, PI, ConstrainedImprovement
from tunewise.acquisition.improving import ucb as bound
from tunewise.belief.posterior import Posterior
from tunewise.problem import Problem
from tunewise.strategy.cherrypick import improving
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.options import takes


def _baseline(name: str, acquisition: Any, what: str) -> Callable[..., ModelBased[Posterior]]:
    """CherryPick's loop with this acquisition, under a name of its own."""

    def strategy(
        problem: Problem,
        seed: int,
        *,
        initial: Any = 4,
        surrogate: Any = "gp",
        candidates: int = 4096,
        prune: bool = True,
    ) -> ModelBased[Posterior]:
        return improving(problem, seed, acquisition, initial, surrogate, candidates, None, prune)

    strategy.__name__, strategy.__doc__ = name, what
    return strategy


eic = _baseline(
    "eic",
    ConstrainedImprovement(),
    "Constrained expected improvement; begins with a latin hypercube of four.",
)
eic_per_usd = _baseline(
    "eic_per_usd",
    ConstrainedImprovement(per_usd=True),
    "Constrained expected improvement divided by the expected cost of the trial.",
)
ei = _baseline(
    "ei",
    EI,
    "Expected improvement on the best objective measured; it does not know constraints.",
)
pi = _baseline(
    "pi",
    PI,
    "The probability of improving on the best objective measured; it knows no constraints.",
)


@takes()
def ucb(
    problem: Problem,
    seed: int,
    *,
    deviations: float = 2.0,
    initial: Any = 4,
    surrogate: Any = "gp",
    candidates: int = 4096,
    prune: bool = True,
) -> ModelBased[Posterior]:
    """The upper confidence bound of the objective; it does not know constraints.

    `deviations` are the standard deviations above the mean; all else is as in `cherrypick`.
    """
    worth = bound(deviations)
    return improving(problem, seed, worth, initial, surrogate, candidates, None, prune)
