"""Slices: what a model's accuracy on a fraction of the data says about its accuracy on all.

An arm is a model at a fraction. On the scale of the belief, the accuracy of a model at a fraction
has a mean by model and fraction; of what sets a user apart at the full data it shows a share, which
grows with the fraction; and it has a part that all models of a user share, and one of each model's
own. A part of small data is very little, one of large data may be plenty: features of the data move
what all models share. All of this is learned from the curves in a log.
"""

from typing import NamedTuple

import numpy as np

from tunewise.belief.usual.slopes import PER_DECADE
from tunewise.surrogate import Array
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.surrogate.normal import TINY
from tunewise.tenancy.priors.covariance import POOLED
from tunewise.tenancy.priors.prior import AccuracyPrior, ridge


def with_slices(
    prior: AccuracyPrior,
    slices: Array | None,
    full: Array,
    fractions: Array,
    features: Array | None = None,
) -> AccuracyPrior:
    """The prior over all arms: fractions ascending, the full data last, models within each.

    Args:
        prior: Over the K models at the full data.
        slices: (N, F, K) values of a log's users at the fractions; None where there are none.
        full: (N, K) their values at the full data.
        fractions: (F,) below 1.
        features: (N, p) of the log's users, those that the prior was learned with.
    """
    models, count = len(prior.belief), len(fractions) + 1
    inputs = np.zeros((len(full), len(prior.center)))
    if features is not None and len(prior.center):
        inputs = prior.inputs(features)
    price = _price(slices, full - prior.belief.mean, full, fractions, inputs)
    mean = np.concatenate([*(prior.belief.mean + row for row in price.mean), prior.belief.mean])
    share = np.append(price.share, 1.0)
    covariance = np.asarray(np.kron(np.outer(share, share), prior.belief.covariance), float)
    covariance += np.kron(np.pad(price.shared, (0, 1)), np.ones((models, models)))
    alone = np.pad(price.alone, ((0, 0), (0, 1), (0, 1)))
    at = np.arange(models)
    covariance.reshape(count, models, count, models)[:, at, :, at] += alone
    noise = np.kron(share**2, prior.noise) + TINY
    moved = np.pad(price.slope, ((0, 0), (0, 1)))
    slope = np.concatenate(
        [part * prior.slope + more[:, None] for part, more in zip(share, moved.T, strict=True)],
        axis=1,
    )
    belief = FiniteGaussian(mean, covariance)
    return AccuracyPrior(belief, noise, prior.spread, slope, prior.center, prior.width, count)


class _Price(NamedTuple):
    """What less data takes.

    Attributes:
        mean: (F, K).
        share: (F,) of a lead that shows.
        slope: (p, F) how features move what all models share.
        shared: (F, F) covariance of what all models share.
        alone: (K, F, F) covariance of what is each model's own.
    """

    mean: Array
    share: Array
    slope: Array
    shared: Array
    alone: Array


def _price(
    slices: Array | None, away: Array, full: Array, fractions: Array, inputs: Array
) -> _Price:
    halvings = -np.log2(fractions)
    guess = PER_DECADE["share"] * np.log10(fractions)
    wide = 0.1 * np.minimum.outer(halvings, halvings)
    models = full.shape[1]
    if slices is None or not len(slices):
        mean, whole = np.tile(guess[:, None], (1, models)), np.ones(len(fractions))
        still = np.zeros((inputs.shape[1], len(fractions)))
        return _Price(mean, whole, still, wide, np.tile(wide, (models, 1, 1)))
    drops = slices - full[:, None, :]
    mean = _means(drops, guess)
    known = np.isfinite(drops)
    rest = np.where(known, drops - mean, 0.0)
    away = np.where(known, away[:, None, :], 0.0)
    share = 1 + (rest * away).sum(axis=(0, 2)) / ((away**2).sum(axis=(0, 2)) + POOLED)
    rest = np.where(known, rest - (share[:, None] - 1) * away, 0.0)
    level = rest.sum(axis=2) / np.maximum(known.sum(axis=2), 1)
    own = np.where(known, rest - level[:, :, None], 0.0)
    slope = ridge(inputs, level)
    level = level - inputs @ slope
    # What was fitted to the same users looks smaller than it is.
    freedom = max(len(drops) - inputs.shape[1], 1)
    shared = (level.T @ level + wide) / freedom
    return _Price(mean, share, slope, shared, _alone(own, wide))


def _means(drops: Array, guess: Array) -> Array:
    """The mean drop by fraction and model, (F, K); models that few ran are like the others."""
    known = np.isfinite(drops)
    zeros = np.where(known, drops, 0.0)
    typical = (zeros.sum(axis=(0, 2)) + POOLED * guess) / (known.sum(axis=(0, 2)) + POOLED)
    away = np.where(known, drops - typical[:, None], 0.0)
    return np.asarray(typical[:, None] + away.sum(axis=0) / (known.sum(axis=0) + POOLED), float)


def _alone(own: Array, wide: Array) -> Array:
    """Each model's covariance over fractions (K, F, F), between its own and a typical one.

    The typical one has the median size, so that one model with wild curves spoils no other.
    """
    users = len(own)
    each = np.einsum("nfk,ngk->kfg", own, own)
    each = (each + wide) / (users + 1)
    size = np.trace(each, axis1=1, axis2=2)
    typical = (each / size[:, None, None]).mean(axis=0) * np.median(size)
    return np.asarray((users * each + POOLED * typical) / (users + POOLED), float)
