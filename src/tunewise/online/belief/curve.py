"""How the loss falls in the long run, fitted to what all settings have shown.

A sample lowers the loss by c(x) (l - f)^p: c belongs to the setting, the power p and the floor f to
the training. The floor is not known, so several are weighed against each other by how well they
explain the slopes; what is left until the target is averaged over them. The stretches nearest to
the present loss count most, since no training follows one law from beginning to end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunewise.surrogate import Array

_FLOORS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Below the target by these shares of the way that the loss has to go."""

_POWER, _POWER_STD = 1.3, 0.7
"""What is expected of the power: 1 where a training converges linearly, 2 where as one over j."""

_DIFFER = 0.5
"""Standard deviation of log c between settings."""

_DRIFT = (0.5, 1.0)
"""Deviation of log slopes from the law, over a unit of log loss between there and now: as far as
the law itself is concerned, and where settings are compared. A plateau ends within a moment, and
that is no merit of the setting which runs just then; but a law that may change at any moment
predicts nothing."""

_AGEING = (0.3, 1.0)
"""The same over a unit of log samples: first steps and plateaus follow a law of their own."""

_ROUNDS = 6
"""Steps by which logarithms of slopes are found; they settle within a few."""

STEADINESS = 0.05
"""The least deviation of a logarithm that was measured, of seconds or of slopes: what a busy
machine adds from run to run."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Log slopes of stretches of a training: each array (n,).

    Attributes:
        loss: At the middle of each stretch.
        log_slope: By how much a sample lowered the loss, as a logarithm.
        variance: Of the log slope.
        setting: Which setting it ran under, as a number from 0.
        age: Log of the samples until now over those until then.
    """

    loss: Array
    log_slope: Array
    variance: Array
    setting: Array
    age: Array


