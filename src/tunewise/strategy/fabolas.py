"""FABOLAS (Klein and others, 2017): entropy search over the full-data optimum, limits unseen.

It maximises the information about the unconstrained optimum per unit of cost and overhead
(equation 3), and recommends the best predicted config whatever the constraints say.
"""

import numpy as np

from tunewise.acquisition.choice import chances, highest
from tunewise.acquisition.entropy import expected_information, information, optimum_now
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.beginning import BEGINNINGS
from tunewise.strategy.grid import Index
from tunewise.strategy.lookout import Lookout, joint_samples
from tunewise.strategy.options import ROOTS, check_choice, check_number, check_whole
from tunewise.strategy.strategy import Suggestion
from tunewise.strategy.subsampling import Parts, Subsampling
from tunewise.strategy.survey import Survey
from tunewise.surrogate import Array


class Fabolas(Subsampling):
    """Information about the optimum per unit of cost; it does not know constraints."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str = "gp",
        bootstrap: str = "paper",
        initial: int = 1,
        overhead: float = 0.1,
        roots: int = 3,
        candidates: int = 2000,
    ) -> None:
        """Choose the parts.

        Args:
            problem: What is wanted; its constraints are ignored, as the paper does.
            seed: Of the beginning, of candidate pools and of samples.
            surrogate: "gp", "gp_mcmc" or "trees".
            bootstrap: "paper" begins with one config at several fractions, "cheap" on the
                smallest.
            initial: Configs to begin with.
            overhead: Added to the cost of a trial, as a share of all that was spent so far.
            roots: Gauss-Hermite roots of the outcome.
            candidates: How many configs are weighed where the space has more than that.
        """
        super().__init__(problem, seed, Parts(surrogate, candidates=candidates))
        check_choice("bootstrap", bootstrap, BEGINNINGS)
        check_whole("initial", initial)
        check_number("overhead", overhead)
        check_whole("roots", roots, *ROOTS)
        self._begin, self._initial = BEGINNINGS[bootstrap], initial
        self._overhead, self._roots = overhead, roots

    def beginning(self) -> list[Suggestion]:
        """The bootstrap, drawn from the seed alone."""
        return self._begin(self.problem, self._initial, np.random.default_rng(self.seed))

    def score(self, lookout: Lookout, trials: Index, history: History) -> Array:
        """Equation 3, with the information gained and an overhead."""
        rng = np.random.default_rng([self.seed, len(history), 2])
        objective, sign = lookout.outlook(trials).objective.fantasy, lookout.sign
        at_trials, at_targets = joint_samples(lookout, trials, rng)
        told = expected_information(objective, at_trials, at_targets, self._roots, sign)
        gained = np.maximum(told - information(optimum_now(sign * at_targets)), 1e-12)
        return gained / self.spending(lookout, trials, history, self._overhead)

    def choose(self, survey: Survey) -> int:
        """The best predicted config on the full data, feasible or not."""
        worth = survey.worth[:, -1]
        return highest(worth, chances(len(worth), self.seed))

    def plausible(self, survey: Survey) -> Index:
        """Configs that could be the unconstrained optimum."""
        return survey.plausible(self.parts.targets, limited=False)
