"""What a log teaches about a user's arms: all of it, or what its users say of the user's models."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.tenancy.latent import Latent
from tunewise.tenancy.log import Log
from tunewise.tenancy.priors.prior import AccuracyPrior
from tunewise.tenancy.priors.slices import with_slices


@dataclass(frozen=True, eq=False)
class Source:
    """A log, and how it is read.

    Attributes:
        log: Its columns are the models on offer.
        described: (N, p) features of its users; None where nothing is made of them.
        latent: The scale of the belief.
        fractions: Of the slices, below 1.
        spread: Whether users may differ in spread.
    """

    log: Log
    described: Array | None
    latent: Latent
    fractions: Sequence[float]
    spread: bool

    def prior(self) -> AccuracyPrior:
        """Over all arms: fractions ascending, the full data last, models within each."""
        known, latent, described = self.log, self.latent, self.described
        values = latent.of(known.accuracy)
        prior = AccuracyPrior.learn(values, described, latent.default, normal=not self.spread)
        if not self.fractions:
            return prior
        slices = None if known.slices is None else latent.of(slices_at(known, self.fractions))
        return with_slices(prior, slices, values, np.asarray(self.fractions, float), described)

    def tellers(self, models: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The log's users (N,) who ran any of these models (K,)."""
        return np.asarray(np.isfinite(self.log.accuracy[:, models]).any(axis=1), bool)

    def of(self, users: NDArray[np.bool_], models: NDArray[np.bool_]) -> "Source":
        """What these users (N,) say of these models (K,)."""
        known = self.log
        log = Log(
            known.accuracy[np.ix_(users, models)],
            None if known.seconds is None else known.seconds[np.ix_(users, models)],
            None if known.features is None else known.features[users],
            None if known.slices is None else known.slices[users][:, :, models],
            known.fractions,
        )
        return replace(
            self, log=log, described=None if self.described is None else self.described[users]
        )


def placed(part: AccuracyPrior, at: NDArray[np.intp], whole: AccuracyPrior) -> AccuracyPrior:
    """A prior over some arms, within one over all: the others are as they were, and apart."""
    mean, noise = whole.belief.mean.copy(), whole.noise.copy()
    covariance = whole.belief.covariance.copy()
    covariance[at], covariance[:, at] = 0.0, 0.0
    covariance[np.ix_(at, at)] = part.belief.covariance
    mean[at], noise[at] = part.belief.mean, part.noise
    slope = np.zeros((len(part.slope), len(mean)))
    slope[:, at] = part.slope
    belief = FiniteGaussian(mean, covariance)
    return replace(part, belief=belief, noise=noise, slope=slope)


def slices_at(log: Log, fractions: Sequence[float]) -> Array:
    """The log's slices at these fractions (N, F, K), each from the nearest that it has."""
    assert log.slices is not None
    if not log.fractions:
        return np.full((len(log), len(fractions), log.accuracy.shape[1]), np.nan)
    have = np.log(np.asarray(log.fractions))
    nearest_ = [int(np.abs(have - np.log(f)).argmin()) for f in fractions]
    return np.asarray(log.slices[:, nearest_], float)
