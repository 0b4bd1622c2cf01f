"""Fabulinus (Mendes, 2020): constrained entropy search, ES_C.

Information about the full-data optimum per unit of cost and overhead (equation 4.3), times the
constrained expected accuracy of the next incumbent (equations 4.4 and 4.5). It begins with a latin
hypercube over configs and fractions, and recommends what is feasible with probability 0.99.
"""

import numpy as np

from tunewise.acquisition.entropy import constrained_expected_accuracy, expected_information
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.grid import Index
from tunewise.strategy.lookout import Lookout, joint_samples
from tunewise.strategy.options import ROOTS, check_number, check_whole
from tunewise.strategy.strategy import Suggestion
from tunewise.strategy.subsampling import Parts, Subsampling
from tunewise.surrogate import Array


class Fabulinus(Subsampling):
    """ES_C on slices of the data, one root, incumbents safe with probability 0.99."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str = "gp",
        initial: int = 8,
        overhead: float = 0.1,
        roots: int = 1,
        feasible: float = 0.99,
        candidates: int = 2000,
    ) -> None:
        """Choose the parts.

        Args:
            problem: What is wanted.
            seed: Of the beginning, of candidate pools and of samples.
            surrogate: "gp", "gp_mcmc" or "trees".
            initial: Trials of the latin hypercube over configs and sub-sampled fractions.
            overhead: Added to the cost of a trial, as a share of all that was spent so far.
            roots: Gauss-Hermite roots of the outcomes.
            feasible: A recommended config is feasible with this probability or more.
            candidates: How many configs are weighed where the space has more than that.
        """
        super().__init__(problem, seed, Parts(surrogate, least=feasible, candidates=candidates))
        check_whole("initial", initial)
        check_number("overhead", overhead)
        check_whole("roots", roots, *ROOTS)
        self._initial, self._overhead, self._roots = initial, overhead, roots

    def beginning(self) -> list[Suggestion]:
        """Configs of a latin hypercube, each on a slice of its own turn."""
        rng = np.random.default_rng(self.seed)
        slices = self.problem.fractions[:-1] or self.problem.fractions
        turns = rng.permutation(np.arange(self._initial) % len(slices))
        configs = self.problem.space.latin(self._initial, rng)
        return [Suggestion(c, slices[t]) for c, t in zip(configs, turns, strict=False)]

    def score(self, lookout: Lookout, trials: Index, history: History) -> Array:
        """ES_C, equation 4.4."""
        rng = np.random.default_rng([self.seed, len(history), 2])
        outlook = lookout.outlook(trials)
        at_trials, at_targets = joint_samples(lookout, trials, rng)
        told = expected_information(
            outlook.objective.fantasy, at_trials, at_targets, self._roots, lookout.sign
        )
        worth = told * constrained_expected_accuracy(outlook, self.parts.least, self._roots)
        return worth / self.spending(lookout, trials, history, self._overhead)
