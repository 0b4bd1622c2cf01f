"""Reward per cost of exploration paths: the acquisition of Lynceus and Nephele (equation 3.2)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunewise.acquisition.acquisition import at
from tunewise.acquisition.improvement import log_constrained_expected_improvement
from tunewise.acquisition.lookahead import Lookahead, reward_and_cost
from tunewise.belief.candidates import Candidates
from tunewise.belief.choice import even_chances, highest_few
from tunewise.belief.grid import Index
from tunewise.belief.joint import joint
from tunewise.belief.metric_belief import expected_of_log
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.surrogate import Array

_POOR = 3.0
"""Standard deviations beyond the worst measured objective that any feasible trial improves on: so
far that feasibility alone decides while nothing feasible is known."""


@dataclass(frozen=True)
class RewardPerCost:
    """What a trial, and those that would follow it, are expected to improve per unit of cost.

    Attributes:
        ahead: How far paths are followed; with a horizon of 0 a trial counts by itself.
        paths: How many trials, the best ones by themselves, paths lead through.
    """

    ahead: Lookahead
    paths: int = 2000

    logarithms: ClassVar[bool] = True

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """Log of equation 3.2 for each trial, (c,); -inf for those no path is followed from."""
        best = to_improve_on(posterior)
        if not self.ahead.horizon:
            return self._alone(posterior, trials, best)
        every = np.union1d(posterior.open, trials)
        alone = self._alone(posterior, every, best)
        allowed = np.isin(every, trials)
        kept = np.arange(len(every))
        if len(kept) > self.paths:
            # Only what may be run next is sure to be weighed.
            weighed = np.where(allowed, alone, -np.inf)
            kept = highest_few(weighed, self.paths, even_chances(len(every)), logarithms=True)
        first = np.flatnonzero(allowed[kept])
        scene = joint(posterior, every[kept])
        reward, cost = reward_and_cost(scene, first, self.ahead, best, left_of_budget(posterior))
        with np.errstate(divide="ignore"):
            followed = np.log(reward / cost)
        # Where rewards underflow, their logarithms by themselves still tell trials apart.
        followed = followed if np.isfinite(followed.max()) else alone[kept[first]]
        score = np.full(len(every), -np.inf)
        score[kept[first]] = followed
        return score[allowed]

    def _alone(self, posterior: Posterior, trials: Index, best: float) -> Array:
        """Log of the constrained expected improvement per cost of each trial by itself, (c,)."""
        seen = Doubt.MEASUREMENT
        improvement = log_constrained_expected_improvement(
            at(posterior.value(seen), trials),
            posterior.sign * best,
            at(posterior.feasible(seen), trials),
        )
        return np.asarray(improvement - np.log(at(posterior.spending(seen), trials)), float)


def to_improve_on(posterior: Posterior) -> float:
    """The best measured feasible objective, on the modelled scale.

    While there is none, any feasible trial improves on one that is worse than all measured.
    """
    problem, scale = posterior.problem, posterior.objective.scale
    best = posterior.history.best(problem)
    if best is not None:
        return float(scale.forward(np.array(best.metrics[problem.objective])))
    seen = scale.forward(posterior.history.observations(problem.objective).values)
    open_ = at(posterior.predict(problem.objective, Doubt.MEASUREMENT), posterior.open)
    doubt = _POOR * float(np.max(open_.std, initial=0.0))
    return float(seen.min()) - doubt if problem.maximize else float(seen.max()) + doubt


def left_of_budget(posterior: Posterior) -> float | None:
    """USD that are left, once the waiting trials have cost what is expected; None without limit."""
    problem = posterior.problem
    if problem.budget is None or posterior.effort != "cost":
        return None
    reserved = 0.0
    if posterior.waiting:
        awaited = Candidates.of(problem, [config for config, _ in posterior.waiting])
        fractions = [fraction for _, fraction in posterior.waiting]
        reserved = float(
            expected_of_log(posterior.believed("cost").predict(awaited, fractions)).sum()
        )
    return problem.budget - posterior.history.spent["cost"] - reserved
