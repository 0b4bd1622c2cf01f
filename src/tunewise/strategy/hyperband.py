"""Hyperband (Li and others, 2018) over slices of the data: successive halving in brackets.

Many configs begin on a small slice, the best of them go on to larger ones. No model is needed.
"""

from collections.abc import Mapping
from functools import cached_property, partial

import numpy as np

from tunewise.errors import StrategyError
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.foresight import Foresight
from tunewise.strategy.grid import Index
from tunewise.strategy.halving import brackets_of, rungs_of
from tunewise.strategy.measured import best_measured
from tunewise.strategy.options import check_whole
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.strategy.succession import Climber, Succession


class Hyperband(Strategy):
    """Random configs on slices of the data, of which 1 in eta goes on to the next larger slice.

    Brackets follow each other for ever, from the one that begins with many configs on the smallest
    slice to the one that has few, all on the full data. While a rung waits for running trials the
    next bracket begins. A rung ranks what is expected to keep the limits first, by the objective,
    then the rest by how far they miss them.
    """

    def __init__(self, problem: Problem, seed: int, *, eta: int = 3) -> None:
        """Find the rungs among the problem's fractions.

        Args:
            problem: What is wanted, with slices of the data.
            seed: Of the configs drawn.
            eta: One in so many goes on to the next rung.
        """
        super().__init__(problem, seed)
        check_whole("eta", eta, least=2)
        if len(problem.fractions) < 2:
            raise StrategyError(
                f"{type(self).__name__.lower()} climbs slices of the data, and fractions is"
                f" {problem.fractions}; expected smaller ones too, such as (1/9, 1/3, 1)"
            )
        self.brackets = brackets_of(rungs_of(problem.fractions, eta), eta)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """Who climbs next, then new configs; once there is none left, those left behind."""
        trials = list(history)
        picks: list[Suggestion] = []
        while len(picks) < count and (pick := self._next(History(trials))):
            picks.append(pick)
            number = trials[-1].number + 1 if trials else 0
            trials.append(Trial(number, pick.config, pick.fraction))
        return picks

    def _next(self, history: History) -> Suggestion | None:
        state = Succession(self.problem, self.brackets, history)
        if climbs := state.promoted():
            return Suggestion(*climbs)
        if (config := self.newcomer(history, state.climbers)) is not None:
            return Suggestion(config, state.next_beginning())
        late = state.left_behind()
        return None if late is None else Suggestion(*late)

    def newcomer(
        self, history: History, known: Mapping[tuple[object, ...], Climber]
    ) -> Config | None:
        """A config that was never tried, None where there is none left."""
        space = self.problem.space
        if space.finite:
            # Among one more than are known there is one that is not.
            drawn = space.at(self._order[: len(known) + 1])
        else:
            drawn = space.sample(16, np.random.default_rng([self.seed, len(history)]))
        return next((config for config in drawn if space.key(config) not in known), None)

    @cached_property
    def _order(self) -> Index:
        """The positions of a listed space's configs, in the order they are drawn in."""
        assert self.problem.space.size is not None
        return np.random.default_rng(self.seed).permutation(self.problem.space.size)

    def recommend(self, history: History) -> Recommendation:
        """The best measured config that may be deployed and keeps the limits.

        While none at the full data does, the best one at the largest fraction on which one is
        expected to; where none is at all, the one that misses them least on the most data. What
        is expected of it then, and the probability that it keeps the limits, is what was measured
        there, carried to the full data by what more data does to cost, time and shares (see
        `Foresight`). Other metrics are expected to stay as they are.
        """
        known = history.best(self.problem) is not None or self.problem.deploy == "any"
        if known or not len(history.complete):
            return best_measured(self.problem, history)
        state = Succession(self.problem, self.brackets, history.complete)
        foresight = state.foresight
        best = min((c.highest for c in state.climbers.values()), key=partial(_rank, foresight))
        return Recommendation(best.config, 1.0, foresight.foretold(best), foresight.feasible(best))


def _rank(foresight: Foresight, trial: Trial) -> tuple[bool, float, float, float]:
    missed, objective = foresight.standing(trial)
    return missed > 0, -trial.fraction, missed, objective
