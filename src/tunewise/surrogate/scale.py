"""The scale on which a metric is modelled.

A share such as accuracy saturates at 0 and 1, and costs and times are multiplicative: on the logit
and the log scale their errors are alike everywhere, which is what the surrogates assume.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tunewise.history.outcome import LARGEST
from tunewise.surrogate.normal import TINY, Array, Normal, roots

_LEAST_SHARE = 1e-4
"""Shares nearer to 0 or 1 count as that far away: 10,000 test items cannot tell them from the end,
and the logit of 1 is infinite."""
_FURTHEST = float(np.log(LARGEST))
"""What is above nothing counts as the inverse of the largest measurement at least."""


@dataclass(frozen=True)
class Scale:
    """A rising map from a metric's own values to those that are modelled, and back.

    Attributes:
        forward: From the metric to the model, (n,) to (n,).
        backward: The inverse.
        slope: Derivative of `forward`, to carry standard deviations over.
        spread: Standard deviation a metric usually has on the modelled scale; 0 for unknown.
        skewed: Whether the modelled scale is the logarithm.
    """

    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    spread: float = 0.0
    skewed: bool = False

    def deviation(self, values: ArrayLike, deviations: ArrayLike) -> Array:
        """Standard deviations of the metric, (n,), on the modelled scale (to first order)."""
        return np.asarray(self.slope(np.asarray(values, float)) * np.asarray(deviations, float))

    def natural(self, modelled: Normal, most: ArrayLike = np.inf) -> Normal:
        """Mean and standard deviation of the metric itself, by Gauss-Hermite quadrature.

        Args:
            modelled: The belief on the modelled scale.
            most: The largest modelled value that is plausible, (n,) or one for all.
        """
        nodes, weights = roots(21)  # exact up to the 41st degree
        mean, std = np.asarray(modelled.mean, float), np.asarray(modelled.std, float)
        outcomes = mean[..., None] + std[..., None] * nodes
        values = self.backward(np.minimum(outcomes, np.asarray(most, float)[..., None]))
        centre = values @ weights
        spread = np.sqrt(np.maximum(((values - centre[..., None]) ** 2) @ weights, 0.0))
        if centre.ndim == 0:
            return Normal(float(centre), float(spread))
        return Normal(centre, spread)

    def interval(self, natural: Normal, probability: float) -> tuple[float, float]:
        """Between which values a metric lies with a probability, its moments being in its own unit.

        The belief on the modelled scale is the one that has these moments, to second order.
        """
        from scipy.special import ndtri

        mean, std = float(natural.mean), float(natural.std)
        far = float(ndtri(0.5 + probability / 2))
        if self.skewed and mean > 0:
            width = float(np.sqrt(np.log1p((std / mean) ** 2)))
            middle = np.log(mean) - width**2 / 2
            return float(np.exp(middle - far * width)), float(np.exp(middle + far * width))
        return mean - far * std, mean + far * std


def _clipped(share: Array) -> Array:
    return np.clip(share, _LEAST_SHARE, 1 - _LEAST_SHARE)


def logit(share: ArrayLike) -> Array:
    """Of shares, none of which is nearer to 0 or 1 than can be told."""
    inside = _clipped(np.asarray(share, float))
    return np.asarray(np.log(inside / (1 - inside)))


def expit(value: ArrayLike) -> Array:
    """The share of a logit."""
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -60.0, 60.0))))


def _above_nothing(value: Array) -> Array:
    return np.where(np.asarray(value) <= 0, TINY, np.maximum(value, 1 / LARGEST))


SCALES = {
    "share": Scale(logit, expit, lambda y: 1 / (_clipped(y) * (1 - _clipped(y))), 1.0),
    "positive": Scale(
        lambda y: np.log(_above_nothing(y)),
        lambda z: np.exp(np.clip(z, -_FURTHEST, _FURTHEST)),
        lambda y: 1 / _above_nothing(y),
        1.0,
        skewed=True,
    ),
    "real": Scale(np.asarray, np.asarray, np.ones_like),
    "logarithm": Scale(
        lambda share: np.log(np.maximum(share, _LEAST_SHARE)),
        lambda z: np.exp(np.minimum(z, 0.0)),
        lambda share: 1 / np.maximum(share, _LEAST_SHARE),
        1.0,
        skewed=True,
    ),
}
"""By the kind of the metric; published systems have shares by their logarithm, too (the thesis'
section 7.2)."""
