"""The ratio of two kernel densities: what BOHB (Falkner and others, 2018) takes configs by.

l(x) is the density of the best configs, g(x) of the others (equation 2). Samples are drawn from l
with wider bandwidths, and the one of the largest l(x) / g(x) is taken: that maximises expected
improvement (equations 3 and 4, after TPE).
"""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.normal import SAMPLES, Array

WIDER = 3.0
"""How much wider the bandwidths are from which samples are drawn (the paper's b_w)."""
_LEAST = 1e-3
"""The narrowest bandwidth, in the unit cube (the paper's minimum)."""


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """Two sets of configs in the unit cube, (k, d) and (m, d), with bandwidths (d,) each."""

    good: Array
    other: Array
    good_width: Array
    other_width: Array

    @classmethod
    def of(cls, ranked: Array, top: float, least: int) -> "DensityRatio":
        """Split configs (n, d), the best first: max(least, top n) are good, and as many others."""
        count = len(ranked)
        good = ranked[: max(least, int(top * count))]
        other = ranked[-max(least, int((1 - top) * count)) :]
        return cls(good, other, _width(good), _width(other))

    def score(self, x: Array) -> Array:
        """Log l(x) - log g(x) at configs (n, d), (n,)."""
        return _log_density(x, self.good, self.good_width) - _log_density(
            x, self.other, self.other_width
        )

    def sampled(self, x: Array, rng: np.random.Generator) -> Array:
        """The score at N_s = 64 samples of the listed configs (n, d), -inf elsewhere, (n,)."""
        log_weight = _log_density(x, self.good, WIDER * self.good_width)
        # The Gumbel trick: the largest of log-weights plus noise are a sample without repeats.
        drawn = np.argsort(-(log_weight + rng.gumbel(size=len(x))), kind="stable")[:SAMPLES]
        score = np.full(len(x), -np.inf)
        score[drawn] = self.score(x[drawn])
        return score


def _width(points: Array) -> Array:
    """Scott's rule for each column of (k, d), (d,)."""
    count, dims = points.shape
    return np.asarray(np.maximum(points.std(0) * count ** (-1 / (dims + 4)), _LEAST), float)


def _log_density(x: Array, points: Array, width: Array) -> Array:
    """Log of the mean of normal kernels around points (k, d), at x (n, d), (n,)."""
    from scipy.special import logsumexp

    away = (x[:, None, :] - points[None]) / width
    scale = np.log(width).sum() + np.log(len(points))
    return np.asarray(logsumexp(-0.5 * (away**2).sum(2), axis=1) - scale, float)
