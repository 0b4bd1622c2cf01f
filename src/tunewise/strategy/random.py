"""Uniform random search at the full data: the baseline that every strategy must beat."""

import numpy as np

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.loop.options import check
from tunewise.strategy.loop.tried import best_tried
from tunewise.strategy.loop.without_belief import PrunerWithoutBelief
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion


class Random(Strategy):
    """Tries configs in an order drawn once from the seed, none of them twice."""

    def __init__(self, problem: Problem, seed: int, *, prune: bool = True) -> None:
        """Say what is wanted.

        Args:
            problem: What is wanted.
            seed: Of the order.
            prune: Whether trials are stopped that can no longer become the answer.
        """
        super().__init__(problem, seed)
        check(prune=prune)
        self.pruner = PrunerWithoutBelief(problem, prune)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The next configs of the order that the history does not have."""
        space = self.problem.space
        tried = {space.key(t.config) for t in history if t.fraction == 1.0}
        if space.finite:
            order = np.random.default_rng(self.seed).permutation(len(space.configs))
            drawn = [space.configs[i] for i in order]
        else:
            drawn = space.sample(count + 16, np.random.default_rng([self.seed, len(history)]))
        fresh = (config for config in drawn if space.key(config) not in tried)
        return [Suggestion(config) for config, _ in zip(fresh, range(count), strict=False)]

    def recommend(self, history: History) -> Recommendation:
        """The best measured config that keeps the limits, else the one that misses them least.

        With limits, what is said of it is what a model of all trials expects of a new training.
        """
        return best_tried(self.problem, history)
