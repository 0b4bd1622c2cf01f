"""Uniform random search at the full data: the baseline that every strategy must beat."""

import numpy as np

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.loop.hopeless import HopelessStop
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.loop.options import check
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion


class Random(Strategy):
    """Tries configs in an order drawn once from the seed, none of them twice."""

    def __init__(self, problem: Problem, seed: int, *, stop_hopeless: bool = True) -> None:
        """Say what is wanted.

        Args:
            problem: What is wanted.
            seed: Of the order.
            stop_hopeless: Whether trials are stopped that can no longer become the answer.
        """
        super().__init__(problem, seed)
        check(stop_hopeless=stop_hopeless)
        self.pruner = HopelessStop(problem, stop_hopeless)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The next configs of the order that the history does not have."""
        space = self.problem.space
        tried = {space.key(t.config) for t in history if t.fraction == 1.0}
        drawn = self._finite_order() if space.finite else self._fresh(history, count)
        fresh = (config for config in drawn if space.key(config) not in tried)
        return [Suggestion(config) for config, _ in zip(fresh, range(count), strict=False)]

    def _finite_order(self) -> list[Config]:
        configs = self.problem.space.configs
        order = np.random.default_rng(self.seed).permutation(len(configs))
        return [configs[i] for i in order]

    def _fresh(self, history: History, count: int) -> list[Config]:
        rng = np.random.default_rng([self.seed, len(history)])
        return self.problem.space.sample(count + 16, rng)

    def recommend(self, history: History) -> Recommendation:
        """The best measured feasible config; the least infeasible one when there is none."""
        return best_measured(self.problem, history)
