"""Search over (config, fraction): learn from slices of the data what the full data would give.

TrimTuner, FABOLAS and Fabulinus share this loop and differ in its parts: how they begin, what a
trial is worth, which trials are weighed, and what is recommended.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from tunewise.acquisition.choice import chances, highest, told_apart
from tunewise.errors import StrategyError
from tunewise.filtering import FILTERS, cea
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.belief import Belief, single
from tunewise.strategy.grid import Grid, Index, measured_at_full, open_trials
from tunewise.strategy.guided import Guided
from tunewise.strategy.lookout import Lookout
from tunewise.strategy.measured import best_measured
from tunewise.strategy.options import check_positive, check_share, check_whole
from tunewise.strategy.strategy import Recommendation
from tunewise.strategy.survey import Survey
from tunewise.surrogate import Array

_HOPEFUL = 0.25
"""A trial that succeeds with less than this probability is not worth its price."""

_PATIENCE = 12
"""Complete trials after which spending is trusted to grow in proportion to the data."""

_LIKELY = 0.5
"""What was measured within the limits is recommended if the model thinks so too, or doubts."""

_LEAST_KNOWN = 5
"""Complete trials before a strategy dares to say that nothing more is to be gained."""


@dataclass(frozen=True)
class Parts:
    """What a sub-sampling strategy is made of.

    Attributes:
        surrogate: What models each metric: "gp", "gp_mcmc" or "trees".
        filter: Which trials are weighed at all.
        share: How many of them, as a share of all.
        least: A recommended config is feasible with this probability or more.
        growth: No trial may spend more than this times all that was spent before, even if the
            belief about it is unlucky, unless it is the cheapest one; None for no such rule.
        candidates: How many configs are weighed where the space has more than that.
        targets: How many configs may become the recommendation while trials are weighed.
    """

    surrogate: str = "gp"
    filter: str = "none"
    share: float = 1.0
    least: float = 0.9
    growth: float | None = None
    candidates: int = 2000
    targets: int = 60

    def __post_init__(self) -> None:
        """Refuse what cannot be, by name."""
        check_share("share", self.share, whole=True)
        check_share("feasible", self.least)
        if self.growth is not None:
            check_positive("growth", self.growth)
        check_whole("candidates", self.candidates)
        check_whole("targets", self.targets)


class Subsampling(Guided):
    """The loop: begin, believe, weigh what is open, recommend."""

    def __init__(self, problem: Problem, seed: int, parts: Parts) -> None:
        """Keep the parts; subclasses add how they begin and what a trial is worth."""
        super().__init__(problem, seed, parts.surrogate, parts.candidates)
        self.parts = parts
        self._filter = FILTERS.load(parts.filter)

    @abstractmethod
    def score(self, lookout: Lookout, trials: Index, history: History) -> Array:
        """What running each of the trials is worth, (c,)."""

    def recommend(self, history: History) -> Recommendation:
        """The best predicted config on the full data among those feasible enough.

        Where any fraction may be deployed, the best measured trial that keeps the limits is the
        answer, and the other stands beside it.
        """
        if not len(history.complete):
            raise StrategyError("nothing can be recommended: no trial is complete")
        foreseen = self._foreseen(history)
        if self.problem.deploy == "any" and history.best(self.problem) is not None:
            return replace(best_measured(self.problem, history), predicted_best=foreseen)
        return foreseen

    def _foreseen(self, history: History) -> Recommendation:
        belief, grid = self.belief(history), self.grid(history)
        best = self.choose(self._survey(history, belief, grid))
        chosen = grid.candidates.at(np.array([best]))
        predicted = {
            name: single(metric.natural(chosen, 1.0)) for name, metric in belief.metrics.items()
        }
        probability = float(belief.feasible(chosen, 1.0, measured=True)[0])
        return Recommendation(dict(chosen.configs[0]), 1.0, predicted, probability)

    def choose(self, survey: Survey) -> int:
        """Which config to recommend: the best safe one; the closest when none is safe enough."""
        worth, safe = survey.worth[:, -1], survey.feasible[:, -1] >= self.parts.least
        # One measurement within the limits may have been luck, which the model can tell.
        if len(measured := survey.measured.configs):
            candidates = survey.grid.candidates.at(measured)
            safe[measured] &= survey.belief.feasible(candidates, 1.0) >= _LIKELY
        if safe.any():
            return highest(np.where(safe, worth, -np.inf), chances(len(worth), self.seed))
        return highest(survey.rewards, chances(len(worth), self.seed))

    def expected_gain(self, history: History) -> float | None:
        """How much the most useful open trial is expected to better what is recommended."""
        if self.unbegun(history) or len(history.complete) < _LEAST_KNOWN:
            return None
        grid = self.grid(history)
        trials = open_trials(self.problem, history, grid)
        if not len(trials):
            return 0.0
        from tunewise.acquisition.knowledge_gradient import knowledge_gradient

        lookout = self._lookout(self._survey(history, self.belief(history), grid))
        gains = knowledge_gradient(lookout.outlook(trials))
        return self._in_own_unit(lookout, float(gains.max()))

    def _in_own_unit(self, lookout: Lookout, gain: float) -> float:
        """A gain of the worth as a gain of the objective at the recommended config."""
        objective = lookout.belief.objective
        if objective.metric.kind == "share":
            return gain
        if objective.metric.kind == "real":
            return gain * 4 * objective.surrogate.scale_  # the slope of the worth at its middle
        best = np.array([self.choose(lookout.survey)])
        natural = objective.natural(lookout.grid.candidates.at(best), 1.0)
        return gain * float(np.asarray(natural.mean)[0])

    def _survey(self, history: History, belief: Belief, grid: Grid) -> Survey:
        return Survey(belief, grid, measured_at_full(self.problem, history, grid))

    def _lookout(self, survey: Survey) -> Lookout:
        return Lookout(survey, self.plausible(survey), self.parts.least)

    def plausible(self, survey: Survey) -> Index:
        """The configs that could turn out to be the recommendation."""
        return survey.plausible(self.parts.targets)

    def spending(self, lookout: Lookout, trials: Index, history: History, overhead: float) -> Array:
        """What each trial is expected to spend, and a share of all that was spent so far, (c,)."""
        effort = lookout.belief.effort
        spent = history.spent[effort] if effort else 0.0
        return np.asarray(lookout.survey.spending.ravel()[trials] + overhead * spent, float)

    def best_trial(self, history: History, belief: Belief, grid: Grid, trials: Index) -> int:
        """The open trial that is worth most, among those that the filter lets through."""
        survey = self._survey(history, belief, grid)
        allowed = self._affordable(history, survey, trials)
        lookout = self._lookout(survey)
        rng = np.random.default_rng([self.seed, len(history), 1])
        scores = np.full(len(allowed), np.nan)
        chance = chances(len(allowed), self.seed, len(history), 3)

        def score(chosen: Index) -> Array:
            """Each trial is weighed once, however often a filter asks."""
            new = chosen[np.isnan(scores[chosen])]
            if len(new):
                told = self.score(lookout, allowed[new], history)
                scores[new] = told_apart(told, chance[new])
            return scores[chosen]

        chosen = self._filter(
            self._unit_cube(grid, allowed),
            score,
            lambda: cea(survey.worth.ravel()[allowed], survey.feasible.ravel()[allowed]),
            self.parts.share,
            rng,
        )
        return int(allowed[chosen[highest(score(chosen), chance[chosen])]])

    def _unit_cube(self, grid: Grid, trials: Index) -> Array:
        """The trials as rows for filters that search: fractions evenly apart, (n, d + 1)."""
        steps = max(len(grid.fractions) - 1, 1)
        place = (trials % len(grid.fractions)) / steps
        return np.column_stack([grid.candidates.x[grid.config(trials)], place])

    def _affordable(self, history: History, survey: Survey, trials: Index) -> Index:
        trials = _with_hope(survey, trials)
        effort = survey.belief.effort
        if self.parts.growth is None or effort is None:
            return trials
        # A young model is sure of too much: the trial must be affordable even if it is wrong. An
        # older one that still knows the smallest slices alone must not be kept there by its fear.
        patient = len(history.complete) < _PATIENCE
        spending = survey.at_worst(in_proportion=not patient).ravel()[trials]
        most = max(self.parts.growth * history.spent[effort], float(spending.min()))
        return np.asarray(trials[spending <= most])


def _with_hope(survey: Survey, trials: Index) -> Index:
    """The trials that may well succeed; all where none may: those that fail teach little else."""
    if survey.success is None:
        return trials
    hope = survey.success.probability_above(0.5).ravel()[trials] >= _HOPEFUL
    return np.asarray(trials[hope]) if hope.any() else trials
