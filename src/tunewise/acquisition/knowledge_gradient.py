"""Knowledge gradient of the constrained full-data recommendation.

How much better is the recommendation expected to be once a candidate was measured? Each target is
worth its expected objective, weighed by how close it is to being feasible with the probability
asked for; the best target stands for the recommendation, now and after every outcome.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.outlook import Outlook, roots
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Reward:
    """Joins what a target is worth and how probably it is feasible into one number.

    Attributes:
        least: The probability of feasibility from which on nothing is held against a target.
        penalty: None for shares: the worth is multiplied by the weight. Otherwise what one
            e-fold of missing probability costs, in units of the worth.
    """

    least: float = 0.9
    penalty: float | None = None

    def __call__(self, worth: Array, feasible: Array) -> Array:
        """The reward of recommending each target, (..., t)."""
        weight = np.minimum(1.0, feasible / self.least)
        if self.penalty is None:
            return np.asarray(worth * weight, float)
        return np.asarray(worth + self.penalty * np.log(np.maximum(weight, 1e-3)), float)


def knowledge_gradient(outlook: Outlook, reward: Reward, count: int = 3) -> Array:
    """The expected rise of the best reward after measuring each candidate, (c,), never negative.

    The expectation runs over `count` Gauss-Hermite roots of the objective's outcome and as many
    of the limits'. The limits of one trial move together: cost and time do, and the number of
    outcomes stays small.
    """
    nodes, weights = roots(count)
    now = float(reward(outlook.value_now(), outlook.feasible_now()).max())
    values = [outlook.value_after(float(node)) for node in nodes]
    expected = np.zeros(len(outlook.objective.mean))
    for node, weight in zip(nodes, weights, strict=True):
        feasible = outlook.feasible_after([float(node)] * len(outlook.limits))
        for value, share in zip(values, weights, strict=True):
            expected += weight * share * reward(value, feasible).max(1)
        if not outlook.limits:
            # Without limits every node of theirs says the same.
            return np.asarray(np.maximum(expected / weight - now, 0.0), float)
    return np.asarray(np.maximum(expected - now, 0.0), float)
