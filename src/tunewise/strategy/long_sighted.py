"""Long-sighted search under a budget: reward per USD of exploration paths (Lynceus, Nephele).

In each step the open trials that the budget surely pays for are weighed by what they, and the
trials that would follow them, are expected to improve, per USD that this is expected to cost. The
answer is the best trial that was measured; what the models hold to be best stands beside it.
"""

import math
from dataclasses import replace

import numpy as np

from tunewise.acquisition.choice import chances, highest, highest_few
from tunewise.acquisition.improvement import expected_improvement
from tunewise.acquisition.lookahead import SURE, Outlay, reward_and_cost
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.belief import Belief, single
from tunewise.strategy.candidates import Candidates
from tunewise.strategy.grid import Grid, Index, open_trials
from tunewise.strategy.guided import Guided
from tunewise.strategy.measured import best_measured
from tunewise.strategy.options import ROOTS, check_share, check_whole
from tunewise.strategy.strategy import Recommendation
from tunewise.strategy.view import View
from tunewise.surrogate import Array, Normal

HORIZONS = (0, 3)
"""How far it makes sense to look ahead."""

_LEAST_FEASIBLE = 0.9
"""The predicted best keeps the limits with this probability or more."""
_POOR = 3.0
"""Standard deviations beyond the worst measured objective that any feasible trial improves on."""


