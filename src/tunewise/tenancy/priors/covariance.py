"""A covariance of models from few users: the sample's, shrunk as far as left-out users ask for.

With Z (N, K) the centred values, S their covariance and T a target that knows only two numbers
(how much users differ in level, how much models differ within a user), the estimate is

    C = (1 - a) S + a T.

How much to shrink, and how much users differ in spread, is chosen by the likelihood of each user
under what the others say. Leaving a user out changes C by rank one, so all users are left out in
one pass (Hoffbeck and Landgrebe, 1996). A user's spread is unknown, which makes the likelihood a
multivariate t. Scale and noise follow by the same likelihood.
"""

from dataclasses import dataclass

import numpy as np

from tunewise.belief.population import DOUBT
from tunewise.surrogate import Array
from tunewise.surrogate.surrogate import FEW
from tunewise.tenancy.latent import Default
from tunewise.tenancy.priors.noise import NORMAL, UNKNOWN, fitted, left_out, log_t

SHRINKAGES = (0.003, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 0.8, 0.95)
"""What may be chosen, from almost none to almost all: the likelihood chooses, so this only has to
be dense enough, and denser where few users leave little to choose."""
SPREADS = (1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
"""Degrees of freedom that may be chosen, by doubling: 64 is as good as normal. With 64 alone good
models take a sixth longer to find (NOTEBOOK.md)."""
POOLED = 5.0
"""What one model, fraction or feature shows counts as the typical until so many users showed it: a
variance from five values is off by two thirds. With next to none good models take an eighth longer
to find (NOTEBOOK.md)."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A covariance (K, K), the noise of each model (K,), and how they were chosen.

    Attributes:
        covariance: (K, K).
        noise: (K,) variance of a measurement.
        shrinkage: a above.
        spread: Degrees of freedom beyond 2 of the users' spread; infinite: all users spread alike.
    """

    covariance: Array
    noise: Array
    shrinkage: float
    spread: float


def shrunk(centred: Array, extra: Array, seen: Array, default: Default, normal: bool) -> Shrunk:
    """Estimate a covariance.

    Args:
        centred: (N, K) values around their mean, missing ones filled in.
        extra: (K, K) covariance that the filling in has hidden, on average.
        seen: (K,) how many users ran each model.
        default: What is believed before any log.
        normal: Take all users to spread alike.
    """
    users, models = centred.shape
    sample = centred.T @ centred / max(users, 1) + extra
    target, own = _target(sample, users, seen, default)
    if users <= FEW:  # none is left out where three would judge a fourth
        return Shrunk(target, UNKNOWN * own, 1.0, NORMAL if normal else 4.0)
    spreads = (NORMAL,) if normal else SPREADS
    sample = sample * users / (users - 1)
    found = []
    for shrinkage in SHRINKAGES:
        blend = (1 - shrinkage) * sample + shrinkage * target
        distance, volume = by_the_others(centred, blend, 1 - shrinkage)
        for spread in spreads:
            likelihood = float(log_t(distance, volume, models, spread).mean())
            found.append((likelihood, shrinkage, spread))
    _, shrinkage, spread = max(found)
    covariance = (1 - shrinkage) * sample + shrinkage * target
    fit = fitted(centred, covariance, own, 1 - shrinkage, spread)
    return Shrunk(fit.scale * covariance, fit.noise * own, shrinkage, spread)


def _target(sample: Array, users: int, seen: Array, default: Default) -> tuple[Array, Array]:
    """A level that all models share, and a part of each model's own; both with little trust."""
    models = len(sample)
    diagonal = np.diag(sample)
    pairs = max(models * (models - 1), 1)
    shared = max(float(sample.sum() - diagonal.sum()) / pairs, 0.0)
    trust = users / (users + DOUBT)
    level = trust * shared + (1 - trust) * default.level
    alone = max(float(diagonal.mean()) - shared, 0.0) if models else 0.0
    typical = max(trust * alone + (1 - trust) * default.own, 1e-2 * default.own)
    each = np.maximum(diagonal - shared, 0.05 * typical)
    own = (seen * each + POOLED * typical) / (seen + POOLED)
    return level + np.diag(own), own


def by_the_others(centred: Array, covariance: Array, weight: float) -> tuple[Array, Array]:
    """Each user's squared distance and log volume under what the others say, (N,) each.

    The weight is that of the sample in the covariance.
    """
    from scipy.linalg import solve_triangular

    root = np.linalg.cholesky(covariance)
    half = solve_triangular(root, centred.T, lower=True)
    volume = 2 * float(np.log(np.diag(root)).sum())
    return left_out((half * half).sum(axis=0), volume, weight)
