"""Configs that nothing relates: each has a curve of its own, all drawn from one population.

A config's metric is a weighted sum of a few functions of the fraction. Its weights are drawn around
a common mean; how much they differ, in each function, is unknown and may be far from usual. So
many guesses of it are weighed by how well they predict the measurements, and beliefs average over
them: the first surprise makes the guesses of large differences win, and widens beliefs at once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.normal import Array

USUAL, NOISE = ((1.5, 0.7), (0.5, 0.8), (0.2, 0.8)), (0.13, 0.7)
"""Medians of how much configs differ, in units of the targets' usual spread, and the standard
deviations of their logarithms: of the metric on the full data, of what ten times the data adds, of
how much that bends, and of one measurement around it. Learners differ in the logarithm of their
time by 3 and networks by 1; both are well inside."""

COMMON = (3.0, 0.6, 0.2)
"""Standard deviations of what all configs have in common, in the same order."""

LINKED = 0.7
"""The correlation of a config's level on the full data with what ten times the data adds, for
beliefs to be stated. On the smallest slices set-ups make configs alike, and data tells them apart:
what takes long on the full data grew steeply, and what is best there learned most. In LCDB it is
0.68 for the logarithm of time and 0.73 for the logit of accuracy (`benchmarks.curves --links`)."""

OWN = 0.5
"""The share of a measurement's noise that comes again when it is repeated: what a slice has of its
own. Unknown before anything is repeated, and so a half."""


class Told(NamedTuple):
    """Distinct measurements: config (n,), basis (n, k), mean (n,), known variance (n,), repeats."""

    config: NDArray[np.intp]
    basis: Array
    mean: Array
    variance: Array
    repeats: Array


@dataclass(frozen=True, eq=False)
class Guesses:
    """Guesses of how much configs differ: variances of the weights (h, k), of the noise (h,)."""

    weights: Array
    noise: Array

    @classmethod
    def spread(cls, size: int, count: int, unit: float) -> "Guesses":
        """Guesses spread evenly over what is usual, for a basis of so many functions."""
        from scipy.special import ndtri

        usual = np.array([*USUAL[:size], NOISE])
        normal = ndtri(_lattice(count, size + 1))
        deviation = unit * usual[:, 0] * np.exp(usual[:, 1] * normal)
        return cls(deviation[:, :size] ** 2, deviation[:, size] ** 2)


@dataclass(frozen=True, eq=False)
class Habits:
    """What is known of configs before anything is measured, of c configs and k functions.

    Attributes:
        mean: (c, k) how each config's weights usually differ from the common mean.
        ratio: (c, k) variances around that, in units of those of the guesses.
        centre: (k,) the usual common mean.
        spread: (k,) its standard deviation.
        linked: The correlation of level and slope around what is known.
    """

    mean: Array
    ratio: Array
    centre: Array
    spread: Array
    linked: float = 0.0

    @classmethod
    def none(cls, configs: int, size: int, unit: float) -> "Habits":
        """Nothing is known."""
        spread = unit * np.array(COMMON[:size])
        return cls(np.zeros((configs, size)), np.ones((configs, size)), np.zeros(size), spread)

    def precision(self, weights: Array) -> Array:
        """Of each config's weights for guesses of their variances (h, k), (h, c, k, k)."""
        correlation = np.eye(weights.shape[1])
        correlation[:2, :2] += self.linked * (1 - np.eye(min(len(correlation), 2)))
        root = np.sqrt(weights[:, None] * self.ratio)
        return np.asarray(np.linalg.inv(correlation) / (root[..., :, None] * root[..., None, :]))


@dataclass(frozen=True, eq=False)
class Population:
    """The belief about the weights of c configs: means (c, k), covariances (c, k, k).

    Attributes:
        mean: Of each config's weights.
        covariance: Of each config's weights.
        credence: (h,) how much each guess is believed.
        noise: Variance of a measurement.
    """

    mean: Array
    covariance: Array
    credence: Array
    noise: float


def population(
    guesses: Guesses, told: Told, habits: Habits, credence: Array | None = None
) -> Population:
    """What measurements teach about configs 0 to c - 1, those without any included.

    Args:
        guesses: Of how much configs differ.
        told: What was measured.
        habits: What is known before.
        credence: How much each guess is believed; by default as much as the measurements say.
    """
    configs, size = habits.mean.shape
    usual = habits.mean + habits.centre
    told = told._replace(mean=told.mean - (told.basis * usual[told.config]).sum(1))
    share = OWN + (1 - OWN) / told.repeats
    variance = guesses.noise[:, None] * share + told.variance  # (h, n)
    inside = np.zeros((configs, len(told.mean)))
    inside[told.config, np.arange(len(told.mean))] = 1.0
    pairs = (told.basis[:, :, None] * told.basis[:, None, :]).reshape(len(told.mean), -1)
    gram = ((inside[None] / variance[:, None]) @ pairs).reshape(-1, configs, size, size)
    moment = (inside[None] * (told.mean / variance)[:, None]) @ told.basis  # (h, c, k)
    prior = habits.precision(guesses.weights)
    inner = np.linalg.inv(prior + gram)  # of a config's weights around the common mean
    shrunk = gram @ inner
    common = np.diag(1 / habits.spread**2)
    spread = np.linalg.inv((gram - shrunk @ gram).sum(1) + common)  # of the common mean
    seen = (moment - (shrunk @ moment[..., None])[..., 0]).sum(1)
    centre = (spread @ seen[..., None])[..., 0]
    if credence is None:
        squares = (told.mean**2 / variance).sum(1)
        squares -= (moment * (inner @ moment[..., None])[..., 0]).sum((1, 2))
        squares -= (centre * seen).sum(1)
        volume = np.linalg.slogdet(prior + gram)[1].sum(1) - np.linalg.slogdet(spread)[1]
        volume += configs * np.log(guesses.weights).sum(1) + np.log(variance).sum(1)
        logarithms = -0.5 * (squares + volume)
        credence = np.exp(logarithms - logarithms.max())
        credence /= credence.sum()
    drawn = inner @ prior
    means = (inner @ moment[..., None])[..., 0] + (drawn @ centre[:, None, :, None])[..., 0]
    covariances = inner + drawn @ spread[:, None] @ drawn.swapaxes(2, 3)
    mean = np.einsum("h,hck->ck", credence, means)
    away = means - mean
    mean = mean + usual
    covariance = np.einsum("h,hckl->ckl", credence, covariances)
    covariance += np.einsum("h,hck,hcl->ckl", credence, away, away)
    return Population(mean, covariance, credence, float(credence @ guesses.noise))


def _lattice(count: int, dims: int) -> Array:
    """Points spread evenly over the unit cube, (n, d): the additive recurrence of Roberts."""
    root = 2.0
    for _ in range(40):
        root = (1 + root) ** (1 / (dims + 1))
    steps = root ** -np.arange(1.0, dims + 1)
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0, float)
