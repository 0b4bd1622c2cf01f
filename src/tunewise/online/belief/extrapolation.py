"""When a loss will have fallen to its target, by simple laws that are weighed by their fit.

A law is a line through the levels of the loss over a power of the time, fitted to the last part of
the course. Powers that fit a part better count more, and all parts count alike: the prediction is
the middle of all laws. How sure that is, is asked of the course itself: at some moments of its
past, such laws say when the loss would be as low as it is now, and that moment is known. Where
they tell little, the time so far does: who looks at any moment of a course sees half of it gone.
"""

import math
from functools import lru_cache

import numpy as np

from tunewise.surrogate import Array, Normal

_POINTS = 48
"""Moments, equally far apart, at which levels are taken, and losses at least."""

WIDTH = 0.15
"""A level is that of the losses in this last share of the time until then: no logarithm of a time
is known better either,"""

_TOUCHED = 0.1
"""and as low as this share of them: the target need only be touched."""

_POWERS = np.arange(-3.0, 2.01, 0.25)
"""Powers of time over which levels may lie on a line; 0 stands for its logarithm. Below 0 the loss
approaches something, above 1 it still speeds up. All are as likely before anything was seen."""

_PARTS = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Last parts of the course that a law is fitted to."""

_RANGE = (0.005, 5.0)
"""What is left, at least and at most, as a share of the time so far: no course tells more."""


def extrapolated(at: Array, loss: Array, target: float) -> Normal | None:
    """The logarithm of the seconds until a loss falls to its target; None with too little to go by.

    Args:
        at: Seconds since the training began, (n,); as they would have been under one setting, where
            settings differ.
        loss: The losses then, (n,).
        target: That ends it.
    """
    if len(at) < _POINTS or at[-1] <= 0:
        return None
    now, level = float(at[-1]), _levels(at, loss)
    share, variance = _share(level, target)
    # Before the course has said anything, as much is expected to be left as went by: at a moment
    # as likely as any other, the logarithm of their ratio has a logistic distribution around 0.
    logistic = math.pi**2 / 3
    both = 1 / (1 / logistic + 1 / variance)
    return Normal(both / variance * share + float(np.log(now)), math.sqrt(both))


def _share(level: Array, target: float) -> tuple[float, float]:
    """Mean and variance of the log of what is left, as a share of the time so far."""
    if level[-1] <= target:
        # It was touched: anything up to the width of a level is left, and of it the logarithm.
        return float(np.log(WIDTH)) - 1, 1.0
    if level[-1] >= level[2 * _POINTS // 3 - 1]:  # it stands still, and says nothing
        return 0.0, math.inf
    said, weights = _predicted(level, target)
    middle = middle_of_laws(said, weights)
    variance = float(weights @ (said - middle) ** 2) + WIDTH**2
    return middle, variance + _tested(level, middle)


def middle_of_laws(said: Array, weights: Array) -> float:
    """Half-way between mean and median: the mean fears laws that never get there, the median not.

    The mean alone is too long near the end, the median alone too short before (NOTEBOOK.md).
    """
    order = np.argsort(said, kind="stable")
    half = int(np.searchsorted(np.cumsum(weights[order]), 0.5 * weights.sum()))
    return float((weights @ said + said[order[min(half, len(said) - 1)]]) / 2)


def _levels(at: Array, loss: Array) -> Array:
    """The level of the losses before each of some moments, (points,)."""
    moments = np.linspace(0.0, at[-1], _POINTS + 1)[1:]
    begin = np.searchsorted(at, moments * (1 - WIDTH), "right")
    end = np.maximum(np.searchsorted(at, moments, "right"), 1)
    begin = np.minimum(begin, end - 1)
    return np.array(
        [np.quantile(loss[a:b], _TOUCHED) for a, b in zip(begin, end, strict=True)], float
    )


def _predicted(level: Array, target: float) -> tuple[Array, Array]:
    """Log of what is left until a target, as a share of the time so far, by each law; and weights.

    Both are (laws,), the weights by how well each law fits the levels.
    """
    left, weights = [], []
    for first, bent, squares in _designs(len(level)):
        y = level[first:] - level[first:].mean()
        size = float(np.abs(y).max()) or 1.0  # squares of what is huge or tiny are no numbers
        y = y / size
        along = bent @ y
        total = float(y @ y) or 1.0
        unexplained = np.maximum(1 - along**2 / squares / total, 0.0) + 1e-12
        # Levels that lie nearer than their width are of the same losses, and say as much as one.
        fit = unexplained ** (-len(y) / (WIDTH * len(level)))
        weights.append(fit / fit.sum() / len(_PARTS))
        left.append(_crossings(along / squares, (float(level[-1]) - target) / size) - 1)
    log = np.log(np.clip(np.concatenate(left), *_RANGE))
    return np.asarray(log, float), np.concatenate(weights)


@lru_cache(maxsize=16)
def _designs(count: int) -> list[tuple[int, Array, Array]]:
    """By part of so many levels: where it begins, its bent times (powers, n), and their squares."""
    time = np.arange(1, count + 1) / count
    found = []
    for part in _PARTS:
        first = min(int(np.searchsorted(time, 1 - part)), count - 4)
        bent = np.array([_bent(time[first:], power) for power in _POWERS])
        bent -= bent.mean(axis=1, keepdims=True)
        found.append((first, bent, (bent**2).sum(axis=1)))
    return found


def _bent(time: Array, power: float) -> Array:
    return np.log(time) if power == 0 else np.asarray(time**power, float)


def _crossings(slope: Array, need: float) -> Array:
    """When lines that stand at the present level now, at time 1, have fallen by `need`, (powers,).

    Infinite where they rise, or end above.
    """
    falls = slope * np.where(_POWERS >= 0, 1.0, -1.0) < 0
    steps = need / np.where(falls, -slope, 1.0)
    power = np.where(_POWERS == 0, 1.0, _POWERS)
    x = 1 + steps
    with np.errstate(over="ignore"):  # further than any number is never
        reached = np.where(x > 0, x, 1.0) ** (1 / power)
    reached = np.where(_POWERS == 0, np.exp(np.minimum(steps, 50.0)), reached)
    return np.where(falls & ((x > 0) | (_POWERS == 0)), reached, np.inf)


def _tested(level: Array, ahead: float) -> float:
    """The mean squared error of the laws' logarithms at moments of the past; 0 without any.

    Moments from which the present was about as far ahead as the target is now count most.
    """
    here = int(np.argmax(level <= level[-1]))
    errors, far = [], []
    for count in range(_POINTS // 3, _POINTS, int(WIDTH * _POINTS / 2)):
        if here + 1 > count and level[count - 1] > level[-1]:
            true = float(np.log((here + 1) / count - 1))
            said, weights = _predicted(level[:count], float(level[here]))
            errors.append(true - middle_of_laws(said, weights))
            far.append(true)
    alike = np.exp(-0.5 * (np.array(far) - ahead) ** 2) + 0.05
    return float(alike @ np.array(errors) ** 2 / max(alike.sum(), 1e-12))
