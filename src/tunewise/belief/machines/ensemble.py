"""A Gaussian process whose hyper-parameters are not fitted: many are drawn, and weighed.

A search that should end after a handful of trials has too few to fit anything. So hyper-parameters
are drawn once from a prior that is in natural units (logarithms of seconds, doublings of a number),
and weighed by how well they predict what was measured. Each draw brings joint samples of the
prior over a pool of configs, which measurements move to the posterior by Matheron's rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.usual.slopes import DOUBT
from tunewise.surrogate.finite_gaussian import Positions, Update, log_density
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.normal import SAMPLES, TIE, Array, Normal
from tunewise.surrogate.surrogate import Points

# The priors below come from what is known of cluster times, and from about 48 settings of a
# prototype on variants of 14 measured tables (the ablation of `lynceus` in NOTEBOOK.md).
# Differences of less than a tenth of the money are noise there: no second digit matters.
_LENGTH, _CHOICE_LENGTH = np.log(2.0), np.log(1.2)
"""Log length scales: times are smooth over two doublings of a number, and two different choices are
a little less than one length apart; one draw in six is longer than 3.3 doublings. Scales of 2.5
doublings with one random trial to begin with cost a fifth more over those tables, and choices as
far apart as numbers 1.28 ± .15 times as much over 24 disguised ones."""

_AMPLITUDE = np.log(0.6)
"""Log of how far log times are from the straight lines: a factor of 1.8 either way, 1.1 to 3 being
within one standard deviation; cluster times differ by ten around their mean, most of it by size."""

_NUGGET = np.log(0.07)
"""Log of what is a config's own: 7 % of its time, as repeated runs on rented machines differ."""

_ADDITIVE = (0.2, 0.9)
"""The share of functions of one dimension each, drawn evenly between almost all interactions and
almost none: few trials cannot tell. A half for all costs 1.03 ± .06 times as much."""

SLOPE = 0.35
"""Of perfect scaling, what twice the cores are expected to save, and the deviation of the log time
per doubling of a sloped number: no speed-up at all is 0.7 deviations below, a perfect one 1.3
above, and a few trials tell. That more cores are faster saved a sixteenth of the money over 14
tables (NOTEBOOK.md)."""

_CLIFF = 1.5
"""How much the log time is expected to grow below a cliff, where data no longer fit into memory: by
a factor of 4.5, and half of that is its deviation. By what such jobs do; not tuned by races."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a pool of n configs looks like.

    Attributes:
        numbers: (n, d) in steps that matter about equally, centred.
        choices: (n, c) whole numbers that are equal for equal choices.
        sloped: Which of the numbers the values are expected to follow as a straight line.
        stepped: In one of which numbers there is a cliff: less of it is slower by far.
    """

    numbers: Array
    choices: NDArray[np.intp]
    sloped: tuple[int, ...] = ()
    stepped: tuple[int, ...] = ()

    def columns(self) -> list[Array]:
        """Each dimension by coordinates (n, w), in units of a number's typical length scale."""
        numbers = [column[:, None] for column in self.numbers.T]
        one_hot = [np.eye(int(c.max()) + 1)[c] for c in self.choices.T]
        # Two different choices are one apart.
        scale = np.exp(_LENGTH - _CHOICE_LENGTH) / np.sqrt(2)
        return numbers + [scale * hot for hot in one_hot]

    def slopes(self) -> Array:
        """The covariance of straight lines, (n, n), of variance 1 a step over all of them."""
        sloped = self.numbers[:, list(self.sloped)]
        return np.asarray(sloped @ sloped.T / max(len(self.sloped), 1), float)


