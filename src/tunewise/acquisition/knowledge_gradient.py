"""Knowledge gradient of the constrained full-data recommendation.

How much better is the recommendation expected to be once a candidate was measured? Each target is
worth its expected objective times the probability that it is feasible; the best target stands for
the recommendation, now and after every outcome. The reward is linear in the probability, so that
making sure of a limit has a value of its own.
"""

import numpy as np

from tunewise.acquisition.outlook import Outlook, roots
from tunewise.surrogate import Array


def knowledge_gradient(outlook: Outlook, count: int = 3) -> Array:
    """The expected rise of the best reward after measuring each candidate, (c,), never negative.

    The expectation runs over `count` Gauss-Hermite roots of the objective's outcome and as many
    of the limits'. The limits of one trial move together: cost and time do, and the number of
    outcomes stays small.
    """
    nodes, weights = roots(count)
    now = float((outlook.value_now() * outlook.feasible_now()).max())
    values = [outlook.value_after(float(node)) for node in nodes]
    expected = np.zeros(len(outlook.objective.fantasy.mean))
    for node, weight in zip(nodes, weights, strict=True):
        feasible = outlook.feasible_after([float(node)] * len(outlook.limits))
        for value, share in zip(values, weights, strict=True):
            expected += weight * share * (value * feasible).max(1)
        if not outlook.limits:
            # Without limits every node of theirs says the same.
            return np.asarray(np.maximum(expected / weight - now, 0.0), float)
    return np.asarray(np.maximum(expected - now, 0.0), float)
