"""What is believed about settings: seconds of a sample, and how far a sample brings the loss.

Hardware efficiency t(x), seconds of a sample, is measured almost exactly after a few iterations.
Statistical efficiency c(x), how far a sample brings the loss, is noisy and changes with the loss as
`curve` says. Each has a Gaussian process of its own, on logarithms. Then

    pace(x) = c(x) / t(x),    remaining(x) = 1 / pace(x) * what the curve says is left,

and settings are ranked by their pace alone, at whatever loss they were measured. Where nobody
counts samples, an iteration is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunewise.online.belief.curve import Curve, gathered
from tunewise.online.belief.summary import Summary, averaged
from tunewise.online.segment import Segment, Window, steady, windows
from tunewise.space import Config, Space
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.gaussian.basis import basis_named
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.kernel import Kernel, Sum
from tunewise.surrogate.gaussian.linear import Linear
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.gaussian_process import GaussianProcess

_SPREAD_OF_SECONDS = 0.7
"""Settings are expected to differ by this in the logarithm of the seconds of a sample: a factor of
two either way, which is what the settings of a cluster commonly make."""

_SPREAD_OF_SLOPES = 0.5
"""The same of what a sample brings: consistency and batch size matter less than seconds."""

_STEADINESS = 0.05
"""The least standard deviation of a mean log second: what a busy machine adds from run to run."""

_SEGMENTS = 40
"""Segments, the newest, that beliefs are formed from: older ones belong to another loss."""

_WINDOWS = 3
"""Stretches of a segment, the newest, that tell its slope."""


@dataclass(frozen=True, eq=False)
class Pace:
    """The belief about the settings of a space, given what was measured.

    Attributes:
        space: The settings.
        segments: What was measured, in order.
        only_speed: Whether progress is known: samples, so that only their seconds count.
        loss: The loss now.
        target: The loss at which the training is done, where there is one.
        past: What past trainings have measured.
    """

    space: Space
    segments: Sequence[Segment]
    only_speed: bool = False
    loss: float = 1.0
    target: float | None = None
    past: Sequence[Summary] = ()

    @cached_property
    def _used(self) -> list[Segment]:
        return [each for each in self.segments if each.iterations][-_SEGMENTS:]

    @cached_property
    def _x(self) -> Array:
        return self.space.encode([each.setting for each in self._used])

    @cached_property
    def _seconds(self) -> GaussianProcess:
        """Log seconds of a sample."""
        y, noise = np.empty(len(self._used)), np.empty(len(self._used))
        for i, each in enumerate(self._used):
            seconds, error = steady(each.seconds, each.round)
            y[i] = np.log(max(seconds, 1e-9) / each.samples_each)
            noise[i] = np.hypot(_STEADINESS, error)
        surrogate = GaussianProcess(kernel=_kernel(), spread=_SPREAD_OF_SECONDS)
        x, y, noise = self._with_past(self._x, y, noise, 0)
        return surrogate.fit(x, np.ones(len(y)), y, noise)

    def _with_past(self, x: Array, y: Array, noise: Array, which: int) -> tuple[Array, ...]:
        """Observations, and those of the most similar past training: of seconds 0, of slopes 1."""
        other = self._similar
        if other is None:
            return x, y, noise
        own = self._own
        values = (other.seconds, other.slopes)[which] + own.shift(other)[which]
        doubt = np.full(len(values), own.disagreement(other)[which])
        encoded = self.space.encode(other.settings)
        return np.concatenate([x, encoded]), np.append(y, values), np.append(noise, doubt)

    @cached_property
    def _similar(self) -> Summary | None:
        """The past training that disagrees least with what was measured; the newest of equals."""
        own = self._own
        helpful = [other for other in self.past if own.helped_by(other)]
        return min(helpful, key=lambda e: float(np.hypot(*own.disagreement(e))), default=None)

    @cached_property
    def _own(self) -> Summary:
        """What was measured of each setting."""
        keys = [self.space.key(each.setting) for each in self._used]
        names = tuple(dict.fromkeys(keys))
        group = np.array([names.index(key) for key in keys])
        measured = [steady(each.seconds, each.round)[0] / each.samples_each for each in self._used]
        seconds = averaged(np.log(np.maximum(measured, 1e-12)), group)
        slopes = np.zeros(len(names))
        if self.curve is not None:
            seen = self.curve.slopes
            beside = seen.log_slope - self.curve.law(seen.loss)
            weight = 1 / (seen.variance + self.curve.doubt(self.curve.floor) + 0.05)
            for place in np.unique(seen.setting).astype(int):
                mine = seen.setting == place
                slopes[place] = float(weight[mine] @ beside[mine] / weight[mine].sum())
        settings = {key: each.setting for key, each in zip(keys, self._used, strict=True)}
        return Summary(names, tuple(settings[key] for key in names), seconds, slopes)

    def summary(self) -> Summary:
        """What was measured, for trainings to come."""
        return self._own

    @cached_property
    def _seen(self) -> list[tuple[int, Window]]:
        """Stretches with a slope, each with the place of its segment."""
        return [
            (place, window)
            for place, each in enumerate(self._used)
            for window in windows(each.losses, 4, each.round)[-_WINDOWS:]
        ]

    @cached_property
    def _ages(self) -> Array:
        """Log of all samples over those until the end of each segment."""
        every = np.cumsum([each.samples for each in self.segments if each.iterations])
        return np.asarray(np.log(every[-1] / np.maximum(every, 1e-9))[-_SEGMENTS:], float)

    @cached_property
    def curve(self) -> Curve | None:
        """The law by which the loss falls, None where it is of no concern or not seen yet."""
        if self.only_speed or not self._seen:
            return None
        keys = [self.space.key(each.setting) for each in self._used]
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        rows = []
        for place, window in self._seen:
            log_slope, variance = window.log_slope
            log_slope -= float(np.log(self._used[place].samples_each))
            row = (window.loss, log_slope, variance, number[keys[place]], self._ages[place])
            rows.append(row)
        top = max(self.loss, *(window.loss for _, window in self._seen))
        return Curve(gathered(rows), self.loss, self.target, top)

    @cached_property
    def _slopes(self) -> GaussianProcess | None:
        """Log slopes of the loss by sample, over settings, beside what the curve says of all."""
        curve = self.curve
        if curve is None:
            return None
        seen, floor = curve.slopes, curve.floor
        noise = np.sqrt(seen.variance + curve.doubt(floor))
        x = self._x[[place for place, _ in self._seen]]
        beside = seen.log_slope - curve.law(seen.loss)
        surrogate = GaussianProcess(kernel=_kernel(), scale=_SPREAD_OF_SLOPES)
        x, beside, noise = self._with_past(x, beside, noise, 1)
        return surrogate.fit(x, np.ones(len(x)), beside, noise)

    def log_pace(self, settings: Sequence[Config]) -> Normal:
        """The logarithm of the progress per second of each setting now, (n,)."""
        seconds, slopes = self.log_seconds(settings), self.log_slope(settings)
        if slopes is None:
            return Normal(-np.asarray(seconds.mean), np.asarray(seconds.std))
        std = np.hypot(seconds.std, slopes.std)
        return Normal(np.asarray(slopes.mean - seconds.mean), std)

    def log_slope(self, settings: Sequence[Config]) -> Normal | None:
        """The logarithm of what a sample brings now, (n,); None where it is of no concern."""
        if self._slopes is None or self.curve is None:
            return None
        beside = self._slopes.predict(self.space.encode(settings), 1.0)
        now = float(self.curve.law(np.array([self.loss]))[0])
        return Normal(now + np.asarray(beside.mean), np.asarray(beside.std))

    def doubt(self, settings: Sequence[Config], iterations: Array) -> Array:
        """The variance that log paces measured over so many iterations would have, (n,).

        A line through n losses has a slope with the variance 12 noise^2 / n^3.
        """
        seconds = _STEADINESS**2 + self._unsteady**2 / iterations
        slopes = self.log_slope(settings)
        if slopes is None:
            return np.asarray(seconds, float)
        fall = np.exp(np.asarray(slopes.mean) + self.log_samples_each(settings))
        return np.asarray(seconds + 12 * (self._noise / fall) ** 2 / iterations**3, float)

    @cached_property
    def _noise(self) -> float:
        """How much single losses scatter, as far as the newest windows tell."""
        return float(np.median([window.noise for _, window in self._seen[-5:]]))

    @cached_property
    def _unsteady(self) -> float:
        """How much the seconds of single iterations scatter, as a share of them."""
        seen = [steady(e.seconds, e.round)[1] * np.sqrt(len(e.seconds)) for e in self._used[-5:]]
        return float(np.median(seen))

    def log_seconds(self, settings: Sequence[Config]) -> Normal:
        """The logarithm of the seconds of a sample of each setting, (n,)."""
        return self._seconds.predict(self.space.encode(settings), 1.0)

    @cached_property
    def _samples(self) -> GaussianProcess:
        y = np.log([each.samples_each for each in self._used])
        kernel = _kernel()
        return GaussianProcess(kernel=kernel, spread=0.3).fit(self._x, np.ones(len(y)), y)

    def log_samples_each(self, settings: Sequence[Config]) -> Array:
        """The logarithm of the samples of an iteration of each setting, (n,)."""
        every = [each.samples_each for each in self._used]
        if max(every) <= 1.001 * min(every):
            return np.full(len(settings), np.log(every[0]))
        return np.asarray(self._samples.predict(self.space.encode(settings), 1.0).mean, float)

    def remaining(self, settings: Sequence[Config]) -> Normal:
        """Log seconds until the loss has fallen to the target, under each setting, (n,)."""
        count = len(settings)
        slopes, curve = self.log_slope(settings), self.curve
        if slopes is None or curve is None or self.target is None or self.target >= self.loss:
            return Normal(np.full(count, -np.inf), np.zeros(count))
        pairs = zip(np.asarray(slopes.mean), np.asarray(slopes.std), strict=True)
        left = np.array([curve.log_samples(float(m), float(s)) for m, s in pairs])
        seconds = self.log_seconds(settings)
        return Normal(left[:, 0] + seconds.mean, np.hypot(left[:, 1], seconds.std))


_NONE = basis_named("none")


def _kernel() -> Kernel:
    """Logarithms are nearly sums over parameters: a plane, and what bends around it."""
    bends = Product(Matern52(), FiniteRank(_NONE))
    return Sum(Sum(bends, Linear()), Trend(_NONE))
