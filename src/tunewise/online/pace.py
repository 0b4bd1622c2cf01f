"""What is believed about settings: how long an iteration takes, and how far it brings the loss.

The loss falls by dl/dj = -c(x) l^p in an iteration: c belongs to the setting, the power p to the
training. Seconds t(x) are measured almost exactly after a few iterations, slopes are noisy, so each
has a Gaussian process of its own, on logarithms; the power is the trend of slopes with the loss,
learned from all settings together. Then

    pace(x) = c(x) / t(x),    remaining(x) = 1 / pace(x) * integral of l^-p from the target to now,

and settings are ranked by their pace alone, at whatever loss they were measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunewise.online.segment import Segment, windows
from tunewise.space import Config, Space
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.gaussian_process import GaussianProcess

_SPREAD_OF_SECONDS = 0.7
"""Settings are expected to differ by this in the logarithm of the seconds of an iteration: a factor
of two either way, which is what the settings of a cluster commonly make."""

_SPREAD_OF_SLOPES = 0.5
"""The same of what an iteration brings: consistency and batch size matter less than seconds."""

_STEADINESS = 0.05
"""The least standard deviation of a mean log second: what a busy machine adds from run to run."""

_SEGMENTS = 40
"""Segments, the newest, that beliefs are formed from: older ones belong to another loss."""


@dataclass(frozen=True, eq=False)
class Pace:
    """The belief about the settings of a space, given what was measured.

    Attributes:
        space: The settings.
        segments: What was measured, in order.
        only_speed: Whether progress is known: samples, so that only their seconds count.
    """

    space: Space
    segments: Sequence[Segment]
    only_speed: bool = False

    @cached_property
    def _used(self) -> list[Segment]:
        return [each for each in self.segments if each.iterations][-_SEGMENTS:]

    @cached_property
    def _x(self) -> Array:
        return self.space.encode([each.setting for each in self._used])

    @cached_property
    def _top(self) -> float:
        """The largest loss seen, the unit of losses."""
        seen = [w.loss for each in self._used for w in windows(each.losses)]
        return max([loss for loss in seen if loss > 0], default=1.0)

    @cached_property
    def _seconds(self) -> GaussianProcess:
        """Log seconds: of an iteration, or of a sample where samples are all that counts."""
        y, noise = np.empty(len(self._used)), np.empty(len(self._used))
        for i, each in enumerate(self._used):
            seconds = typical(each.seconds)
            count = len(each.iterations)
            y[i] = np.log(max(seconds, 1e-9))
            if self.only_speed:
                y[i] -= np.log(max(each.samples / count, 1e-9))
            noise[i] = _STEADINESS**2 + relative_error(each.seconds) ** 2
        surrogate = GaussianProcess("none", spread=_SPREAD_OF_SECONDS)
        return surrogate.fit(self._x, np.ones(len(y)), y, noise)

    @cached_property
    def _slopes(self) -> GaussianProcess | None:
        """Log slopes of the loss by iteration, over settings and losses."""
        if self.only_speed:
            return None
        x, s, y, noise = [], [], [], []
        for row, each in zip(self._x, self._used, strict=True):
            for window in windows(each.losses):
                if window.loss <= 0:
                    continue
                log_slope, variance = window.log_slope
                x.append(row)
                s.append(np.clip(window.loss / self._top, 1e-6, 1.0))
                y.append(log_slope)
                noise.append(variance)
        if not y:
            return None
        surrogate = GaussianProcess("none", trend="log", spread=_SPREAD_OF_SLOPES)
        return surrogate.fit(np.array(x), np.array(s), np.array(y), np.array(noise))

    def log_pace(self, settings: Sequence[Config], loss: float) -> Normal:
        """The logarithm of the progress per second of each setting at a loss, (n,)."""
        x = self.space.encode(settings)
        seconds = self._seconds.predict(x, 1.0)
        if self._slopes is None:
            return Normal(-np.asarray(seconds.mean), np.asarray(seconds.std))
        slopes = self._slopes.predict(x, self._share(loss))
        std = np.hypot(seconds.std, slopes.std)
        return Normal(np.asarray(slopes.mean - seconds.mean), std)

    def doubt(self, settings: Sequence[Config], loss: float, iterations: Array) -> Array:
        """The variance that log paces measured over so many iterations would have, (n,).

        A line through n losses has a slope with the variance 12 noise^2 / n^3.
        """
        seconds = _STEADINESS**2 + self._unsteady**2 / iterations
        if self._slopes is None:
            return np.asarray(seconds, float)
        slopes = self._slopes.predict(self.space.encode(settings), self._share(loss))
        fall = np.exp(np.asarray(slopes.mean))
        return np.asarray(seconds + 12 * (self._noise / fall) ** 2 / iterations**3, float)

    @cached_property
    def _noise(self) -> float:
        """How much single losses scatter, as far as the newest windows tell."""
        seen = [w.noise for each in self._used[-5:] for w in windows(each.losses)]
        return float(np.median(seen)) if seen else 0.0

    @cached_property
    def _unsteady(self) -> float:
        """How much the seconds of single iterations scatter, as a share of them."""
        seen = [relative_error(e.seconds) * np.sqrt(len(e.seconds)) for e in self._used[-5:]]
        return float(np.median(seen))

    def log_seconds(self, settings: Sequence[Config]) -> Normal:
        """The logarithm of the seconds of an iteration (or sample) of each setting, (n,)."""
        return self._seconds.predict(self.space.encode(settings), 1.0)

    def remaining(self, settings: Sequence[Config], loss: float, target: float) -> Normal:
        """Log seconds until the loss has fallen to the target, under each setting, (n,).

        The integral of 1 / slope over the losses still to come, by the trapezoid rule on their
        logarithms.
        """
        if self._slopes is None or not 0 < target < loss:
            return Normal(np.full(len(settings), -np.inf), np.zeros(len(settings)))
        x = self.space.encode(settings)
        losses = np.geomspace(target, loss, 17)
        share = np.clip(losses / self._top, 1e-6, 1.0)
        slopes = self._slopes.predict_grid(x, share)
        weights = np.gradient(losses)
        weights[[0, -1]] /= 2
        each = np.exp(-np.asarray(slopes.mean)) * weights
        iterations = each.sum(1)
        # What is not known of the slopes is mostly common to all losses: one shift of the curve.
        std = (each * np.asarray(slopes.std)).sum(1) / iterations
        seconds = self._seconds.predict(x, 1.0)
        return Normal(np.log(iterations) + seconds.mean, np.hypot(std, seconds.std))

    def _share(self, loss: float) -> float:
        return float(np.clip(loss / self._top, 1e-6, 1.0)) if loss > 0 else 1.0


def typical(seconds: Array) -> float:
    """Seconds of an iteration in the long run: their mean without the worst hiccup.

    The first iteration under a setting often waits for what the switch left behind.
    """
    if len(seconds) < 4:
        return float(np.median(seconds))
    return float(np.sort(seconds[1:])[: max(len(seconds) - 2, 1)].mean())


def relative_error(seconds: Array) -> float:
    """The standard error of the mean seconds, as a share of them."""
    if len(seconds) < 3 or seconds.mean() <= 0:
        return 0.5
    return float(seconds.std(ddof=1) / seconds.mean() / np.sqrt(len(seconds)))
