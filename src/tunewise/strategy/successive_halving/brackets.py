"""Successive halving in brackets over slices of the data: the loop of Hyperband and BOHB.

Many configs begin on a small slice, the best of them go on to larger ones. Where new configs come
from is a part: by chance (Hyperband), or from a model (BOHB).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from tunewise.belief.grid import Key
from tunewise.belief.prior_mean import PriorMeans
from tunewise.errors import StrategyError
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.loop.options import check
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.loop.tried import best_tried, posterior_of_tried
from tunewise.strategy.loop.without_belief import PrunerWithoutBelief
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.strategy.successive_halving.halving import brackets_of, rungs_of
from tunewise.strategy.successive_halving.succession import Climber, Succession


@dataclass(frozen=True, eq=False)
class Vacancy:
    """A place for a new config: the problem, what is known, and the seed of what is drawn.

    Attributes:
        problem: What is wanted.
        history: All trials so far.
        known: The configs that were tried.
        seed: Of what is drawn.
        prior: What other studies say, None for nothing.
    """

    problem: Problem
    history: History
    known: Mapping[Key, Climber]
    seed: int
    prior: PriorMeans | None = None


Newcomer: TypeAlias = Callable[[Vacancy], Config | None]
"""Finds a config that was never tried, None where there is none left."""


class Brackets(Strategy):
    """Configs on slices of the data, of which 1 in eta goes on to the next larger slice.

    Brackets follow each other for ever, from the one that begins with many configs on the smallest
    slice to the one that has few, all on the full data. While a rung waits for running trials the
    next bracket begins. A rung ranks what is expected to keep the limits first, by the objective,
    then the rest by how far they miss them.
    """

    def __init__(
        self,
        problem: Problem,
        seed: int,
        name: str,
        eta: int,
        newcomer: Newcomer,
        prune: bool = True,
    ) -> None:
        """Find the rungs among the problem's fractions.

        Args:
            problem: What is wanted, with slices of the data.
            seed: Of the configs drawn.
            name: What the strategy is called.
            eta: One in so many goes on to the next rung.
            newcomer: Where new configs come from.
            prune: Whether trials are stopped that can no longer become the answer.
        """
        super().__init__(problem, seed)
        check(eta=eta)
        if len(problem.fractions) < 2:
            raise StrategyError(
                f"{name} climbs slices of the data, and fractions is"
                f" {problem.fractions}; expected smaller ones too, such as (1/9, 1/3, 1)"
            )
        self.brackets = brackets_of(rungs_of(problem.fractions, eta), eta)
        self._newcomer = newcomer
        self.pruner = PrunerWithoutBelief(problem, prune)

    @cached_property
    def _prior_means(self) -> PriorMeans | None:
        return PriorMeans(self.problem, self.prior) if self.prior else None

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
        config = self._newcomer(
            Vacancy(self.problem, history, state.climbers, self.seed, self._prior_means)
        )
        if config is not None:
            return Suggestion(config, state.next_beginning())
        late = state.left_behind()
        return None if late is None else Suggestion(*late)

    def recommend(self, history: History) -> Recommendation:
        """The best measured config that may be deployed and keeps the limits.

        While none at the full data does, the tried config that a model of all trials holds to be
        best there among those that safely keep the limits (see `PredictedBest`). With limits, what
        is said of either is what the model expects of a new training.
        """
        known = history.best(self.problem) is not None or self.problem.deploy == "any"
        if known or not len(history.complete):
            return best_tried(self.problem, history, self._prior_means)
        return PredictedBest()(posterior_of_tried(self.problem, history, self._prior_means))


def by_chance(vacancy: Vacancy) -> Config | None:
    """The next config of an order drawn once from the seed."""
    space, known, seed = vacancy.problem.space, vacancy.known, vacancy.seed
    if space.size is not None and space.finite:
        # Among one more than are known there is one that is not.
        order = np.random.default_rng(seed).permutation(space.size)
        drawn = space.at(order[: len(known) + 1])
    else:
        drawn = space.sample(16, np.random.default_rng([seed, len(vacancy.history)]))
    return next((config for config in drawn if space.key(config) not in known), None)
