"""What a slice is worth: the slice, and the choice that it leaves.

After a slice of the data a model goes on with more of it, or it does not: a slice buys an option.
Its worth is the highest rate of gain per cost that the slice and the best choice after it reach
together (Gittins' index, two steps deep): the rate r at which

    E[gain of the slice + max over larger fractions t of (gain at t given it - r cost of t, 0)]

equals r times the cost of the slice. A slice that cannot change what is done next is worth what its
own model gains.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.acquisition.outcomes import FINE
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import ROUNDS, roots
from tunewise.tenancy.latent import Latent


@dataclass(frozen=True, eq=False)
class Curves:
    """A belief about each model's learning curve.

    Attributes:
        mean: (F, K) on the latent scale, fractions ascending and the full data last.
        covariance: (K, F, F).
        noise: (F, K) variance of a measurement.
    """

    mean: Array
    covariance: Array
    noise: Array

    def of(self, models: NDArray[np.intp]) -> "Curves":
        """Those of some models."""
        return Curves(self.mean[:, models], self.covariance[models], self.noise[:, models])


def rates(
    curves: Curves, latent: Latent, best: float, cost: Array, own: Array, open_: NDArray[np.bool_]
) -> Array:
    """Gain per cost of each arm with the best choice after it, (F, K).

    Args:
        curves: What is believed.
        latent: Its scale.
        best: The best accuracy so far.
        cost: (F, K).
        own: (F, K) the gain that each arm is expected to bring by itself.
        open_: (F, K) arms that may be started; the others are not looked at closely.
    """
    found = own / cost
    for part in range(len(cost) - 1):
        at = np.flatnonzero(open_[part])
        if len(at):
            gain, onward = _after(curves.of(at), latent, best, part)
            there = cost[part + 1 :, at].T[:, :, None]
            found[part, at] = _index(found[part, at], cost[part, at], gain, onward, there)
    return np.asarray(found, float)


def _after(curves: Curves, latent: Latent, best: float, part: int) -> tuple[Array, Array]:
    """By outcomes of a slice (K, Q): its gain, and (K, T, Q) what larger fractions then gain."""
    nodes = roots(FINE)[0]
    variance = np.maximum(np.diagonal(curves.covariance, axis1=1, axis2=2), 0.0)
    surprise = np.sqrt(variance[:, part] + curves.noise[part])
    outcome = curves.mean[part][:, None] + np.sqrt(variance[:, part])[:, None] * nodes
    then = np.maximum(latent.accuracy(outcome), best)
    moved = curves.covariance[:, part, part + 1 :] / surprise[:, None]
    mean = curves.mean[part + 1 :].T[:, :, None] + moved[:, :, None] * nodes
    left = np.sqrt(np.maximum(variance[:, part + 1 :] - moved**2, 1e-12))
    belief = Normal(mean, np.broadcast_to(left[:, :, None], mean.shape))
    return then - best, latent.gain(belief, then[:, None, :])


def _index(rate: Array, here: Array, gain: Array, onward: Array, there: Array) -> Array:
    """The rate at which a slice with its choice pays for itself, (K,): Dinkelbach's iteration.

    It converges from below, so a missing step makes a slice worth a little less, never more.
    """
    weights = roots(FINE)[1]
    for _ in range(ROUNDS):
        net = onward - rate[:, None, None] * there
        best = net.max(axis=1)
        goes = best > 0
        # What is paid is the cost of the choice that is best; where none pays, nothing is.
        paid = (np.where(net >= best[:, None], there, 0.0).max(axis=1) * goes) @ weights
        gained = (gain + best * goes) @ weights + rate * paid
        rate = np.maximum(rate, gained / (here + paid))
    return rate
