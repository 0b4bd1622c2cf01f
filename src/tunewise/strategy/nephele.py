"""Nephele (Mendes, 2020): the cheapest run that is good enough, its fraction included.

Lynceus' long-sighted search over (config, fraction): the data may be sub-sampled in what is
deployed, not only in the search. A model of every limited metric stands beside that of the cost,
and outcomes are speculated on by N x M Gauss-Hermite roots (equation 3.3).
"""

import numpy as np

from tunewise.acquisition.lookahead import Outlay
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.long_sighted import LongSighted
from tunewise.strategy.options import check_choice, check_positive, check_whole
from tunewise.strategy.strategy import Suggestion

_BLOCK = 16
"""Trials of one latin hypercube; a further one begins when it is used up."""


class Nephele(LongSighted):
    """Reward per USD of exploration paths over (config, fraction)."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str = "gp",
        horizon: int = 0,
        roots: int = 3,
        accuracy_roots: int = 1,
        discount: float = 0.9,
        bootstrap: str = "cheap",
        initial: int = 5,
        initial_budget: float = 5.0,
        candidates: int = 2000,
        paths: int = 2000,
    ) -> None:
        """Choose the parts.

        Args:
            problem: What is wanted. With deploy="full" only the full data is tried.
            seed: Of the beginning, of candidate pools and of random choices.
            surrogate: "gp", "gp_mcmc" or "trees", which the thesis uses.
            horizon: How many steps paths go on after the first.
            roots: Gauss-Hermite roots of the objective and of what is spent (N).
            accuracy_roots: Those of all other metrics (M); 1 takes their means.
            discount: The weight of each step of a path relative to the one before.
            bootstrap: "cheap" begins with configs on the smallest fraction, "paper" with a latin
                hypercube over configs and fractions until the initial budget is spent.
            initial: Configs that "cheap" begins with.
            initial_budget: USD that "paper" begins with.
            candidates: How many configs are weighed where the space has more than that.
            paths: How many trials, the best ones by themselves, paths lead through.
        """
        check_choice("bootstrap", bootstrap, ("cheap", "paper"))
        check_whole("initial", initial)
        check_positive("initial_budget", initial_budget)
        outlay = Outlay(horizon, roots, accuracy_roots, discount)
        super().__init__(
            problem, seed, surrogate=surrogate, outlay=outlay, candidates=candidates, paths=paths
        )
        self._bootstrap, self._initial, self._initial_budget = bootstrap, initial, initial_budget

    @property
    def fractions(self) -> tuple[float, ...]:
        """All of the problem's where any may be deployed; what cannot be is not tried."""
        return self.problem.fractions if self.problem.deploy == "any" else (1.0,)

    def beginning(self) -> list[Suggestion]:
        """The cheap bootstrap, drawn from the seed alone."""
        rng = np.random.default_rng(self.seed)
        configs = self.problem.space.latin(self._initial, rng)
        return [Suggestion(config, self.fractions[0]) for config in configs]

    def unbegun(self, history: History) -> list[Suggestion]:
        """What is left of the bootstrap; the paper's ends when its budget is spent."""
        if self._bootstrap == "cheap":
            return super().unbegun(history)
        begun = len(history.complete) >= self._initial
        spent = history.spent["cost"]
        if spent >= self._initial_budget or (begun and not spent):
            return []
        key = self.problem.space.key
        tried = {(key(t.config), t.fraction) for t in history}
        block = len(history) // _BLOCK
        drawn = [*self._hypercube(block), *self._hypercube(block + 1)]
        return [s for s in drawn if (key(s.config), s.fraction) not in tried]

    def _hypercube(self, block: int) -> list[Suggestion]:
        """A latin hypercube over configs and fractions, the same whenever it is asked for."""
        rng = np.random.default_rng([self.seed, block])
        configs = self.problem.space.latin(_BLOCK, rng)
        places = rng.permutation(len(configs)) * len(self.fractions) // len(configs)
        return [
            Suggestion(config, self.fractions[place])
            for config, place in zip(configs, places, strict=True)
        ]
