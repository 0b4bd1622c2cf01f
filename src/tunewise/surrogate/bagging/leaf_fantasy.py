"""What observing a candidate does to the leaves it shares with each target, and to the slope."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tunewise.surrogate.bagging.shared_leaves import Moments, SharedLeaves
from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.slope import Slope


@dataclass(frozen=True, eq=False)
class Tilt:
    """What observing each of c candidates does to the slope, in standard units.

    Attributes:
        now: The slope before.
        expected: (c,) the observation that leaves its mean as it is.
        gain: (c,) how far each unit above that moves it.
        variance: (c,) its variance after.
    """

    now: Slope
    expected: Array
    gain: Array
    variance: Array

    @classmethod
    def of(cls, now: Slope, away: Array, level: Array) -> "Tilt":
        """For candidates so many decades away (c,) from observations of the level (c,)."""
        return cls(now, level + now.mean * away, now.gain(away), now.variance_after(away))

    def __getitem__(self, candidates: Any) -> "Tilt":
        """The same for some of the candidates."""
        return Tilt(
            self.now, self.expected[candidates], self.gain[candidates], self.variance[candidates]
        )

    def after(self, y: Array) -> Array:
        """The slope once `y` (c,) was observed, (c,)."""
        return np.asarray(self.now.mean + self.gain * (y - self.expected), float)


@dataclass(frozen=True, eq=False)
class LeafFantasy(Fantasy):
    """As `Fantasy`, for leaf means: exact, so the spread after depends on what is observed.

    Joint samples are moved by the average gain.

    Attributes:
        shared: The leaves that would move, in standard units.
        tilt: What becomes of the slope.
        shift: What is added, and
        scale: multiplied, to get from standard units to those of the metric.
        least_var: Variance that stays where all trees agree, in standard units.
    """

    shared: SharedLeaves
    tilt: Tilt
    shift: float
    scale: float
    least_var: float

    @classmethod
    def of(
        cls, observed: Normal, shared: SharedLeaves, tilt: Tilt, units: tuple[float, float, float]
    ) -> "LeafFantasy":
        """From what is expected at the candidates, (c,), with shift, scale and least variance."""
        shift, scale, least = units
        now = tilt.now
        mean, variance = _belief(shared.before, shared.target_at, now.mean, now.variance)
        away = shared.target_at - shared.decades_after()
        count = len(tilt.gain)
        return cls(
            mean=np.asarray(shift + scale * observed.mean, float),
            std=np.asarray(scale * observed.std, float),
            noise=np.zeros(count),
            gain=shared.gain() + tilt.gain[:, None] * away,
            target_mean=shift + scale * mean,
            target_var=scale**2 * (variance + least),
            shared=shared,
            tilt=tilt,
            shift=shift,
            scale=scale,
            least_var=least,
        )

    def __getitem__(self, candidates: ArrayLike | slice) -> "LeafFantasy":
        """The same for some of the candidates (an index, a mask or a slice)."""
        chosen = candidates if isinstance(candidates, slice) else np.atleast_1d(candidates)
        plain = super().__getitem__(candidates)
        inherited = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return replace(self, **inherited, shared=self.shared[chosen], tilt=self.tilt[chosen])

    def mean_after(self, y: ArrayLike) -> Array:
        """Means at the targets once `y` (c,) or (..., c) was observed: (..., c, t)."""
        return np.asarray(self.after(y).mean, float)

    def after(self, y: ArrayLike) -> Normal:
        """Belief at the targets once `y` was observed."""
        return Normal(*self._for_each(y, self._belief_after))

    def std_after(self) -> Array:
        """Standard deviations at the targets once each candidate came out as expected, (c, t)."""
        return np.asarray(self.after(self.mean).std, float)

    def _for_each(self, y: ArrayLike, effect: Callable[[Array], tuple[Array, ...]]) -> list[Array]:
        """Apply an effect of observations (c,) to the last axis of `y`."""
        told = np.asarray(y, float)
        before = told.shape[:-1]
        parts = zip(*map(effect, told.reshape(prod(before), len(self.mean))), strict=True)
        return [np.reshape(part, (*before, *self.gain.shape)) for part in parts]

    def _belief_after(self, y: Array) -> tuple[Array, Array]:
        told = (y - self.shift) / self.scale
        slope, doubt = self.tilt.after(told)[:, None], self.tilt.variance[:, None]
        mean, variance = _belief(self.shared.after(told), self.shared.target_at, slope, doubt)
        return self.shift + self.scale * mean, self.scale * np.sqrt(variance + self.least_var)


def _belief(
    leaves: Moments, at: Array, slope: float | Array, doubt: float | Array
) -> tuple[Array, Array]:
    """Mean and variance over trees that predict p + slope (at - q), the slope in doubt."""
    level = leaves.p - slope * leaves.q
    between = leaves.pp - 2 * slope * leaves.pq + slope**2 * leaves.qq - level**2
    far = at**2 - 2 * at * leaves.q + leaves.qq
    variance = np.maximum(between, 0.0) + doubt * np.maximum(far, 0.0)
    return level + slope * at, variance
