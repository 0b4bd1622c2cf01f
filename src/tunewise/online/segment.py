"""What was measured while a training ran under one setting after another."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tunewise.online.reconfigurable import Iteration
from tunewise.space import Config
from tunewise.surrogate import Array

_SIGNIFICANT = 3.0
"""A window grows until its loss has moved by so many standard errors, or the segment ends: below
three, every third slope of noise alone would look like progress."""


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
    """

    setting: Config
    first: int = 0
    iterations: list[Iteration] = field(default_factory=list)
    reconfiguration: float = 0.0
    kinds: frozenset[str] = frozenset()
    planned: int = 10

    @property
    def seconds(self) -> Array:
        """Of its iterations, (n,)."""
        return np.array([each.seconds for each in self.iterations])

    @property
    def losses(self) -> Array:
        """Of its iterations, (n,)."""
        return np.array([each.loss for each in self.iterations])

    @property
    def samples(self) -> float:
        """That it went through."""
        return float(sum(each.samples for each in self.iterations))


@dataclass(frozen=True)
class Window:
    """A stretch of a segment with a slope of its own.

    Attributes:
        loss: At its middle.
        slope: By how much the loss fell in an iteration.
        error: The standard error of the slope.
        noise: The deviation of single losses from the line, correlation counted.
        iterations: Its length.
    """

    loss: float
    slope: float
    error: float
    noise: float
    iterations: int

    @cached_property
    def log_slope(self) -> tuple[float, float]:
        """The logarithm of the slope, and its variance; vague where noise drowns the slope."""
        least = max(self.error / 2, 1e-300)
        slope = max(self.slope, least)
        return float(np.log(slope)), float(min((self.error / slope) ** 2, 4.0))


def windows(losses: Array, shortest: int = 4) -> list[Window]:
    """Cut losses into stretches whose fall is known well enough, the last as it is."""
    found: list[Window] = []
    start = 0
    while len(losses) - start >= shortest:
        length = shortest
        while True:
            window = _fitted(losses[start : start + length])
            rest = len(losses) - start - length
            if window.slope >= _SIGNIFICANT * window.error or rest == 0:
                break
            length = min(2 * length, length + rest)
        if rest < shortest:  # too few are left for a window of their own
            window = _fitted(losses[start:])
            length += rest
        found.append(window)
        start += length
    return found


def _fitted(losses: Array) -> Window:
    """A straight line by least squares; successive losses are not independent, hence the factor."""
    count = len(losses)
    steps = np.arange(count) - (count - 1) / 2
    spread = float(steps @ steps)
    slope = float(steps @ losses) / spread
    residual = losses - losses.mean() - slope * steps
    noise = float(residual @ residual) / max(count - 2, 1)
    deviation = float(np.sqrt(max(noise, 1e-18))) * _correlation(residual)
    return Window(float(losses.mean()), -slope, deviation / np.sqrt(spread), deviation, count)


def _correlation(residual: Array) -> float:
    """By how much correlated residuals widen a standard error."""
    total = float(residual @ residual)
    if len(residual) < 4 or total <= 0:
        return 1.5
    lag = float(residual[1:] @ residual[:-1]) / total
    lag = min(max(lag, 0.0), 0.9)
    return float(np.sqrt((1 + lag) / (1 - lag)))
