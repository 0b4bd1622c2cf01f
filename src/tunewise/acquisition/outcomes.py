"""What may come of a trial, and when it ends: the rewards behind the knowledge gradient.

A trial has an outcome of what it spends and one of all that it learns besides; cost and time go up
and down together. A trial that is stopped at some spending teaches only that it takes more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from tunewise.belief.future import Future
from tunewise.surrogate import Array
from tunewise.surrogate.normal import ELEMENTS, roots

FINE, _COARSE = 7, 3
"""Outcomes of a trial that are told apart, of what it spends and of all else: finely where all of
them, for all pairs of trials and targets, are few enough to be computed at once."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The rewards of t targets after c trials, for each of k spendings, ascending.

    Attributes:
        best: (k, c) the best reward that is expected once a trial has ended with that spending,
            times the probability of it.
        each: (k, c, t) the reward of every target, expected then, times the same.
    """

    best: Array
    each: Array

    def gain(self) -> Array:
        """The expected rise of the best reward if each trial runs to its end, (c,).

        What the best reward is now is taken over the same outcomes: the quadrature errs alike
        before and after, so that what cannot change anything is worth nothing, and all else more.
        """
        now = self.each.sum(0).max(1)
        return np.asarray(np.maximum(self.best.sum(0) - now, 0.0), float)

    def gains(self) -> Array:
        """The expected rise of the best reward if a trial is stopped after each spending, (c, k).

        A trial that is stopped leaves the best target of all outcomes that are still possible;
        one that is stopped after the last spending runs to its end.
        """
        ended = np.cumsum(self.best, axis=0)
        left = np.cumsum(self.each[::-1], axis=0)[::-1]
        now = left[0].max(1)
        going_on = np.concatenate([left[1:].max(2), np.zeros((1, len(now)))])
        return np.asarray(np.maximum(ended + going_on - now, 0.0).T, float)


def middles(count: int) -> tuple[Array, Array]:
    """Equally likely outcomes in standard deviations, the middles of equal shares; and these."""
    from scipy.special import ndtri

    return ndtri((np.arange(count) + 0.5) / count), np.full(count, 1 / count)


def ends(count: int) -> Array:
    """Where these shares end, the last one nowhere."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.arange(1, count + 1) / count), float)


def fineness(future: Future) -> int:
    """How many outcomes are told apart."""
    return FINE if FINE**2 * future.objective.fantasy.gain.size <= ELEMENTS else _COARSE


def outcomes(
    future: Future,
    count: int,
    spendings: tuple[Array, Array] | None = None,
    least: float = 0.0,
) -> Outcomes:
    """The rewards after all outcomes of each trial.

    Args:
        future: What each trial would teach.
        count: Gauss-Hermite roots of what a trial learns besides what it spends.
        spendings: Outcomes of what it spends, in deviations, and their weights; as many roots by
            default.
        least: Only what keeps the limits with this probability is recommended; 0: whatever does so
            most probably. Where the objective is not what is spent, it has to be 0.
    """
    assert not least or future.spent, "what is learned besides are probabilities alone"
    nodes, weights = roots(count)
    learned = [_factor(future, float(node), spent=False) for node in nodes]
    before = _counted(_averaged(learned, weights), least)
    counted = [_counted(factor, least) for factor in learned]
    best, each = [], []
    for spending, likely in zip(*(spendings or (nodes, weights)), strict=True):
        spent = likely * _factor(future, float(spending), spent=True)
        best.append(weights @ [(factor * spent).max(1) for factor in counted])
        each.append(before * spent)
    return Outcomes(np.stack(best), np.stack(each))


def _factor(future: Future, node: float, spent: bool) -> Array:
    """That part of each reward that depends on what is spent, or on all else, (c, t)."""
    parts = [limit.after(node) for limit in future.limits if limit.spent == spent]
    if future.spent == spent:
        parts.append(future.gained_after(node))
    return np.asarray(reduce(np.multiply, parts, np.ones(())), float)


def _averaged(factors: Sequence[Array], weights: Array) -> Array:
    """The factors as they are before it is known which of the outcomes comes."""
    return np.asarray(reduce(np.add, map(np.multiply, factors, weights)), float)


def _counted(probability: Array, least: float) -> Array:
    """What a probability of keeping the limits counts: one half as such, one for what is sure."""
    if not least:
        return probability
    sure = np.maximum(probability - least, 0.0) / (1 - least)
    return np.asarray((probability + sure) / 2, float)
