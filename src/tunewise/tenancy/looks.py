"""Early looks: what a model's accuracy on a fraction of the data says about its accuracy on all.

An arm is a model at a fraction. On the scale of the belief, the accuracy of model m at fraction s
is f(m) + d(m, s), where f is the belief about the full data, and d, the price of less data, has a
mean by model and fraction, a part that all models of a user share, and a part of each model's own.
"""

import numpy as np

from tunewise.surrogate import Array
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.tenancy.prior import Prior

_POOLED = 5.0
_NOISE = 1e-3
_UNKNOWN_DROP = -0.3
"""Per halving of the data where no log has curves, on the logit scale."""


def with_looks(prior: Prior, looks: Array | None, full: Array, fractions: Array) -> Prior:
    """The prior over all arms: fractions ascending, the full data last, models within each.

    Args:
        prior: Over the K models at the full data.
        looks: (N, F, K) values of a log's users at the fractions; None where there are none.
        full: (N, K) their values at the full data.
        fractions: (F,) below 1.
    """
    models, count = len(prior.belief), len(fractions) + 1
    drop, shared, alone = _drops(looks, full, fractions, models)
    mean = np.concatenate([*(prior.belief.mean + row for row in drop), prior.belief.mean])
    shared, alone = (np.pad(part, ((0, 1), (0, 1))) for part in (shared, alone))
    covariance = (
        np.tile(prior.belief.covariance, (count, count))
        + np.kron(shared, np.ones((models, models)))
        + np.kron(alone, np.eye(models))
    )
    noise = np.tile(prior.noise, count) + _NOISE
    slope = np.tile(prior.slope, (1, count))
    belief = FiniteGaussian(mean, covariance)
    return Prior(belief, noise, prior.spread, slope, prior.center, prior.width, count)


def _drops(
    looks: Array | None, full: Array, fractions: Array, models: int
) -> tuple[Array, Array, Array]:
    """Mean (F, K), shared covariance (F, F) and own covariance (F, F) of the price of less data."""
    guess = -_UNKNOWN_DROP * np.log2(fractions)
    wide = 0.1 * np.minimum.outer(-np.log2(fractions), -np.log2(fractions))
    if looks is None or not len(looks):
        return np.tile(guess[:, None], (1, models)), wide, wide
    drops = looks - full[:, None, :]
    known = np.isfinite(drops)
    zeros = np.where(known, drops, 0.0)
    seen = known.sum(axis=(0, 2))
    typical = (zeros.sum(axis=(0, 2)) + _POOLED * guess) / (seen + _POOLED)
    away = np.where(known, drops - typical[:, None], 0.0)
    mean = typical[:, None] + away.sum(axis=0) / (known.sum(axis=0) + _POOLED)
    rest = np.where(known, drops - mean, 0.0)
    level = rest.sum(axis=2) / np.maximum(known.sum(axis=2), 1)
    own = np.where(known, rest - level[:, :, None], 0.0)
    users = len(drops)
    shared = (level.T @ level + wide) / (users + 1)
    alone = (np.einsum("nfk,ngk->fg", own, own) + _POOLED * wide) / (users * models + _POOLED)
    return np.asarray(mean, float), np.asarray(shared, float), np.asarray(alone, float)
