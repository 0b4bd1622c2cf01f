"""Knowledge gradient of the constrained full-data recommendation.

How much better is the recommendation expected to be once a candidate was measured? Each target is
worth its expected objective times the probability that it is feasible; the best target stands for
the recommendation, now and after every outcome. The reward is linear in the probability, so that
making sure of a limit has a value of its own.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunewise.acquisition.acquisition import with_overhead
from tunewise.belief.candidates import Candidates
from tunewise.belief.future import Future, roots
from tunewise.belief.grid import Index
from tunewise.belief.posterior import Posterior
from tunewise.belief.worth import in_own_unit
from tunewise.space import Config
from tunewise.surrogate import Array

TARGETS = 60
"""Configs that may become the recommendation while trials are weighed: the most promising ones by
an optimist's view. Time grows in proportion to their number; with 60 an ask over 1,440 trials takes
about a tenth of a second. Not tuned for quality."""


@dataclass(frozen=True)
class KnowledgeGradient:
    """The knowledge gradient of the constrained full-data recommendation, per unit of spending.

    Attributes:
        roots: Gauss-Hermite roots of the outcomes.
        overhead: What a trial costs besides its own spending, as a share of all spent so far.
        targets: How many configs may become the recommendation; None for all.
    """

    roots: int = 3
    overhead: float = 0.1
    targets: int | None = TARGETS

    logarithms: ClassVar[bool] = False

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each trial, (c,)."""
        future = posterior.future(trials, posterior.plausible(self.targets))
        # Where nothing is expected to change, the cheapest trial is the best one.
        gain = np.maximum(knowledge_gradient(future, self.roots), 1e-12)
        return gain / with_overhead(posterior, trials, self.overhead)


def knowledge_gain(
    posterior: Posterior, recommended: Config, targets: int | None = TARGETS
) -> float:
    """How much the most useful open trial betters what is recommended, in the objective's unit."""
    if not len(posterior.open):
        return 0.0
    gains = knowledge_gradient(posterior.future(posterior.open, posterior.plausible(targets)))
    here = Candidates.of(posterior.problem, [recommended])
    natural = posterior.objective.natural(here, 1.0)
    mean = float(np.asarray(natural.mean)[0])
    return in_own_unit(float(gains.max()), posterior.objective, mean)


def knowledge_gradient(future: Future, count: int = 3) -> Array:
    """The expected rise of the best reward after measuring each candidate, (c,), never negative.

    The expectation runs over `count` Gauss-Hermite roots of the objective's outcome and as many
    of the limits'. The limits of one trial move together: cost and time do, and the number of
    outcomes stays small.
    """
    nodes, weights = roots(count)
    now = float((future.value_now() * future.feasible_now()).max())
    values = [future.value_after(float(node)) for node in nodes]
    expected = np.zeros(len(future.objective.fantasy.mean))
    for node, weight in zip(nodes, weights, strict=True):
        feasible = future.feasible_after([float(node)] * len(future.limits))
        for value, share in zip(values, weights, strict=True):
            expected += weight * share * (value * feasible).max(1)
        if not future.limits:
            # Without limits every node of theirs says the same.
            return np.asarray(np.maximum(expected / weight - now, 0.0), float)
    return np.asarray(np.maximum(expected - now, 0.0), float)
