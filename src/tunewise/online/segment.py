"""What was measured while a training ran under one setting after another."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.space import Config
from tunewise.surrogate import Array

_UNSEEN = 0.4
"""The relative error of seconds that were measured once, and how much more those of a few rounds
may scatter than was seen."""

_SIGNIFICANT = 3.0
"""Standard errors by which the losses of both halves of a window must have moved, or their slopes
must differ, for the halves to be windows of their own."""

_LAGS = (8, 16, 32)
"""The parts of a window over which its residuals are compared, and over twice as much. One alone
hardly tells; longer ones say more of the slope, shorter ones are known better."""

_WALKED = 1.56
"""The variance of the slope of a line through a random walk of n steps, times n: 6/5 of that of a
step, of which a straight line hides a quarter over these lags (walks of 24 to 384 steps)."""


@dataclass
class Segment:
    """Consecutive iterations under one setting.

    Attributes:
        setting: The setting.
        first: The number of its first iteration in the whole training.
        iterations: What was reported.
        reconfiguration: Seconds that the switch to it took.
        kinds: What kind of change that was.
        planned: Iterations after which to think again.
        round: Iterations that come together, such as one of each worker: fewer say nothing.
        late: Iterations at its end that were under way when another setting was chosen.
        begun: Iterations at its beginning, the last of which had something to start.
        started: Seconds of that start, as far as they were told apart before.
        grant: Seconds that it may cost as a try, its switch among them.
        usual: Seconds in which the best setting known does what one of its iterations does.
    """

    setting: Config
    first: int = 0
    iterations: list[Iteration] = field(default_factory=list)
    reconfiguration: float = 0.0
    kinds: frozenset[str] = frozenset()
    planned: int = 10
    round: int = 1
    late: int = 0
    begun: int = 0
    started: float = 0.0
    grant: float = math.inf
    usual: float = 0.0
    _memory: dict[str, tuple[tuple[int, ...], Any]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def _remembered(self, name: str, compute: Callable[[], Any]) -> Any:
        """What was computed of the same iterations before: most segments never change again."""
        now = len(self.iterations), self.late, self.begun
        if name not in self._memory or self._memory[name][0] != now:
            self._memory[name] = now, compute()
        return self._memory[name][1]

    @property
    def seconds(self) -> Array:
        """Of its iterations, (n,)."""
        every: Array = self._remembered(
            "seconds", lambda: np.array([each.seconds for each in self.iterations])
        )
        return every

    @property
    def timed(self) -> Array:
        """Seconds of the iterations that say how fast it is, (m,).

        Those that came to their end while nothing new began waited for the slowest of all, and
        those for which something was started waited for that.
        """
        usual = len(self.iterations) - self.late
        timed = self.seconds[:usual] if usual >= self.round else self.seconds
        return timed[self.begun :] if len(timed) >= self.begun + self.round else timed

    @property
    def told(self) -> bool:
        """Whether an iteration tells how fast it is: the first after a switch may be a start."""
        return len(self.iterations) - self.late > self.begun

    @property
    def granted(self) -> float:
        """Seconds that it may still cost as a try; below 0, it has to be cut."""
        if self.grant == math.inf:
            return math.inf
        behind = float(self.seconds.sum()) - self.usual * len(self.iterations)
        return self.grant - self.reconfiguration - behind

    @property
    def losses(self) -> Array:
        """Of its iterations, (n,)."""
        every: Array = self._remembered(
            "losses", lambda: np.array([each.loss for each in self.iterations])
        )
        return every

    @property
    def samples(self) -> float:
        """That it went through."""
        total: float = self._remembered(
            "samples", lambda: float(sum(each.samples for each in self.iterations))
        )
        return total

    @property
    def samples_each(self) -> float:
        """That an iteration goes through: the unit in which settings are compared."""
        return max(self.samples / max(len(self.iterations), 1), 1e-9)

    @property
    def per_iteration(self) -> float:
        """Seconds of an iteration in the long run."""
        return self.steady[0]

    @property
    def steady(self) -> tuple[float, float]:
        """Seconds of an iteration in the long run, and their relative standard error."""
        found: tuple[float, float] = self._remembered(
            "steady", lambda: steady(self.timed, self.round)
        )
        return found

    @property
    def windows(self) -> list["Window"]:
        """Its stretches with a slope of their own."""
        found: list[Window] = self._remembered(
            "windows", lambda: windows(self.losses, 4, self.round)
        )
        return found


@dataclass(frozen=True)
class Tried:
    """One stretch of a training under one setting.

    Attributes:
        setting: The setting.
        first: The number of its first iteration.
        iterations: How many.
        seconds: How long an iteration took.
        reconfiguration: Seconds that the switch to it took.
        loss: At its end.
    """

    setting: Config
    first: int
    iterations: int
    seconds: float
    reconfiguration: float
    loss: float

    @classmethod
    def of(cls, segment: Segment) -> "Tried":
        """A segment as people look at it."""
        return cls(
            dict(segment.setting),
            segment.first,
            len(segment.iterations),
            segment.per_iteration,
            segment.reconfiguration,
            float(segment.losses[-1]),
        )


def steady(seconds: Array, together: int = 1) -> tuple[float, float]:
    """Mean seconds of an iteration in the long run, and their relative standard error.

    Workers that began at the same moment end at the same moment, so seconds are taken by rounds. A
    first round that took far longer than the others had something to begin. All others count:
    whoever waits for the slowest of many waits long quite often.
    """
    rounds = len(seconds) // together
    if rounds < 2:
        return (float(seconds.mean()) if len(seconds) else 0.0), _UNSEEN
    # What does not fill a round belongs to its beginning, which is over.
    times = seconds[len(seconds) - rounds * together :].reshape(rounds, together).mean(1)
    if together > 1:  # whoever begins together asks the same servers at the same moment, once
        times = times[1:]
    mean, count = float(times.mean()), len(times)
    if mean <= 0 or count < 2:
        return max(mean, 0.0), _UNSEEN
    spread = float(times.std(ddof=1)) / mean
    return mean, float(np.hypot(spread, _UNSEEN / np.sqrt(count)) / np.sqrt(count))


@dataclass(frozen=True)
class Window:
    """A stretch of a segment with a slope of its own.

    Attributes:
        loss: At its middle.
        slope: By how much the loss fell in an iteration.
        error: The standard error of the slope.
        noise: The deviation of single losses from the line, correlation counted.
        iterations: Its length.
        wander: The variance by which losses walk off the line in an iteration; by chance below 0.
    """

    loss: float
    slope: float
    error: float
    noise: float
    iterations: int
    wander: float = 0.0

    @cached_property
    def log_slope(self) -> tuple[float, float]:
        """The logarithm of the slope, and its variance; vague where noise drowns the slope."""
        least = max(self.error / 2, 1e-300)
        slope = max(self.slope, least)
        return float(np.log(slope)), float(min((self.error / slope) ** 2, 4.0))


def windows(losses: Array, shortest: int = 4, together: int = 1) -> list[Window]:
    """Cut losses into stretches whose fall is known well enough.

    Halves are windows of their own where both tell their slope, or where the one differs from the
    other. To end a window as soon as its loss has fallen far enough would make every slope too
    steep. The first iterations of a setting, one of each of those that come together, still carry
    what was computed on parameters of before: they are left out where others follow. What a single
    round says of the slope is chance, for its iterations hang together.
    """
    shortest = max(shortest, 2 * together)
    start = together if together > 1 and len(losses) >= together + shortest else 0
    if len(losses) < shortest:
        return []
    return _halved(losses[start:], fitted(losses[start:]), shortest)


def _halved(losses: Array, whole: Window, shortest: int) -> list[Window]:
    """The windows that a window is made of."""
    middle = len(losses) // 2
    if middle < shortest:
        return [whole]
    halves = fitted(losses[:middle]), fitted(losses[middle:])
    told = all(each.slope >= _SIGNIFICANT * each.error for each in halves)
    between = abs(halves[0].slope - halves[1].slope)
    if not told and between < _SIGNIFICANT * np.hypot(halves[0].error, halves[1].error):
        return [whole]
    first, second = losses[:middle], losses[middle:]
    return _halved(first, halves[0], shortest) + _halved(second, halves[1], shortest)


def fitted(losses: Array) -> Window:
    """A straight line by least squares, with an error that knows how losses hang together."""
    count = len(losses)
    steps = np.arange(count) - (count - 1) / 2
    spread = float(steps @ steps)
    slope = float(steps @ losses) / spread
    residual = losses - losses.mean() - slope * steps
    noise = float(residual @ residual) / max(count - 2, 1)
    deviation = float(np.sqrt(max(noise, 1e-18))) * _correlation(residual)
    wander = _wander(residual)
    error = float(slope_error(deviation, wander, count))
    return Window(float(losses.mean()), -slope, error, deviation, count, wander)


def slope_error(noise: Array | float, wander: Array | float, count: Array | float) -> Array:
    """The standard error of the slope of a line through so many losses, (n,) or a number.

    Noise that is new in each loss is averaged out soon, 12 noise^2 / n^3. A loss that walks off, as
    parameters do that noisy gradients move, is not: its part is wander / n, but for a factor.
    """
    n = np.asarray(count, float)
    spread = np.maximum(n * (n**2 - 1) / 12, 1e-9)
    walked = _WALKED * np.maximum(wander, 0.0) / n
    return np.asarray(np.sqrt(np.square(noise) / spread + walked), float)


def _wander(residual: Array) -> float:
    """By how much the variance between two residuals grows with each iteration between them."""
    count = len(residual)
    if count < 3:
        return 0.0
    grown = 0.0
    for part in _LAGS:
        lag = max(count // part, 1)
        grown += (_apart(residual, 2 * lag) - _apart(residual, lag)) / lag
    return grown / len(_LAGS)


def _apart(residual: Array, lag: int) -> float:
    """The mean square of differences over a lag."""
    differences = residual[lag:] - residual[:-lag]
    return float(differences @ differences) / len(differences)


def _correlation(residual: Array) -> float:
    """By how much correlated residuals widen a standard error."""
    total = float(residual @ residual)
    if len(residual) < 4 or total <= 0:
        return 1.5
    lag = float(residual[1:] @ residual[:-1]) / total
    lag = min(max(lag, 0.0), 0.9)
    return float(np.sqrt((1 + lag) / (1 - lag)))
