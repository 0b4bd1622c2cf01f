"""What is believed about run times: given, or learned from the log and from what the user ran.

The logarithm of seconds is taken to be normal over models: a large data set is slow for all of
them, which one measurement tells about the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.extrapolation import SPREAD
from tunewise.surrogate import Array
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.surrogate.growing_gaussian import GrowingGaussian
from tunewise.surrogate.normal import TINY
from tunewise.tenancy.latent import Default
from tunewise.tenancy.priors.prior import AccuracyPrior

COMPONENTS = 3
"""Features of a user that its run times give: how slow all models are, and two ways in which they
differ. More would be learned from two or three models that a user ran; with one alone good models
take an eighth longer to find (NOTEBOOK.md)."""
_SHORTEST = 1e-4
"""Seconds, so that a logarithm exists where a clock showed 0."""
_DEFAULT = Default(0.0, 4.0, 1.0)
"""Before any log, of the logarithm of seconds: around a second with a factor of seven either way
for all models of a user, and of nearly three for each; the first measurement replaces the level."""
_SHRUNK = 0.5
"""Trainings that the factor of 1 counts for: estimates are off by a factor of two for all models
of a machine, and by somewhat less for each."""


@dataclass(frozen=True, eq=False)
class SecondsPrior:
    """What a log says about run times.

    Attributes:
        belief: Of the logarithms of seconds of all arms, (A,).
        noise: (A,).
        directions: (K, p) in which users' run times differ most: the size of their data shows.
        typical: Mean seconds of a model in the log, or 1: the unit of cost.
    """

    belief: FiniteGaussian
    noise: Array
    directions: Array
    typical: float

    @classmethod
    def learn(
        cls, seconds: Array | None, models: int, fractions: Sequence[float]
    ) -> "SecondsPrior":
        """From a log's seconds (N, K), for arms at these fractions and at the full data."""
        measured = np.empty((0, models)) if seconds is None else seconds
        prior = AccuracyPrior.learn(_log(measured), None, _DEFAULT, normal=True)
        used = np.repeat([*fractions, 1.0], models)
        slices = len(used) // models if models else 1
        mean = np.tile(prior.belief.mean, slices) + np.log(used)
        covariance = np.tile(prior.belief.covariance, (slices, slices))
        covariance = covariance + np.diag(np.where(used < 1, SPREAD**2, 0.0))
        noise = np.tile(prior.noise, slices)
        typical = float(np.nanmean(measured)) if np.isfinite(measured).any() else 1.0
        typical = max(typical, _SHORTEST)
        directions = _directions(measured, prior)
        return cls(FiniteGaussian(mean, covariance), noise, directions, typical)

    def features_of(self, seconds: Array) -> Array:
        """Where a user stands in these directions, (p,), from seconds at the full data (K,)."""
        mean = self.belief.mean[-len(self.directions) :]
        away = self._completed(_log(seconds)) - mean
        return np.asarray(np.where(np.isfinite(away), away, 0.0) @ self.directions, float)

    def _completed(self, row: Array) -> Array:
        """A row (K,) with its gaps filled by what the others say."""
        at, models = np.flatnonzero(np.isfinite(row)), len(row)
        if len(at) in (0, models):
            return row
        full = FiniteGaussian(
            self.belief.mean[-models:], self.belief.covariance[-models:, -models:]
        )
        return np.where(np.isfinite(row), row, full.given(at, row[at], TINY).mean)


class Seconds:
    """The run times of one user's arms: what was given is certain, the rest is learned.

    Where what was given is a mere estimate, one factor for all of it is learned from what the
    user's models took: how fast the machine is, and how busy.
    """

    def __init__(
        self,
        prior: SecondsPrior,
        given: Array | None,
        wanted: NDArray[np.bool_],
        estimated: bool = False,
    ) -> None:
        """Given seconds (A,), NaN where unknown, None where all are; and which arms matter (A,)."""
        self._prior = prior
        self._given, self._estimated = given, estimated
        self._certain = given is not None and not np.isnan(given[wanted]).any()
        self._belief: GrowingGaussian | None = None
        self._expected: Array | None = None
        self._told: list[tuple[int, float]] = []
        if given is not None and not self._certain:
            for arm in np.flatnonzero(np.isfinite(given)).tolist():
                self._learn(arm, float(given[arm]), TINY)

    @property
    def expected(self) -> Array:
        """Expected seconds of each arm, (A,)."""
        if self._expected is None:
            self._expected = self._expect()
        return self._expected

    @property
    def features(self) -> Array | None:
        """Where the user stands in the directions of the prior; None where nothing sure was given.

        Estimates beside the log's measured seconds would tell how they err, not of the user's data.
        """
        if self._given is None or self._estimated or not self._prior.directions.size:
            return None
        return self._prior.features_of(self._given[-len(self._prior.directions) :])

    def told(self, arm: int, seconds: float) -> None:
        """Learn how long an arm took, unless all was known."""
        self._told.append((arm, seconds))
        self._expected = None
        if not self._certain:
            self._learn(arm, seconds, float(self._prior.noise[arm]))

    def moved(
        self, prior: SecondsPrior, arms: NDArray[np.intp], wanted: NDArray[np.bool_]
    ) -> "Seconds":
        """The same knowledge over a larger set of arms; `arms` says where each old arm went."""
        given = None
        if self._given is not None:
            given = np.full(len(wanted), np.nan)
            given[arms] = self._given
        twin = Seconds(prior, given, wanted, self._estimated)
        for arm, seconds in self._told:
            twin.told(int(arms[arm]), seconds)
        return twin

    def _learn(self, arm: int, seconds: float, noise: float) -> None:
        if self._belief is None:
            self._belief = GrowingGaussian(self._prior.belief)
        self._belief.add(arm, float(_log(np.asarray(seconds))), noise)
        self._expected = None

    def _expect(self) -> Array:
        belief = self._prior.belief if self._belief is None else self._belief
        believed = np.exp(belief.mean + 0.5 * belief.variance)
        if self._given is None:
            return np.asarray(believed, float)
        given = np.maximum(self._given * self._factor(), _SHORTEST)
        return np.where(np.isfinite(self._given), given, believed)

    def _factor(self) -> float:
        """By which the estimates are to be multiplied, shrunk towards 1."""
        if not self._estimated or self._given is None:
            return 1.0
        away = [_log(np.asarray(s)) - _log(self._given[arm]) for arm, s in self._told]
        known = [float(each) for each in away if np.isfinite(each)]
        return float(np.exp(sum(known) / (len(known) + _SHRUNK)))


def _log(seconds: Array) -> Array:
    return np.asarray(np.log(np.maximum(seconds, _SHORTEST)), float)


def _directions(seconds: Array, prior: AccuracyPrior) -> Array:
    """The principal directions of the users' log seconds, (K, p)."""
    users, models = seconds.shape
    if users <= COMPONENTS + 2:
        return np.zeros((models, 0))
    values, vectors = np.linalg.eigh(prior.belief.covariance)
    return np.asarray(vectors[:, ::-1][:, : min(COMPONENTS, models)], float)
