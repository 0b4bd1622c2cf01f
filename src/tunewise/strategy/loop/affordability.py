"""Which trials may be risked: rules on what they would spend, and on whether they may succeed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tunewise.acquisition.acquisition import at
from tunewise.acquisition.lookahead import SURE
from tunewise.acquisition.reward import left_of_budget
from tunewise.belief.grid import Index
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.strategy.loop.options import check
from tunewise.surrogate.normal import SURELY

_HOPEFUL = 0.25
"""A trial that succeeds with less than this probability is not worth its price: four in a row are
then expected to fail. A half would give up configs beside a single failure."""

_LIKELY = 0.5
"""As much is enough for the surest trial where none is sure: early beliefs are too vague for
more, and a search that never risks anything never learns what things cost."""

P = TypeVar("P")
Affordability = Callable[[P, Index], Index]
"""Those of the trials that may be risked; none means that one is drawn by chance."""


def everything(posterior: Posterior, trials: Index) -> Index:
    """All trials, whatever they may cost."""
    return trials


@dataclass(frozen=True)
class Growth:
    """No trial may spend more than so many times all that was spent before, unlucky or not.

    The cheapest trial always may. Trials that will probably fail are left out, unless all will.

    Attributes:
        factor: How many times; None for no such rule.
        stopped: Whether trials are stopped that take too long: then all unrelated configs may be
            risked.
    """

    factor: float | None
    stopped: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no number of times."""
        check(growth=self.factor)

    def __call__(self, posterior: Posterior, trials: Index) -> Index:
        """Those that may be risked."""
        trials = _with_hope(posterior, trials)
        if self.factor is None or posterior.effort is None:
            return trials
        # Of unrelated configs none predicts another: the stop is what keeps a surprise cheap.
        if self.stopped and posterior.timed and not posterior.related:
            return trials
        # A model may be sure of too much: the trial must be affordable even if it is wrong.
        spending = at(_feared(posterior), trials)
        most = max(self.factor * posterior.spent, float(spending.min()))
        return np.asarray(trials[spending <= most])


def _with_hope(posterior: Posterior, trials: Index) -> Index:
    """The trials that may well succeed; all where none may: those that fail teach little else."""
    hope = at(posterior.success(Doubt.MEASUREMENT), trials) >= _HOPEFUL
    return np.asarray(trials[hope]) if hope.any() else trials


def _feared(posterior: Posterior) -> np.ndarray:
    """What each trial may spend if the belief about it is unlucky, (n, F).

    Where only the smallest slices are known a belief fears anything of larger ones, and would stay
    there; but no trial spends more than in proportion to its data.
    """
    feared = posterior.spending_at_most(SURELY)
    fractions = posterior.grid.fractions
    steepest = feared[:, :1] * fractions / fractions[0]
    return np.asarray(np.minimum(feared, steepest), float)


def surely_paid(posterior: Posterior, trials: Index) -> Index:
    """Those that what is left of the budget pays for with a probability of 0.99 (Lynceus)."""
    left = left_of_budget(posterior)
    if left is None:
        return trials
    return np.asarray(trials[at(posterior.spending_at_most(SURE), trials) <= max(left, 1e-30)])


def predicted_feasible(posterior: Posterior, trials: Index) -> Index:
    """Those whose predicted means keep budget and limits (Nephele, algorithm 3, line 2)."""
    allowed = np.ones(len(trials), bool)
    if (left := left_of_budget(posterior)) is not None:
        allowed &= at(posterior.spending_at_most(0.0), trials) <= left
    for constraint in posterior.problem.constraints:
        mean = at(posterior.predict(constraint.metric), trials).mean
        bound = posterior.believed(constraint.metric).bound(constraint)
        allowed &= mean <= bound if constraint.sign == "<=" else mean >= bound
    return np.asarray(trials[allowed])


def payable_clusters(posterior: MachinePosterior, trials: Index) -> Index:
    """Those that the budget surely pays for; else the one that most probably is paid for."""
    if posterior.problem.budget is None:
        return trials
    from scipy.special import ndtr

    left = posterior.problem.budget - posterior.history.spent["cost"]
    if not posterior.told:
        return np.asarray(trials[posterior.payable(left)[trials]])
    left -= float(posterior.spending[posterior.awaited].sum())
    paid = posterior.within(left)[trials]
    surest = float(paid.max(initial=0.0))
    # What others may still spend is vague too, and will soon be known: take the risk of an unsure
    # trial only when nothing else runs.
    sure = surest >= ndtr(SURE) or posterior.awaited
    return np.asarray(trials[paid >= (ndtr(SURE) if sure else max(surest, _LIKELY))])
