"""When a loss will have fallen to its target, by simple laws that are weighed by their fit.

A law is a line through the levels of the loss over a power of the time, fitted to the last third of
the course. Powers that fit better count more. Where they tell little, the time so far does: who
looks at any moment of a course sees half of it gone.
"""

import numpy as np

from tunewise.surrogate import Array, Normal

_FEWEST = 30
"""Losses, at least, that a course is extrapolated from."""

_MOMENTS = 24
"""Moments, equally far apart, at which levels are taken."""

_WIDTH = 0.15
"""A level is that of the losses in this last share of the time until then,"""

_TOUCHED = 0.1
"""and as low as this share of them: the target need only be touched."""

_POWERS = np.array([-3.0, -2.0, -1.0, -0.5, 0.5, 1.0])
"""Powers of time over which levels may lie on a line: below 0 the loss approaches something."""

_LAST = 0.35
"""The last part of the course that laws are fitted to. Half of it or more foretells worse."""

_SHARES = (0.005, 5.0)
"""What is left is between these shares of the time so far: no course tells more."""

_LEAST = 0.15
"""The least deviation of the logarithm of what is left; where the target was touched, or the loss
stands still, it is wider."""

_ANY = float(np.pi**2 / 3)
"""The variance of the logarithm of what is left over what went by, at a moment that is as likely as
any other of the course: that logarithm has a logistic distribution around 0."""


def extrapolated(at: Array, loss: Array, target: float) -> Normal | None:
    """The logarithm of the seconds until a loss falls to its target; None with too little to go by.

    Args:
        at: Seconds since the training began, (n,); as they would have been under one setting, where
            settings differ.
        loss: The losses then, (n,).
        target: That ends it.
    """
    if len(at) < _FEWEST or at[-1] <= 0:
        return None
    mean, variance = _share(_levels(at, loss), target)
    # Before the course has said anything, as much is expected to be left as went by.
    trust = _ANY / (_ANY + variance)
    return Normal(trust * mean + float(np.log(at[-1])), float(np.sqrt(trust * variance)))


def _levels(at: Array, loss: Array) -> Array:
    """The level of the losses before each of some moments, (moments,)."""
    moments = np.linspace(0.0, at[-1], _MOMENTS + 1)[1:]
    begin = np.searchsorted(at, moments * (1 - _WIDTH), "right")
    end = np.maximum(np.searchsorted(at, moments, "right"), 1)
    begin = np.minimum(begin, end - 1)
    return np.array(
        [np.quantile(loss[a:b], _TOUCHED) for a, b in zip(begin, end, strict=True)], float
    )


def _share(level: Array, target: float) -> tuple[float, float]:
    """Mean and variance of the log of what is left, as a share of the time so far."""
    if level[-1] <= target:
        return float(np.log(_WIDTH / 4)), 0.25
    if level[-1] >= level[2 * _MOMENTS // 3 - 1]:  # it stands still: as much again, perhaps
        return 0.0, 1.0
    time = np.arange(1, _MOMENTS + 1) / _MOMENTS
    late = time > 1 - _LAST
    y = level[late] - level[late].mean()
    size = float(np.abs(y).max())  # squares of what is huge or tiny are no numbers
    y = y / size
    bent = time[late] ** _POWERS[:, None]
    bent = bent - bent.mean(axis=1, keepdims=True)
    squares = (bent**2).sum(axis=1)
    slope = bent @ y / squares
    unexplained = np.maximum(1 - slope**2 * squares / float(y @ y), 0.0) + 1e-4
    # Levels next to each other are of the same losses: four say as much as one.
    weights = unexplained ** (-len(y) / 8)
    weights /= weights.sum()
    left = np.log(np.clip(_crossings(slope, (target - float(level[-1])) / size) - 1, *_SHARES))
    middle = _middle(left, weights)
    return middle, float(weights @ (left - middle) ** 2) + _LEAST**2


def _middle(left: Array, weights: Array) -> float:
    """Half-way between mean and median: only the mean fears laws that never get there."""
    order = np.argsort(left, kind="stable")
    half = int(np.searchsorted(np.cumsum(weights[order]), 0.5))
    return float(weights @ left + left[order[min(half, len(left) - 1)]]) / 2


def _crossings(slope: Array, change: float) -> Array:
    """When lines that stand at the present level now, at time 1, have changed so much, (powers,).

    Infinite where they rise, or end above.
    """
    falls = slope * _POWERS < 0
    bent = 1 + change / np.where(falls, slope, 1.0)
    with np.errstate(over="ignore"):  # further than any number is never
        reached = np.where(bent > 0, bent, 1.0) ** (1 / _POWERS)
    return np.where(falls & (bent > 0), reached, np.inf)
