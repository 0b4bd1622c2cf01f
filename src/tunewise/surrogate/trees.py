"""Bagged extra-trees as a surrogate (TrimTuner, section III-A).

Each tree sees a bootstrap sample of the observations; the belief at a point is the normal
distribution with the mean and standard deviation of the trees' predictions. With the structure
kept, an observation only moves the means of the leaves it falls into.

Beyond the fractions that a leaf has seen, a slope common to all configs carries on: a tree predicts
the mean of a leaf's targets, and the slope times the decades from the mean of its fractions.
"""

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tunewise.errors import StrategyError, nearest
from tunewise.surrogate.bagging.forest import Ints, extra, grow, random_tree
from tunewise.surrogate.bagging.leaf_fantasy import LeafFantasy, Tilt
from tunewise.surrogate.bagging.shared_leaves import SharedLeaves, Stock
from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.normal import ROWS, Array, Normal
from tunewise.surrogate.slope import LEAST, Slope
from tunewise.surrogate.surrogate import (
    Points,
    Surrogate,
    centre_and_spread,
    observations,
    points,
    refuse_overflow,
)

SPLITS = {"extra": extra, "random": random_tree}
"""By the kind of the trees."""


class ExtraTrees(Surrogate):
    """An ensemble of extremely randomised trees over (config, fraction).

    Args:
        basis: ignored: trees find out by themselves how the metric changes with the fraction.
        spread: the standard deviation that targets are expected to have, counted as one more
            observation; 0 expects nothing.
        trees: how many.
        least: nodes with fewer observations are not split.
        kind: "extra" for extra-trees, "random" for the random trees of Weka: the best threshold
            of a few columns that are drawn for each node.
        slope: standard deviation, before anything was seen, of what ten times the data adds for
            all configs alike, in units of the spread; 0 for trees that never leave their data.
        seed: of bags and thresholds; the same observations give the same trees.
    """

    def __init__(
        self,
        basis: object = None,
        *,
        spread: float = 0.0,
        trees: int = 50,
        least: int = 2,
        slope: float = 0.7,
        kind: str = "extra",
        seed: int = 0,
    ) -> None:
        """Say how to grow; `fit` does the work."""
        whole = isinstance(trees, int) and isinstance(least, int)
        if not whole or trees < 1 or least < 2:
            raise StrategyError(
                "both are whole numbers, and trees must be 1 or more and least 2 or more, not"
                f" {trees!r} and {least!r}"
            )
        for name, given in (("spread", spread), ("slope", slope)):
            if not 0 <= given < np.inf:
                raise StrategyError(f"{name} must be 0 or more and finite, not {given}")
        if kind not in SPLITS:
            raise StrategyError(f"unknown kind {kind!r}{nearest(str(kind), SPLITS)}")
        self.spread, self.slope, self.kind = spread, slope, kind
        self.trees, self.least, self.seed = trees, least, seed

    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        """Grow the trees; the noise is not used: the ensemble shows it."""
        told = observations(x, s, y, noise)
        rows, rng = _rows(told.at), np.random.default_rng(self.seed)
        self._shift, self._scale = centre_and_spread(told.y, self.spread)
        targets = (told.y - self._shift) / self._scale
        decades, bags = rows[:, -1], bootstrap(self.trees, len(targets), rng)
        self._slope = self._learned_slope(rows, targets, bags)
        level = targets - self._slope.mean * decades
        self._forest = grow(rows, level, bags, rng, self.least, SPLITS[self.kind])
        self._stock = Stock.empty(self._forest.size).with_more(
            self._forest.leaves(rows), targets, decades, bags.T
        )
        self._grown = self._stock
        self._width = told.at.x.shape[1]
        return self

    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        """A copy in whose leaves these observations count as well, once in every tree."""
        new = observations(x, s, y, noise)
        rows, targets = _rows(self._alike(new.at)), (new.y - self._shift) / self._scale
        leaves, result = self._forest.leaves(rows), copy(self)
        result._slope = self._slope.given(*self._surprise(leaves, rows, targets))
        result._stock = self._stock.with_more(leaves, targets, rows[:, -1], np.ones_like(leaves))
        return result

    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        """Mean and standard deviation of the trees' predictions, (n,)."""
        rows = _rows(self._alike(points(x, s)))
        starts = range(0, len(rows), ROWS)
        blocks = [self._moments(rows[i : i + ROWS]) for i in starts]
        mean, variance = np.concatenate(blocks, axis=1)
        return Normal(self._shift + self._scale * mean, self._scale * np.sqrt(variance))

    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Each function is one tree and one slope, drawn at random, and what stays uncertain."""
        rows = _rows(self._alike(points(x, s)))
        means, away = self._each(rows)
        tree = rng.integers(0, self.trees, n)
        slopes = self._slope.mean + np.sqrt(self._slope.variance) * rng.standard_normal(n)
        drawn = means.T[tree] + slopes[:, None] * away.T[tree]
        different, place = np.unique(rows, axis=0, return_inverse=True)
        rest = LEAST * rng.standard_normal((n, len(different)))
        drawn += rest[:, place.ravel()]
        return np.asarray(self._shift + self._scale * drawn, float)

    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        """The leaves that each candidate shares with each target would move, and the slope."""
        here, there = (_rows(self._alike(points(*at))) for at in (candidates, targets))
        refuse_overflow(self._scale)
        leaves, at_targets = self._forest.leaves(here), self._forest.leaves(there)
        mean, variance = self._moments(here)
        away, level = self._surprise(leaves, here, np.zeros(len(here)))
        shared = SharedLeaves.between(leaves, at_targets, self._stock, here[:, -1], there[:, -1])
        return LeafFantasy.of(
            Normal(mean, np.sqrt(variance)),
            shared,
            Tilt.of(self._slope, away, -level),
            (self._shift, self._scale, LEAST**2),
        )

    def _learned_slope(self, rows: Array, targets: Array, bags: Ints) -> Slope:
        """From what trees over configs alone, that did not see a target, predict instead of it."""
        expected, decades = self.spread / self._scale, rows[:, -1]
        prior = self.slope * (expected or 1.0)
        crude = Slope.learned(_centred(decades), _centred(targets), prior, expected)
        rng = np.random.default_rng(self.seed)
        level = targets - crude.mean * decades
        forest = grow(rows[:, :-1], level, bags, rng, self.least)
        leaves = forest.leaves(rows[:, :-1])
        stock = Stock.empty(forest.size).with_more(leaves, targets, decades, bags.T)
        unseen = bags.T == 0
        known = unseen.any(1)
        count = unseen[known].sum(1)
        away, above = (
            told[known] - (unseen * leaf[leaves])[known].sum(1) / count
            for told, leaf in ((decades, stock.decades), (targets, stock.means))
        )
        return Slope.learned(away, above, prior, expected)

    def _each(self, rows: Array) -> tuple[Array, Array]:
        """For each tree the mean of the leaf, and the decades from its fractions, (n, trees)."""
        leaves = self._forest.leaves(rows)
        away = rows[:, -1:] - self._stock.decades[leaves]
        return np.asarray(self._stock.means[leaves], float), np.asarray(away, float)

    def _moments(self, rows: Array) -> tuple[Array, Array]:
        """Mean and variance of the belief at rows, in standard units, (n,)."""
        means, away = self._each(rows)
        each = means + self._slope.mean * away
        mean = each.mean(1)
        each -= mean[:, None]
        variance = np.einsum("nt,nt->n", each, each)
        variance += self._slope.variance * np.einsum("nt,nt->n", away, away)
        return mean, variance / self.trees + LEAST**2

    def _surprise(self, leaves: Ints, rows: Array, targets: Array) -> tuple[Array, Array]:
        """Decades away from, and targets above, what the trees were grown with, (n,).

        Compared with the trees as grown, so that the order of further observations is no matter.
        """
        away = rows[:, -1] - self._grown.decades[leaves].mean(1)
        return away, targets - self._grown.means[leaves].mean(1)


def bootstrap(trees: int, count: int, rng: np.random.Generator) -> Ints:
    """How often each tree sees each of the observations, (trees, count)."""
    drawn = rng.integers(0, count, (trees, count)) + count * np.arange(trees)[:, None]
    return np.bincount(drawn.ravel(), minlength=trees * count).reshape(trees, count)


def _rows(at: Points) -> Array:
    """Inputs of the trees: the encoded config, and the fraction by orders of magnitude."""
    return np.column_stack([at.x, np.log10(at.s)])


def _centred(values: Array) -> Array:
    return np.asarray(values - values.mean(), float)
