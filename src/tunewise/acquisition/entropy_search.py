"""Entropy search per cost: the acquisitions of FABOLAS, TrimTuner and Fabulinus, as data."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tunewise.acquisition.acquisition import with_overhead
from tunewise.acquisition.entropy import (
    constrained_expected_accuracy,
    expected_information,
    incumbent_feasibility,
    information,
    optimum_now,
)
from tunewise.acquisition.knowledge_gradient import TARGETS
from tunewise.belief.future import Future, futures
from tunewise.belief.grid import Index
from tunewise.belief.posterior import Posterior
from tunewise.surrogate import Array

Factor = Literal["none", "feasibility", "accuracy"]


@dataclass(frozen=True)
class EntropySearch:
    """Information about the full-data optimum per unit of spending, times a factor.

    Attributes:
        factor: "none" (FABOLAS, equation 3), the "feasibility" of the next incumbent (TrimTuner,
            equation 5), or its constrained expected "accuracy" (Fabulinus, equations 4.4, 4.5).
        gained: Score the information gained, instead of all that there will be as printed.
        roots: Gauss-Hermite roots of the outcomes.
        overhead: Added to the spending, as a share of all that was spent so far.
        least: The probability with which an incumbent keeps the limits.
        targets: How many configs may be the optimum; None for all, as in the papers.
        limited: Whether targets are chosen with an eye on the limits.
    """

    factor: Factor
    gained: bool = True
    roots: int = 3
    overhead: float = 0.1
    least: float = 0.9
    targets: int | None = TARGETS
    limited: bool = True

    logarithms: ClassVar[bool] = False

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each trial, (c,)."""
        future = futures(posterior, trials, posterior.plausible(self.targets, self.limited))
        at_trials, at_targets = future.samples(rng)
        told = expected_information(
            future.objective.fantasy, at_trials, at_targets, self.roots, future.sign
        )
        if self.gained:
            told = np.maximum(told - information(optimum_now(future.sign * at_targets)), 1e-12)
        return told * self._factor(future) / with_overhead(posterior, trials, self.overhead)

    def _factor(self, future: Future) -> Array:
        if self.factor == "feasibility":
            return incumbent_feasibility(future, self.least, self.roots)
        if self.factor == "accuracy":
            return constrained_expected_accuracy(future, self.least, self.roots)
        return np.ones(len(future))
