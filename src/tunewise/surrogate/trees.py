"""Bagged extra-trees as a surrogate (TrimTuner, section III-A).

Each tree sees a bootstrap sample of the observations; the belief at a point is the normal
distribution with the mean and standard deviation of the trees' predictions. With the structure
kept, an observation only moves the means of the leaves it falls into.
"""

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tunewise.errors import StrategyError
from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.forest import Ints, grow
from tunewise.surrogate.leaf_fantasy import LeafFantasy, SharedLeaves
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.routing import Routing
from tunewise.surrogate.surrogate import (
    Points,
    Surrogate,
    centre_and_spread,
    observations,
    points,
)

_LEAST = 0.05
"""Share of the targets' spread that stays uncertain where all trees agree by chance."""
_BLOCK = 8192
"""Points whose trees' predictions are held at once."""


class ExtraTrees(Surrogate):
    """An ensemble of extremely randomised trees over (config, fraction).

    Args:
        basis: ignored: trees find out by themselves how the metric changes with the fraction.
        spread: the standard deviation that targets are expected to have, counted as one more
            observation; 0 expects nothing.
        trees: how many.
        least: nodes with fewer observations are not split.
        seed: of bags and thresholds; the same observations give the same trees.
    """

    def __init__(
        self,
        basis: object = None,
        *,
        spread: float = 0.0,
        trees: int = 50,
        least: int = 2,
        seed: int = 0,
    ) -> None:
        """Say how to grow; `fit` does the work."""
        if trees < 1 or least < 2:
            raise StrategyError(
                f"trees must be 1 or more and least 2 or more, not {trees} and {least}"
            )
        if not 0 <= spread < np.inf:
            raise StrategyError(f"spread must be 0 or more and finite, not {spread}")
        self.spread, self.trees, self.least, self.seed = spread, trees, least, seed

    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        """Grow the trees; the noise is not used: the ensemble shows it."""
        told = observations(x, s, y, noise)
        rows, rng = _rows(told.at), np.random.default_rng(self.seed)
        self._shift, self._scale = centre_and_spread(told.y, self.spread)
        targets = (told.y - self._shift) / self._scale
        bags = _bootstrap(self.trees, len(targets), rng)
        self._routing = Routing(grow(rows, targets, bags, rng, self.least))
        self._weights = self._means = np.zeros(self._routing.size)
        self._count(self._routing.leaves(rows), targets, bags.T)
        return self

    @property
    def scale_(self) -> float:
        """The standard deviation by which targets are standardised."""
        return self._scale

    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        """A copy in whose leaves these observations count as well, once in every tree."""
        new = observations(x, s, y, noise)
        leaves = self._routing.leaves(_rows(new.at))
        result = copy(self)
        result._count(leaves, (new.y - self._shift) / self._scale, np.ones_like(leaves))
        return result

    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        """Mean and standard deviation of the trees' predictions, (n,)."""
        rows = _rows(points(x, s))
        starts = range(0, len(rows), _BLOCK)
        blocks = [_moments(self._each(rows[i : i + _BLOCK])) for i in starts]
        mean, variance = np.concatenate(blocks, axis=1)
        return Normal(self._shift + self._scale * mean, self._scale * _doubt(variance))

    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Each function is one tree, drawn at random, and what stays uncertain: (n, m)."""
        rows = _rows(points(x, s))
        drawn = self._each(rows).T[rng.integers(0, self.trees, n)]
        different, place = np.unique(rows, axis=0, return_inverse=True)
        rest = _LEAST * rng.standard_normal((n, len(different)))
        drawn += rest[:, place.ravel()]
        return np.asarray(self._shift + self._scale * drawn, float)

    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        """The leaves that each candidate shares with each target would move: no tree is regrown."""
        at_candidates = self._routing.leaves(_rows(points(*candidates)))
        at_targets = self._routing.leaves(_rows(points(*targets)))
        mean, variance = _moments(self._means[at_candidates])
        target_mean, target_variance = _moments(self._means[at_targets])
        shared = SharedLeaves.between(at_candidates, at_targets, self._weights, self._means)
        return LeafFantasy(
            mean=self._shift + self._scale * mean,
            std=self._scale * _doubt(variance),
            noise=np.zeros(len(mean)),
            gain=shared.gain(),
            target_mean=self._shift + self._scale * target_mean,
            target_var=(self._scale * _doubt(target_variance)) ** 2,
            shared=shared,
            shift=self._shift,
            scale=self._scale,
            least_var=(self._scale * _LEAST) ** 2,
        )

    def _each(self, rows: Array) -> Array:
        """What each tree predicts, (n, trees)."""
        return np.asarray(self._means[self._routing.leaves(rows)], float)

    def _count(self, leaves: Ints, targets: Array, times: Ints) -> None:
        """Let targets (n,) count so many times (n, trees) in their leaves (n, trees)."""
        size, told = self._routing.size, times * targets[:, None]
        sums = self._weights * self._means + np.bincount(leaves.ravel(), told.ravel(), size)
        self._weights = self._weights + np.bincount(leaves.ravel(), times.ravel(), size)
        self._means = sums / self._weights


def _bootstrap(trees: int, count: int, rng: np.random.Generator) -> Ints:
    """How often each tree sees each of the observations, (trees, count)."""
    drawn = rng.integers(0, count, (trees, count)) + count * np.arange(trees)[:, None]
    return np.bincount(drawn.ravel(), minlength=trees * count).reshape(trees, count)


def _rows(at: Points) -> Array:
    """Inputs of the trees: the encoded config, and the fraction by orders of magnitude."""
    return np.column_stack([at.x, np.log10(at.s)])


def _moments(each: Array) -> tuple[Array, Array]:
    """Mean and variance over the trees of predictions (n, trees)."""
    mean = each.mean(1)
    away = each - mean[:, None]
    return mean, np.einsum("nt,nt->n", away, away) / each.shape[1]


def _doubt(variance: Array) -> Array:
    return np.asarray(np.sqrt(variance + _LEAST**2), float)
