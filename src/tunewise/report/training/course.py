"""What a training's page shows, as plain data."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.online import Tuner
from tunewise.online.record.course import Believed
from tunewise.space import Config
from tunewise.surrogate import Array

_POINTS = 600
"""Losses that are drawn, at most: more than a screen has columns."""


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss over time: seconds since the beginning and losses, each (n,)."""

    at: Array
    loss: Array


@dataclass(frozen=True)
class Stretch:
    """A stretch under one setting: from when to when, and what it did."""

    setting: Config
    begin: float
    end: float
    iterations: int
    per_iteration: float
    reconfiguration: float
    loss: float


@dataclass(frozen=True)
class Outcome:
    """A belief about what was left, and what came true where the training is done."""

    believed: Believed
    low: float
    high: float
    true: float | None

    @property
    def held(self) -> bool | None:
        """Whether the truth lay in the stated range; None while it is not known."""
        return None if self.true is None else self.low <= self.true <= self.high


def losses(tuner: Tuner) -> Losses:
    """The loss over time, thinned by means over equal numbers of iterations."""
    at, loss = [], []
    now = 0.0
    for segment in tuner.course.segments:
        now += segment.reconfiguration
        times = now + np.cumsum(segment.seconds) if segment.iterations else np.empty(0)
        now = float(times[-1]) if len(times) else now
        at.append(times)
        loss.append(segment.losses)
    every, values = np.concatenate(at), np.concatenate(loss)
    keep = np.isfinite(values)
    every, values = every[keep], values[keep]
    if len(every) <= _POINTS:
        return Losses(every, values)
    cuts = np.array_split(np.arange(len(every)), _POINTS)
    return Losses(
        np.array([every[cut].mean() for cut in cuts]),
        np.array([values[cut].mean() for cut in cuts]),
    )


def stretches(tuner: Tuner) -> list[Stretch]:
    """What ran when."""
    found, now = [], 0.0
    for segment in tuner.course.segments:
        if not segment.iterations:
            continue
        begin = now
        now += segment.reconfiguration + float(segment.seconds.sum())
        found.append(
            Stretch(
                dict(segment.setting),
                begin,
                now,
                len(segment.iterations),
                segment.per_iteration,
                segment.reconfiguration,
                float(segment.losses[-1]),
            )
        )
    return found


def outcomes(tuner: Tuner) -> list[Outcome]:
    """What was believed to be left at each decision, and what came true."""
    found = []
    for each in tuner.believed:
        if each.left is None:
            continue
        low, high = _range(*each.left)
        true = tuner.seconds - each.at if tuner.done else None
        found.append(Outcome(each, low, high, true))
    return found


def _range(mean: float, std: float) -> tuple[float, float]:
    """From 10 to 90 %, of a log-normal belief of this mean and deviation."""
    if mean <= 0:
        return 0.0, 0.0
    spread = float(np.sqrt(np.log1p((std / mean) ** 2)))
    middle = float(np.log(mean)) - spread**2 / 2
    return float(np.exp(middle - 1.2816 * spread)), float(np.exp(middle + 1.2816 * spread))


def expected_cost(
    tuner: Tuner, price: Callable[[Config], float] | None
) -> tuple[float, float] | None:
    """USD so far, and in all as expected; None without prices."""
    if price is None:
        return None
    so_far = tuner.cost_at(price)
    left = 0.0 if tuner.done else float(tuner.remaining.mean) * price(tuner.setting) / 3600
    return so_far, so_far + left