class LongSighted(Guided):
    """The loop; a subclass says how it begins, and may narrow `fractions`."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str,
        outlay: Outlay,
        candidates: int = 2000,
        paths: int = 2000,
    ) -> None:
        """Choose what it believes with and how far it looks ahead.

        Args:
            problem: What is wanted.
            seed: Of the beginning, of candidate pools and of random choices.
            surrogate: What models each metric: "gp", "gp_mcmc" or "trees".
            outlay: How far paths are followed.
            candidates: How many configs are weighed where the space has more than that.
            paths: How many trials, the best ones by themselves, paths lead through.
        """
        check_whole("horizon", outlay.horizon, *HORIZONS)
        check_whole("roots", outlay.roots, *ROOTS)
        check_whole("accuracy_roots", outlay.accuracy_roots, *ROOTS)
        check_share("discount", outlay.discount, whole=True)
        check_whole("candidates", candidates)
        check_whole("paths", paths)
        super().__init__(problem, seed, surrogate, candidates)
        self._outlay, self._paths = outlay, paths

    def best_trial(self, history: History, belief: Belief, grid: Grid, trials: Index) -> int:
        """The affordable trial of most reward per cost; any one when nothing is affordable."""
        view = View(self.problem, belief, grid, trials)
        allowed = self.feasible_set(view, self.left(history, belief))
        if not len(allowed):
            return int(np.random.default_rng([self.seed, len(history), 1]).choice(trials))
        best = self.to_improve_on(history, view)
        alone = view.log_improvement(best) - view.log_spending()
        if self._outlay.horizon:
            return int(trials[self._farthest(history, view, allowed, alone, best)])
        chance = chances(len(allowed), self.seed, len(history), 2)
        return int(trials[allowed[highest(alone[allowed], chance, logarithms=True)]])

    def left(self, history: History, belief: Belief) -> float | None:
        """USD that are left, once the pending trials have cost what is expected."""
        if self.problem.budget is None or belief.effort != "cost":
            return None
        pending = list(history.pending)
        awaited = Candidates.of(self.problem, [t.config for t in pending])
        reserved = 0.0
        if pending:
            reserved = float(belief.spending(awaited, [t.fraction for t in pending]).sum())
        return self.problem.budget - history.spent["cost"] - reserved

    def feasible_set(self, view: View, left: float | None) -> Index:
        """Which of the trials are paid for by what is left, with near certainty."""
        if left is None:
            return np.arange(len(view.trials))
        return np.flatnonzero(view.spent_at_most(SURE) <= math.log(max(left, 1e-30)))

    def to_improve_on(self, history: History, view: View) -> float:
        """The best measured feasible objective, on the modelled scale.

        While there is none, any feasible trial improves on one that is worse than all measured.
        """
        objective = view.belief.objective
        best = history.best(self.problem)
        if best is not None:
            return float(objective.scale.forward(np.array(best.metrics[self.problem.objective])))
        seen = objective.scale.forward(history.observations(self.problem.objective).values)
        worst, doubt = float(seen.max()), _POOR * float(np.max(view.predicted(objective).std))
        return float(seen.min()) - doubt if self.problem.maximize else worst + doubt

    def _farthest(
        self, history: History, view: View, allowed: Index, alone: Array, best: float
    ) -> int:
        """Which of the trials starts the path of most reward per cost."""
        kept = np.arange(len(alone))
        chance = chances(len(alone), self.seed, len(history), 2)
        if len(kept) > self._paths:
            # Only what may be run next is sure to be weighed.
            open_ = np.where(np.isin(kept, allowed), alone, -np.inf)
            kept = highest_few(open_, self._paths, chance, logarithms=True)
        first = np.flatnonzero(np.isin(kept, allowed))
        scene = view.at(kept).scene(best, self.left(history, view.belief))
        reward, cost = reward_and_cost(scene, first, self._outlay)
        ratio = reward / cost
        # Where rewards underflow, logarithms still tell trials apart.
        under = ratio.max() <= 0
        weighed = kept[first]
        worth = alone[weighed] if under else ratio
        return int(weighed[highest(worth, chance[weighed], logarithms=bool(under))])

    def recommend(self, history: History) -> Recommendation:
        """The best measured feasible trial, and beside it what the models hold to be best."""
        measured = best_measured(self.problem, history)
        belief = self.belief(history)
        here = Candidates.of(self.problem, [measured.config])
        answer = _described(belief, here, measured.fraction)
        beside = self._better(history, belief, measured) or answer
        return replace(answer, predicted_best=beside)

    def expected_gain(self, history: History) -> float | None:
        """The largest constrained expected improvement, in the objective's own unit."""
        best = history.best(self.problem)
        if best is None or self.unbegun(history):
            return None
        belief, grid = self.belief(history), self.grid(history)
        trials = open_trials(self.problem, history, grid)
        if not len(trials):
            return 0.0
        view = View(self.problem, belief, grid, trials)
        natural = belief.objective.natural(view.candidates, view.s)
        value = Normal(view.sign * natural.mean, natural.std)
        improved = expected_improvement(value, view.sign * best.metrics[self.problem.objective])
        return float(np.max(improved * view.feasible()))

    def _better(
        self, history: History, belief: Belief, measured: Recommendation
    ) -> Recommendation | None:
        """The open trial that is predicted best, if it is better than the best measured one."""
        grid = self.grid(history)
        trials = open_trials(self.problem, history, grid)
        if self.problem.deploy == "full":
            trials = trials[grid.fraction(trials) == 1.0]
        if not len(trials):
            return None
        view = View(self.problem, belief, grid, trials)
        feasible, value = view.feasible(), view.value()
        safe = feasible >= _LEAST_FEASIBLE
        ranked = np.where(safe, value, -np.inf) if safe.any() else feasible
        chosen = highest(ranked, chances(len(trials), self.seed, len(history), 3))
        known = belief.objective.scale.forward(
            np.array(measured.predicted[self.problem.objective].mean)
        )
        if measured.feasible and (not safe.any() or value[chosen] <= view.sign * known):
            return None
        here = grid.candidates.at(grid.config(trials[[chosen]]))
        return _described(belief, here, float(view.s[chosen]))


def _described(belief: Belief, here: Candidates, fraction: float) -> Recommendation:
    """One trial as a recommendation, with what is believed about it."""
    predicted = {
        name: single(metric.natural(here, fraction)) for name, metric in belief.metrics.items()
    }
    probability = float(belief.feasible(here, fraction)[0])
    return Recommendation(dict(here.configs[0]), fraction, predicted, probability)