class PriorEnsemble:
    """Draws of the prior over a pool of n configs, each with joint samples.

    value = mean + cliff + level + slopes + f + deviation of the config, where f is a share of
    functions of one dimension each and of functions of all dimensions, both of Matérn-5/2
    covariance. A config's own deviation stays: once measured, a config is known.
    """

    def __init__(self, inputs: Inputs, mean: Array, level: float, seed: int) -> None:
        """Draw hyper-parameters; `level` is the standard deviation of what all configs share."""
        self._smooth = _Smooth(inputs.columns(), seed)
        self._below = _CLIFF * below_cliff(inputs, seed)
        self._shared = SLOPE**2 * inputs.slopes() + level**2
        self._mean, self._seed = mean + self._below, seed
        self._laid: dict[int, _Laid] = {}

    def given(self, at: Positions, values: Array) -> "EnsembleBelief":
        """The belief once the configs at distinct positions (m,) had these values (m,)."""
        residual = values - self._mean[:, at]
        own = self._smooth.among(at) + self._shared[np.ix_(at, at)]
        below = self._below[:, at] / 2
        own += below[:, :, None] * below[:, None, :]
        own += self._smooth.nugget[:, None, None] * np.eye(len(at))
        fit = log_density(own, residual)
        weights = np.exp(fit - fit.max())
        evidence = float(fit.max() + np.log(weights.mean()))
        weights /= weights.sum()
        kept = np.flatnonzero(weights > TIE)  # with many measurements few draws matter
        laid = [self._lay(int(h)) for h in kept]
        across = np.array([one.covariance[at] for one in laid], float)
        update = Update.of(own[kept], across)
        mean = self._mean[kept] + update.shift(residual[kept])
        prior = np.array([one.variance for one in laid])
        variance = np.maximum(prior - update.explained(), 1e-9)
        samples = np.array([one.samples for one in laid])
        samples = update.moved(samples, values - samples[:, :, at])
        mean[:, at], variance[:, at], samples[:, :, at] = values, 1e-12, values
        weights = weights[kept] / weights[kept].sum()
        noise = self._smooth.nugget[kept]
        return EnsembleBelief(weights, mean, variance, samples, noise, evidence)

    def _lay(self, h: int) -> "_Laid":
        """A draw over the whole pool, once it is needed."""
        if h not in self._laid:
            covariance = self._smooth.over_all(h) + self._shared
            covariance += np.outer(self._below[h], self._below[h]) / 4
            kept = covariance.astype(np.float32)
            covariance[np.diag_indices(len(covariance))] += self._smooth.nugget[h]
            white = np.random.default_rng([self._seed, h]).standard_normal(
                (SAMPLES // 8, len(kept))
            )
            samples = self._mean[h] + white @ np.linalg.cholesky(covariance).T
            self._laid[h] = _Laid(kept, np.diag(covariance).copy(), samples)
        return self._laid[h]


class _Laid(NamedTuple):
    """A draw over n configs: covariance of the smooth part (n, n), variance (n,), samples (s, n).

    In single precision the covariances of all draws take half the memory, and are as good.
    """

    covariance: NDArray[np.float32]
    variance: Array
    samples: Array


class _Smooth:
    """The covariance of f under each draw of its hyper-parameters."""

    def __init__(self, columns: list[Array], seed: int) -> None:
        dims = len(columns)
        uniform = _sobol(2 * dims + 3, seed)
        normal = np.asarray(Normal(0.0, 1.0).quantile(uniform))
        lengths = _LENGTH + DOUBT * normal
        self._own, self._joint = lengths[:, :dims], lengths[:, dims : 2 * dims]
        self._share = _ADDITIVE[0] + (_ADDITIVE[1] - _ADDITIVE[0]) * uniform[:, 2 * dims]
        self._variance = np.exp(2 * (_AMPLITUDE + DOUBT * normal[:, 2 * dims + 1]))
        self.nugget = np.exp(2 * (_NUGGET + DOUBT * normal[:, 2 * dims + 2]))
        self._columns, self._distinct = columns, [distinct(column) for column in columns]

    def among(self, at: Positions) -> Array:
        """Between the configs at positions (m,), for all draws, (h, m, m)."""
        columns = [column[at] for column in self._columns]
        every = np.arange(len(at))
        distinct = [(column, every) for column in columns]
        return np.array([self._covariance(h, columns, distinct) for h in range(SAMPLES)], float)

    def over_all(self, h: int) -> Array:
        """Between all configs, (n, n), for one draw."""
        return self._covariance(h, self._columns, self._distinct)

    def _covariance(self, h: int, columns: list[Array], distinct: "list[_Distinct]") -> Array:
        dims, a = len(columns), self._share[h]
        widths = [column.shape[1] for column in columns]
        product = _matern(np.repeat(self._joint[h], widths), np.hstack(columns) / np.sqrt(dims))
        product *= 1 - a
        for length, (values, place) in zip(self._own[h], distinct, strict=True):
            single = a / dims * _matern(np.full(values.shape[1], length), values)
            product += single if len(values) == len(place) else single[place][:, place]
        product *= self._variance[h]
        return product


_Distinct = tuple[Array, Positions]


def distinct(column: Array) -> _Distinct:
    """The distinct rows of a column, and which of them each of its rows is."""
    values, place = np.unique(column, axis=0, return_inverse=True)
    return (values, place.ravel()) if len(values) < len(column) else (column, place.ravel())


@dataclass(frozen=True, eq=False)
class EnsembleBelief:
    """A mixture of h normals for each of n configs, and joint samples of them.

    Attributes:
        weights: (h,) that sum to 1.
        mean: (h, n).
        variance: (h, n).
        samples: (h, s, n), of the same weight within each h.
        noise: (h,) variance of a further measurement around the config's own value.
        evidence: Logarithm of how well all draws together predicted what was measured.
    """

    weights: Array
    mean: Array
    variance: Array
    samples: Array
    noise: Array
    evidence: float = 0.0

    def below(self, most: Array) -> Array:
        """The probability that a new measurement of each config is at most so much, (n,)."""
        std = np.sqrt(self.variance + self.noise[:, None])
        return np.asarray(self.weights @ Normal(self.mean, std).probability_below(most), float)

    def moments(self) -> Normal:
        """Mean and standard deviation of the mixtures, (n,)."""
        mean = self.weights @ self.mean
        variance = self.weights @ (self.variance + (self.mean - mean) ** 2)
        return Normal(mean, np.sqrt(variance))


def _matern(lengths: Array, x: Array) -> Array:
    points = Points(x, np.ones(len(x)))
    return Matern52().between(lengths, points, points)


def below_cliff(inputs: Inputs, seed: int) -> Array:
    """Which configs are below the cliff of each draw, (h, n): half of it, the others minus half.

    Centred, as nobody knows which of both is the usual one.
    """
    below = np.zeros((SAMPLES, len(inputs.numbers)))
    columns = [inputs.numbers[:, i] for i in inputs.stepped]
    cliffs = [(column, edge) for column in columns for edge in _between(column)]
    if not cliffs:
        return below
    drawn = np.random.default_rng([seed, 5]).permutation(SAMPLES) % len(cliffs)
    for h, (column, edge) in enumerate(cliffs[i] for i in drawn):
        below[h] = np.where(column < edge, 0.5, -0.5)
    return below


def _between(column: Array) -> Array:
    """The middles between its neighbouring values."""
    places = np.unique(column)
    return np.asarray((places[:-1] + places[1:]) / 2, float)


class Hedged:
    """Several ensembles over the same pool, believed as far as each has predicted what came.

    Where knowledge is right it wins at once; where it misleads, what knows nothing takes over.
    """

    def __init__(self, ensembles: Sequence[PriorEnsemble], trust: Sequence[float]) -> None:
        """Take ensembles, and how much each is believed before anything is measured."""
        self._ensembles, self._trust = ensembles, np.log(trust)

    def given(self, at: Positions, values: Array) -> EnsembleBelief:
        """The belief once the configs at distinct positions (m,) had these values (m,)."""
        each = [ensemble.given(at, values) for ensemble in self._ensembles]
        told = self._trust + np.array([one.evidence for one in each])
        trust = np.exp(told - told.max())
        trust /= trust.sum()
        kept = [(share, one) for share, one in zip(trust, each, strict=True) if share > TIE]
        return EnsembleBelief(
            np.concatenate([share * one.weights for share, one in kept])
            / sum(share for share, _ in kept),
            np.concatenate([one.mean for _, one in kept]),
            np.concatenate([one.variance for _, one in kept]),
            np.concatenate([one.samples for _, one in kept]),
            np.concatenate([one.noise for _, one in kept]),
            float(told.max() + np.log(np.exp(told - told.max()).sum())),
        )


def _sobol(dims: int, seed: int) -> Array:
    from scipy.stats import qmc

    drawn = qmc.Sobol(dims, scramble=True, seed=np.random.default_rng(seed)).random(SAMPLES)
    return np.asarray(np.clip(drawn, 1e-4, 1 - 1e-4), float)
