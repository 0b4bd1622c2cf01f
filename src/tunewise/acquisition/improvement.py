"""Expected improvement: plain, constrained, on the log scale, and per USD.

Everything is written for a metric that is maximised; to minimise, negate the mean and `best`.

With z = (mean - best) / std, phi and Phi the standard normal density and distribution, the
improvement max(f - best, 0) has the expectation

    EI = integral over u > -z of (mean - best + std u) phi(u) du = std (phi(z) + z Phi(z)).
"""

from typing import TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import FAR, from_log

Floats = TypeVar("Floats", NDArray[np.float32], NDArray[np.float64])


def expected_improvement(predicted: Normal, best: float | Array) -> Array:
    """How much the metric is expected to rise above `best`, at each candidate (n,)."""
    mean, std = _arrays(predicted)
    gap = mean - best
    z = np.divide(gap, std, out=np.zeros_like(gap), where=std > 0)
    return np.where(std > 0, std * standard_improvement(z), np.maximum(gap, 0.0))


def standard_improvement(z: Floats) -> Floats:
    """h(z) = phi(z) + z Phi(z), in the precision of `z`: the EI of a deviation of 1."""
    from scipy.special import ndtr

    density = np.exp(z.dtype.type(-0.5) * z * z) / np.sqrt(z.dtype.type(2 * np.pi))
    # Far below the best the two terms cancel to rounding; the expectation is never negative.
    return cast(Floats, np.maximum(density + z * ndtr(z), z.dtype.type(0)))


def log_normal_improvement(log: Normal, log_best: float, log_most: Array) -> Array:
    """E[(1 - exp(f) / best)+; f <= most] for a log-normal that should be small.

    The share by which a cost is expected to fall below the best one, counted only where its
    logarithm f keeps the limit `log_most`, which is at most that of the best. With a the limit in
    standard deviations, E[exp(f); f <= most] = exp(mean + std^2 / 2) Phi(a - std).
    """
    from scipy.special import ndtr

    mean, std = _arrays(log)
    a = (log_most - mean) / std
    lost = from_log(mean - log_best + 0.5 * std**2) * ndtr(a - std)
    return np.asarray(np.maximum(ndtr(a) - lost, 0.0), float)


def probability_of_improvement(predicted: Normal, best: float) -> Array:
    """The probability that the metric rises above `best`, at each candidate (n,)."""
    return predicted.probability_above(best)


def upper_confidence_bound(predicted: Normal, deviations: float) -> Array:
    """The metric if it lies so many standard deviations above its mean, (n,)."""
    mean, std = _arrays(predicted)
    return np.asarray(mean + deviations * std, float)


def log_expected_improvement(predicted: Normal, best: float) -> Array:
    """The logarithm of the expected improvement, accurate where the improvement underflows.

    Minus infinity only where improvement is impossible: a certain value at or below `best`.
    """
    mean, std = _arrays(predicted)
    gap = mean - best
    z = np.divide(gap, std, out=np.zeros_like(gap), where=std > 0)
    with np.errstate(divide="ignore"):
        certain = np.log(np.maximum(gap, 0.0))
        uncertain = np.log(std) + _log_h(z)
    return np.where(std > 0, uncertain, certain)


def constrained_expected_improvement(
    predicted: Normal, best: float | None, feasible: ArrayLike
) -> Array:
    """Expected improvement over the best feasible value, times the probability of feasibility.

    While nothing feasible is known (`best` is None), any feasible config is an improvement and
    candidates are worth their probability of feasibility alone.
    """
    probability = np.asarray(feasible, float)
    if best is None:
        return np.array(np.broadcast_to(probability, np.shape(predicted.mean)), float)
    return np.asarray(expected_improvement(predicted, best) * probability, float)


def log_constrained_expected_improvement(
    predicted: Normal, best: float | None, feasible: ArrayLike
) -> Array:
    """The logarithm of the constrained expected improvement, accurate where it underflows."""
    with np.errstate(divide="ignore"):
        log_probability = np.log(np.asarray(feasible, float))
    if best is None:
        return np.array(np.broadcast_to(log_probability, np.shape(predicted.mean)), float)
    return np.asarray(log_expected_improvement(predicted, best) + log_probability, float)


def _arrays(belief: Normal) -> tuple[Array, Array]:
    mean, std = np.broadcast_arrays(np.asarray(belief.mean, float), np.asarray(belief.std, float))
    return mean, std


def _log_h(z: Array) -> Array:
    """log(phi(z) + z Phi(z)) without cancellation, as in LogEI (Ament et al., 2023).

    For z < -1 the sum is phi(z) (1 - r) with r = |z| Phi(z) / phi(z), and r comes from the
    scaled complementary error function, which does not underflow. Further down the factor 1 - r
    loses its digits, and three terms of its expansion 1/z^2 - 3/z^4 + 15/z^6 are as good as exact.
    """
    from scipy.special import erfcx, ndtr

    near, mid, far = np.maximum(z, -1.0), np.clip(z, -FAR, -1.0), np.minimum(z, -FAR)
    root = 0.5 * float(np.log(2 * np.pi))
    density = np.exp(-0.5 * near * near - root)
    ratio = np.log(erfcx(-mid / np.sqrt(2)) * -mid) + 0.5 * np.log(np.pi / 2)
    square = 1 / far**2
    tail = np.where(
        z > -FAR,
        np.log(-np.expm1(ratio)),
        np.log(square) + np.log1p(-3 * square + 15 * square * square),
    )
    return np.where(z > -1, np.log(density + near * ndtr(near)), tail - 0.5 * z * z - root)
