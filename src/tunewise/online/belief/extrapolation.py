"""When a loss will have fallen to its target, by simple laws that are tested on its own course.

A law is a line through the levels of the loss over a power of the time, fitted to the last part of
the course. Which power and which part foretell best is asked of the course itself: at some moments
of its past, each law says when the loss would be as low as it is now, and that moment is known.
"""

import numpy as np

from tunewise.surrogate import Array, Normal

_FEWEST = 30
"""Losses, at least, that a course is extrapolated from."""

_POINTS = 48
"""Moments, equally far apart, at which levels are taken."""

_WIDTH = 0.15
"""A level is that of the losses in this last share of the time until then,"""

_TOUCHED = 0.1
"""and as low as this share of them: the target need only be touched."""

_POWERS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
"""Powers of time over which levels may lie on a line; 0 stands for its logarithm. Below 0 the loss
approaches something, above 1 it still speeds up."""

_PARTS = (0.25, 0.5, 0.8)
"""Last parts of the course that a law is fitted to."""

_PAST = (0.35, 0.42, 0.5, 0.58, 0.66, 0.74, 0.82, 0.9)
"""Moments, as shares of the time, from which laws have to foretell the present."""

_FARTHEST = 5.0
"""What is left is at most so many times the time so far: no course tells more,"""

_NEAREST = 0.005
"""and at least this share of it."""

_DEVIATION = 0.5
"""Of the logarithm of what is left, where nothing could be tested."""

_LEAST = 0.15
"""The least deviation of it."""

_UNTESTED = 2.0
"""As many moments of the past without an error are taken to have been tested before the first."""

_WORST = 1.5
"""An error of a logarithm that counts as much as any larger one."""

_EXACT = 0.02
"""A squared error of a logarithm that is as good as none."""


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
    now = float(at[-1])
    level = _levels(at, loss)
    if level[-1] <= target:
        return Normal(float(np.log(_WIDTH * now / 4)), _DEVIATION)
    if level[-1] >= level[2 * _POINTS // 3 - 1]:  # it stands still: as much again, perhaps
        return Normal(float(np.log(now)), 2 * _DEVIATION)
    said = _foretold(level, target)
    errors, alike = _tested(level, float(np.median(said)))
    if not len(errors):
        return Normal(float(np.median(said)) + np.log(now), _DEVIATION)
    weights = (alike @ np.minimum(np.abs(errors), _WORST) ** 2 + _EXACT) ** -2.0
    weights /= weights.sum()
    together = errors @ weights
    bias = 0.5 * float(alike @ together) * len(errors) / (len(errors) + _UNTESTED)
    apart = float(weights @ (said - weights @ said) ** 2)
    variance = float(alike @ (together - bias) ** 2) + apart + _LEAST**2
    return Normal(float(weights @ said) + bias + np.log(now), float(np.sqrt(variance)))


def _levels(at: Array, loss: Array) -> Array:
    """The level of the losses before each of some moments, (points,)."""
    moments = np.linspace(0.0, at[-1], _POINTS + 1)[1:]
    begin = np.searchsorted(at, moments * (1 - _WIDTH), "right")
    end = np.maximum(np.searchsorted(at, moments, "right"), 1)
    begin = np.minimum(begin, end - 1)
    return np.array(
        [np.quantile(loss[a:b], _TOUCHED) for a, b in zip(begin, end, strict=True)], float
    )


def _foretold(level: Array, target: float) -> Array:
    """Log of what is left until a target, as a share of the time so far, by each law, (laws,)."""
    time = np.arange(1, len(level) + 1) / len(level)
    left = []
    for part in _PARTS:
        first = min(int(np.searchsorted(time, 1 - part)), len(level) - 4)
        y = level[first:] - level[first:].mean()
        for power in _POWERS:
            x = _bent(time[first:], power)
            x = x - x.mean()
            slope = float(x @ y) / float(x @ x)
            left.append(_crossing(slope, level[-1] - target, power) - 1)
    return np.asarray(np.log(np.clip(left, _NEAREST, _FARTHEST)), float)


def _bent(time: Array, power: float) -> Array:
    return np.log(time) if power == 0 else np.asarray(time**power, float)


def _crossing(slope: float, need: float, power: float) -> float:
    """When a line that stands at the present level now, at time 1, has fallen by `need`."""
    if slope * (1.0 if power >= 0 else -1.0) >= 0:
        return np.inf
    if power == 0:
        return float(np.exp(min(-need / slope, 50.0)))
    x = 1 - need / slope
    return float(x ** (1 / power)) if x > 0 else np.inf


def _tested(level: Array, ahead: float) -> tuple[Array, Array]:
    """Errors of the laws' logarithms at moments of the past, (m, laws), and their weights, (m,).

    Moments from which the present was about as far ahead as the target is now count most.
    """
    here = int(np.argmax(level <= level[-1]))
    errors, far = [], []
    for share in _PAST:
        count = int(_POINTS * share)
        if here + 1 > count and level[count - 1] > level[-1]:
            true = np.log((here + 1) / count - 1)
            errors.append(true - _foretold(level[:count], level[here]))
            far.append(true)
    alike = np.exp(-0.5 * (np.array(far) - ahead) ** 2) + 0.05
    return np.array(errors), alike / max(alike.sum(), 1e-12)