@dataclass(frozen=True, eq=False)
class Curve:
    """The law of a training, as far as its slopes tell.

    Attributes:
        slopes: What was seen.
        now: The loss now.
        target: The loss at which it ends; without one, the floor is 0.
        top: The largest loss seen.
    """

    slopes: Slopes
    now: float
    target: float | None
    top: float

    @cached_property
    def floors(self) -> Array:
        """Candidates for the least possible loss, (F,)."""
        if self.target is None or not self.top > self.target:
            return np.zeros(1)
        way = self.top - self.target
        return np.array([self.target - share * way for share in _FLOORS])

    @cached_property
    def _fits(self) -> list[tuple[float, Array, Array]]:
        """By floor: log evidence, mean and covariance of (log c at now, p)."""
        return [self._fit(floor) for floor in self.floors]

    @cached_property
    def weights(self) -> Array:
        """How probable each floor is, (F,)."""
        evidence = np.array([fit[0] for fit in self._fits])
        weights = np.exp(evidence - evidence.max())
        return np.asarray(weights / weights.sum(), float)

    @property
    def floor(self) -> float:
        """The most probable floor."""
        return float(self.floors[int(np.argmax(self.weights))])

    def law(self, loss: Array) -> Array:
        """The log slope of a common setting at a loss, under the most probable floor, (n,)."""
        best = int(np.argmax(self.weights))
        mean = self._fits[best][1]
        return np.asarray(mean[0] + mean[1] * self._position(loss, self.floors[best]), float)

    def drift(self, floor: float, loose: bool = True) -> Array:
        """Covariance of the log slopes' distances from the law that holds now, (n, n).

        They wander off on the way back: what lies near to each other has wandered alike. `loose`
        for comparing settings.
        """
        loss, samples = _DRIFT[loose], _AGEING[loose]
        position = _wandered(self._position(self.slopes.loss, floor))
        return np.asarray(loss**2 * position + samples**2 * _wandered(self.slopes.age), float)

    def _position(self, loss: Array, floor: float) -> Array:
        """Log distance to the floor, 0 now."""
        here = max(self.now - floor, 1e-12)
        return np.asarray(np.log(np.maximum(loss - floor, 1e-3 * here) / here), float)

    def _fit(self, floor: float) -> tuple[float, Array, Array]:
        seen = self.slopes
        z = self._position(seen.loss, floor)
        drift = self.drift(floor, loose=False)
        noise = np.diag(seen.variance + STEADINESS**2) + drift + _DIFFER**2 * self._same
        design = np.stack([np.ones(len(z)), z], axis=1)
        centre = np.array([float(np.median(seen.log_slope)), _POWER])
        prior = np.diag([9.0, _POWER_STD**2])
        total = noise + design @ prior @ design.T
        root = np.linalg.cholesky(total)
        off = seen.log_slope - design @ centre
        half = np.linalg.solve(root, off)
        gain = np.linalg.solve(total, design @ prior).T
        evidence = -0.5 * float(half @ half) - float(np.log(np.diag(root)).sum())
        return evidence, centre + gain @ off, prior - gain @ design @ prior

    def expected(self) -> Array:
        """The log slope of each stretch by its law and its setting, (n,)."""
        seen, law = self.slopes, self.law(self.slopes.loss)
        drift = self.drift(self.floor, loose=False)
        beside = drift + _DIFFER**2 * self._same + STEADINESS**2 * np.eye(len(law))
        off = np.linalg.solve(beside + np.diag(seen.variance), seen.log_slope - law)
        return np.asarray(law + beside @ off, float)

    @cached_property
    def _same(self) -> Array:
        """Which stretches ran under the same setting, (n, n)."""
        setting = self.slopes.setting
        return np.asarray(setting[:, None] == setting[None, :], float)

    def log_samples(self, effect: float, std: float) -> tuple[float, float]:
        """Log samples until the target, of a setting whose log slope now is `effect` ± `std`.

        The mean over floors and powers, and a deviation that counts both.
        """
        means, variances = [], []
        for floor, (_, mean, covariance) in zip(self.floors, self._fits, strict=True):
            parts = [
                self._integral(floor, mean[1] + sign * np.sqrt(covariance[1, 1]))
                for sign in (-1.0, 0.0, 1.0)
            ]
            means.append(float(np.mean(parts)))
            variances.append(float(np.var(parts)))
        left = np.array(means)
        middle = float(self.weights @ left)
        spread = float(self.weights @ (np.array(variances) + (left - middle) ** 2))
        return middle - effect, float(np.sqrt(spread + std**2))

    def _integral(self, floor: float, power: float) -> float:
        """Log of the integral of ((now - f) / (l - f))^p over the losses that are still to come."""
        assert self.target is not None, "only a target tells what is left"
        here, there = self.now - floor, max(self.target - floor, 1e-12)
        if here <= there:
            return -np.inf
        distances = np.geomspace(there, here, 33)
        heights = (here / distances) ** power
        return float(np.log(np.trapezoid(heights, distances)))


def linked(slope: Array, error: Array, curve: Callable[[Array, Array], Curve]) -> Curve:
    """The curve of slopes that noise may have turned round, each array (n,).

    A slope is the exponential of what is believed of, plus noise. A logarithm with a variance
    stands for it where the belief is by now, and both are mended in turn: a slope that noise drowns
    then says next to nothing, whether it came out above or below 0.

    Args:
        slope: By how much a sample lowered the loss; below 0 where it rose.
        error: The standard error of each.
        curve: Makes a curve of log slopes and their variances.
    """
    error = np.maximum(error, 1e-300)
    steep = np.maximum(slope, error / 2)
    found = curve(np.log(steep), np.minimum((error / steep) ** 2, 4.0))
    for _ in range(_ROUNDS):
        belief = found.expected()
        ratio = np.exp(np.clip(np.log(np.maximum(slope, error * 1e-6)) - belief, -50.0, 2.0))
        step = np.where(slope > 0, ratio, 0.0) - 1
        variance = np.exp(np.minimum(2 * (np.log(error) - belief), 12.0))
        # From far below, a slope looks steeper than it is: a logarithm moves by 1 at most.
        found = curve(belief + np.clip(step, -1.0, 1.0), variance)
    return found


def _wandered(distance: Array) -> Array:
    """Covariance of a random walk at signed distances from now, (n, n)."""
    one, other = distance[:, None], distance[None, :]
    return np.where(one * other > 0, np.minimum(np.abs(one), np.abs(other)), 0.0)
