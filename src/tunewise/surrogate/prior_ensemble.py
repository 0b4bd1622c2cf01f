"""A Gaussian process whose hyper-parameters are not fitted: many are drawn, and weighed.

A search that should end after a handful of trials has too few to fit anything. So hyper-parameters
are drawn once from a prior that is in natural units (logarithms of seconds, doublings of a number),
and weighed by how well they foretell what was measured. Each draw brings joint samples of the
prior over a pool of configs, which measurements move to the posterior by Matheron's rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.matern import Matern52
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.surrogate import Points

Positions = NDArray[np.intp]

DRAWS, SAMPLES = 64, 8
"""Hyper-parameters, and joint samples of each."""

_LENGTH, _CHOICE_LENGTH, _LENGTH_SPREAD = np.log(2.0), np.log(1.2), 0.5
_AMPLITUDE, _AMPLITUDE_SPREAD = np.log(0.6), 0.5
_NUGGET, _NUGGET_SPREAD = np.log(0.07), 0.6
_ADDITIVE = (0.2, 0.9)
_SLOPE = 0.35
_JITTER = 1e-6
_NEGLIGIBLE = 1e-4
"""Draws of less weight are left out: with many measurements few draws matter."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a pool of n configs looks like.

    Attributes:
        numbers: (n, d) in steps that matter about equally, centred.
        choices: (n, c) whole numbers that are equal for equal choices.
        sloped: Which of the numbers the values are expected to follow as a straight line.
    """

    numbers: Array
    choices: NDArray[np.intp]
    sloped: tuple[int, ...] = ()

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

    value = mean + level + slopes + f + deviation of the config, where f is a share of functions
    of one dimension each and of functions of all dimensions, both of Matérn-5/2 covariance. A
    config's own deviation stays: once measured, a config is known.
    """

    def __init__(self, inputs: Inputs, mean: Array, level: float, seed: int) -> None:
        """Draw; `level` is the standard deviation of what all configs share."""
        n, columns = len(mean), inputs.columns()
        uniform = _sobol(2 * len(columns) + 3, seed)
        normal = np.asarray(Normal(0.0, 1.0).quantile(uniform))
        self.mean = mean
        self.nugget = np.exp(_NUGGET + _NUGGET_SPREAD * normal[:, -1]) ** 2
        self.covariance = np.empty((DRAWS, n, n), np.float32)
        self.samples = np.empty((DRAWS, SAMPLES, n))
        shared = _SLOPE**2 * inputs.slopes() + level**2
        rng = np.random.default_rng(seed)
        for h, smooth in enumerate(_smooth(columns, uniform, normal)):
            covariance = smooth + shared
            self.covariance[h] = covariance
            covariance[np.diag_indices(n)] += self.nugget[h] + _JITTER
            root = np.linalg.cholesky(covariance)
            self.samples[h] = mean + rng.standard_normal((SAMPLES, n)) @ root.T
        self.variance = np.einsum("hii->hi", self.covariance) + self.nugget[:, None]

    def given(self, at: Positions, values: Array) -> "EnsembleBelief":
        """The belief once the configs at distinct positions (m,) had these values (m,)."""
        if not len(at):
            weights, mean = np.full(DRAWS, 1 / DRAWS), np.tile(self.mean, (DRAWS, 1))
            return EnsembleBelief(weights, mean, self.variance, self.samples)
        own = self.covariance[:, at[:, None], at].astype(float)
        own += (self.nugget + _JITTER)[:, None, None] * np.eye(len(at))
        weights = _weights(own, values - self.mean[at])
        kept = weights > _NEGLIGIBLE
        across = self.covariance[kept][:, at, :].astype(float)
        gain = np.linalg.solve(own[kept], across)
        mean = self.mean + (values - self.mean[at]) @ gain
        variance = np.maximum(self.variance[kept] - np.einsum("hmn,hmn->hn", across, gain), 1e-9)
        samples = self.samples[kept]
        samples = samples + (values - samples[:, :, at]) @ gain  # Matheron's rule
        mean[:, at], variance[:, at], samples[:, :, at] = values, 1e-12, values
        return EnsembleBelief(weights[kept] / weights[kept].sum(), mean, variance, samples)


@dataclass(frozen=True, eq=False)
class EnsembleBelief:
    """A mixture of h normals for each of n configs, and joint samples of them.

    Attributes:
        weights: (h,) that sum to 1.
        mean: (h, n).
        variance: (h, n).
        samples: (h, s, n), of the same weight within each h.
    """

    weights: Array
    mean: Array
    variance: Array
    samples: Array

    def moments(self) -> Normal:
        """Mean and standard deviation of the mixtures, (n,)."""
        mean = self.weights @ self.mean
        variance = self.weights @ (self.variance + (self.mean - mean) ** 2)
        return Normal(mean, np.sqrt(variance))


def beyond(believed: Normal, bound: Array) -> Array:
    """The mean of normals above a bound, (n,): what a value is expected to be that passed it."""
    from scipy.special import log_ndtr

    std = np.maximum(np.asarray(believed.std, float), 1e-3)
    z = (bound - believed.mean) / std
    hazard = np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(-z))
    return np.asarray(np.maximum(bound, believed.mean + std * hazard), float)


def _smooth(columns: list[Array], uniform: Array, normal: Array) -> Iterator[Array]:
    """The covariance of f, (n, n), of each draw of the hyper-parameters."""
    dims = len(columns)
    kernel, joint = Matern52(), np.hstack(columns) / np.sqrt(dims)
    width = [column.shape[1] for column in columns]
    grids = [np.unique(column, axis=0, return_inverse=True) for column in columns]
    for share, z in zip(uniform[:, 2 * dims], normal, strict=True):
        lengths = _LENGTH + _LENGTH_SPREAD * z[: 2 * dims]
        product = _covariance(kernel, np.repeat(lengths[dims:], width), joint)
        additive = np.zeros_like(product)
        for length, (values, place) in zip(lengths[:dims], grids, strict=True):
            single = _covariance(kernel, np.full(values.shape[1], length), values)
            index = place.ravel()
            additive += single[index[:, None], index]
        a = _ADDITIVE[0] + (_ADDITIVE[1] - _ADDITIVE[0]) * share
        amplitude = np.exp(2 * (_AMPLITUDE + _AMPLITUDE_SPREAD * z[2 * dims + 1]))
        yield amplitude * (a / dims * additive + (1 - a) * product)


def _covariance(kernel: Matern52, lengths: Array, x: Array) -> Array:
    points = Points(x, np.ones(len(x)))
    return kernel.between(lengths, points, points)


def _weights(covariance: Array, residual: Array) -> Array:
    """How well each draw foretells the residuals (m,), as weights (h,) that sum to 1."""
    root = np.linalg.cholesky(covariance)
    column = np.broadcast_to(residual[:, None], (len(root), len(residual), 1))
    half = np.linalg.solve(root, column)[..., 0]
    fit = -0.5 * (half**2).sum(1) - np.log(np.einsum("hii->hi", root)).sum(1)
    weights = np.exp(fit - fit.max())
    return np.asarray(weights / weights.sum(), float)


def _sobol(dims: int, seed: int) -> Array:
    from scipy.stats import qmc

    drawn = qmc.Sobol(dims, scramble=True, seed=np.random.default_rng(seed)).random(DRAWS)
    return np.asarray(np.clip(drawn, 1e-4, 1 - 1e-4), float)
