"""What training a model is worth to its user: one function each, and a line in a table.

Each takes a `Chance`, and scores all arms; the highest is trained next.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.surrogate import Array, Normal
from tunewise.tenancy.latent import Latent


@dataclass(frozen=True, eq=False)
class Chance:
    """What a rule for models is given.

    Attributes:
        belief: About each arm, on the latent scale, (A,).
        latent: The scale of the belief.
        best: The best accuracy so far, 0 while there is none.
        cost: (A,) expected cost, 1 for all in the cost-oblivious forms.
        beta: Width of the confidence bound.
        order: (A,) rank of each model in a fixed order, the first 0.
    """

    belief: Normal
    latent: Latent
    best: float
    cost: Array
    beta: float
    order: Array


def ucb(chance: Chance) -> Array:
    """Cost-aware GP-UCB: mean + sqrt(beta / c) std (section 4.1)."""
    std = np.asarray(chance.belief.std, float)
    bound = chance.belief.mean + np.sqrt(chance.beta / chance.cost) * std
    return chance.latent.accuracy(bound)


def ei(chance: Chance) -> Array:
    """GP-EI: the expected rise above the best so far, per cost."""
    return np.asarray(chance.latent.gain(chance.belief, chance.best) / chance.cost, float)


def pi(chance: Chance) -> Array:
    """GP-PI: the probability of a rise above the best so far, per cost."""
    above = chance.belief.probability_above(chance.latent.of(chance.best))
    return np.asarray(above / chance.cost, float)


def order(chance: Chance) -> Array:
    """A fixed order of models, such as the most cited or the most recent first."""
    return np.asarray(-chance.order, float)


WORTHS: dict[str, Callable[[Chance], Array]] = {"ei": ei, "order": order, "pi": pi, "ucb": ucb}
