"""TrimTuner (Mendes and others, 2020): constrained search on slices of the data.

The default weighs a trial by the knowledge gradient of the constrained full-data recommendation
per unit of what it spends. The paper's equation 5 is kept as `acquisition="literal"`, and with the
gain of information instead of its absolute amount as `acquisition="entropy"`.
"""

from collections.abc import Callable

import numpy as np

from tunewise.acquisition.entropy import (
    expected_information,
    incumbent_feasibility,
    information,
    optimum_now,
)
from tunewise.acquisition.knowledge_gradient import knowledge_gradient
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.beginning import BEGINNINGS
from tunewise.strategy.grid import Index
from tunewise.strategy.lookout import Lookout, joint_samples
from tunewise.strategy.options import ROOTS, check_choice, check_number, check_share, check_whole
from tunewise.strategy.strategy import Suggestion
from tunewise.strategy.subsampling import Parts, Subsampling
from tunewise.surrogate import Array


class TrimTuner(Subsampling):
    """Learns on slices, recommends for the full data, keeps the limits."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        *,
        surrogate: str = "gp",
        acquisition: str = "knowledge",
        bootstrap: str = "cheap",
        initial: int = 1,
        overhead: float = 0.1,
        growth: float | None = 1.5,
        roots: int | None = None,
        feasible: float = 0.9,
        filter: str = "none",
        share: float = 0.1,
        candidates: int = 2000,
    ) -> None:
        """Choose the parts.

        Args:
            problem: What is wanted.
            seed: Of the beginning, of candidate pools and of samples.
            surrogate: "gp", "gp_mcmc" or "trees".
            acquisition: "knowledge", "entropy" or "literal" (equation 5 as printed).
            bootstrap: "cheap" begins on the smallest fraction; "paper" with one config at
                several fractions, as snapshots of one run.
            initial: Configs to begin with, spread by a latin hypercube.
            overhead: What a trial costs besides its own spending, as a share of all that was
                spent so far: as money flows, small trials become less worth the bother.
            growth: No trial may spend more than this times all that was spent before, even if the
                belief about it is unlucky.
            roots: Gauss-Hermite roots of the outcomes; by default 3, and 1 for "literal".
            feasible: A recommended config is feasible with this probability or more.
            filter: Which trials are weighed: "none", "cea", "random", "direct" or "cmaes".
            share: How many trials the filter lets through, as a share of all.
            candidates: How many configs are weighed where the space has more than that.
        """
        check_share("share", share, whole=True)
        every = filter == "none"
        parts = Parts(surrogate, filter, 1.0 if every else share, feasible, growth, candidates)
        super().__init__(problem, seed, parts)
        check_choice("acquisition", acquisition, _WORTHS)
        check_choice("bootstrap", bootstrap, BEGINNINGS)
        check_whole("initial", initial)
        check_number("overhead", overhead)
        if roots is not None:
            check_whole("roots", roots, *ROOTS)
        self._worth = _WORTHS[acquisition]
        self._roots = roots or (1 if acquisition == "literal" else 3)
        self._overhead = 0.0 if acquisition == "literal" else overhead
        self._begin, self._initial = BEGINNINGS[bootstrap], initial

    def beginning(self) -> list[Suggestion]:
        """The bootstrap, drawn from the seed alone."""
        return self._begin(self.problem, self._initial, np.random.default_rng(self.seed))

    def score(self, lookout: Lookout, trials: Index, history: History) -> Array:
        """What each trial is expected to bring, per unit of what it spends, (c,)."""
        rng = np.random.default_rng([self.seed, len(history), 2])
        worth = self._worth(lookout, trials, self._roots, rng)
        return worth / self.spending(lookout, trials, history, self._overhead)


def _knowledge(lookout: Lookout, trials: Index, roots: int, rng: np.random.Generator) -> Array:
    gain = knowledge_gradient(lookout.outlook(trials), roots)
    # Where nothing is expected to change, the cheapest trial is the best one.
    return np.maximum(gain, 1e-12)


def _literal(lookout: Lookout, trials: Index, roots: int, rng: np.random.Generator) -> Array:
    """Equation 5: feasibility of the next incumbent times the information about the optimum."""
    outlook = lookout.outlook(trials)
    at_trials, at_targets = joint_samples(lookout, trials, rng)
    told = expected_information(
        outlook.objective.fantasy, at_trials, at_targets, roots, lookout.sign
    )
    return incumbent_feasibility(outlook, lookout.least, roots) * told


def _entropy(lookout: Lookout, trials: Index, roots: int, rng: np.random.Generator) -> Array:
    """Equation 5 with the information gained instead of what there will be."""
    outlook = lookout.outlook(trials)
    at_trials, at_targets = joint_samples(lookout, trials, rng)
    sign = lookout.sign
    told = expected_information(outlook.objective.fantasy, at_trials, at_targets, roots, sign)
    gained = told - information(optimum_now(sign * at_targets))
    return np.maximum(gained, 1e-12) * incumbent_feasibility(outlook, lookout.least, roots)


_WORTHS: dict[str, Callable[[Lookout, Index, int, np.random.Generator], Array]] = {
    "knowledge": _knowledge,
    "entropy": _entropy,
    "literal": _literal,
}
