"""Extremely randomised trees (Geurts and others, 2006), grown all at once.

One level of every tree is split in one pass over sorted arrays, so a forest over a study's
observations takes milliseconds.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.normal import Array

Ints = NDArray[np.intp]

_TIE = 1e-9
"""Splits whose worth differs relatively less than this are equally good, whatever rounding says."""


@dataclass(frozen=True, eq=False)
class Forest:
    """The structure of all trees, as what each split rules out.

    The leaves of a tree are numbered from left to right, so those left of a split are a run. A row
    whose value is above the threshold cannot end in that run; it ends in the first leaf that no
    split rules out.

    Attributes:
        leaves: (trees,) how many leaves each tree has.
        tree: (splits,) the tree a split belongs to.
        feature: (splits,) the column it looks at.
        threshold: (splits,) rows at or below it go left.
        first: (splits,) the first leaf on its left.
        end: (splits,) one past the last leaf on its left.
    """

    leaves: Ints
    tree: Ints
    feature: Ints
    threshold: Array
    first: Ints
    end: Ints


class _Level(NamedTuple):
    """Nodes of one depth: their numbers, splits (feature -1: a leaf) and left children."""

    number: Ints
    feature: Ints
    threshold: Array
    left: Ints

    def inner(self) -> "_Level":
        """Without its leaves."""
        kept = self.feature >= 0
        return _Level(self.number[kept], self.feature[kept], self.threshold[kept], self.left[kept])


def grow(
    rows: Array, targets: Array, weights: Ints, rng: np.random.Generator, least: int = 2
) -> Forest:
    """Grow all trees: thresholds are drawn, the best of one for each column is kept.

    Args:
        rows: (n, d) inputs.
        targets: (n,) values.
        weights: (trees, n) how often each tree sees each row.
        rng: Draws the thresholds.
        least: Nodes with fewer rows are leaves.
    """
    levels: list[_Level] = []
    node, row = np.nonzero(weights)
    weight, nodes = weights[node, row].astype(float), len(weights)
    while len(row):
        order = np.argsort(node, kind="stable")
        row, node, weight = row[order], node[order], weight[order]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        sizes = np.diff(starts, append=len(node))
        feature, threshold = _splits(rows[row], targets[row], weight, starts, sizes, rng, least)
        splitting = feature >= 0
        left = np.where(splitting, nodes + 2 * (np.cumsum(splitting) - 1), -1)
        nodes += 2 * int(splitting.sum())
        levels.append(_Level(node[starts], feature, threshold, left))
        place = np.repeat(np.arange(len(starts)), sizes)
        kept = splitting[place]
        row, weight, place = row[kept], weight[kept], place[kept]
        node = left[place] + (rows[row, feature[place]] > threshold[place])
    return _numbered(levels, len(weights), nodes)


def _splits(
    x: Array,
    y: Array,
    weight: Array,
    starts: Ints,
    sizes: Ints,
    rng: np.random.Generator,
    least: int,
) -> tuple[Ints, Array]:
    """The column and threshold of each node of this level; column -1 where it is a leaf."""
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    drawn = low + rng.random(low.shape) * (high - low)
    goes_left = (x <= np.repeat(drawn, sizes, axis=0)) * weight[:, None]
    total = np.add.reduceat(weight, starts)
    centred = y - np.repeat(np.add.reduceat(weight * y, starts) / total, sizes)
    n_left = np.add.reduceat(goes_left, starts)
    sum_left = np.add.reduceat(goes_left * centred[:, None], starts)
    n_right = total[:, None] - n_left
    possible = (n_left > 0) & (n_right > 0)
    # Around the node's mean both sides' sums cancel: the variance explained is this alone.
    explained = np.divide(
        sum_left**2, n_left * n_right, out=np.full(low.shape, -1.0), where=possible
    )
    most = explained.max(1)
    # Small nodes are split equally well by many columns: chance decides, not their order.
    equal = explained >= (1 - _TIE) * most[:, None]
    best = np.argmax(equal * (1 + rng.random(low.shape)), axis=1)
    varies = np.maximum.reduceat(y, starts) > np.minimum.reduceat(y, starts)
    leaf = (most < 0) | (total < least) | ~varies
    return np.where(leaf, -1, best), drawn[np.arange(len(best)), best]


def _numbered(levels: list[_Level], trees: int, nodes: int) -> Forest:
    """Number the leaves of each tree from left to right."""
    below, first, tree = np.ones(nodes, np.intp), np.zeros(nodes, np.intp), np.arange(nodes)
    inner = [level.inner() for level in levels]
    for level in reversed(inner):
        below[level.number] = below[level.left] + below[level.left + 1]
    for level in inner:
        first[level.left] = first[level.number]
        first[level.left + 1] = first[level.number] + below[level.left]
        tree[level.left] = tree[level.left + 1] = tree[level.number]
    number, feature, threshold, left = (np.concatenate(part) for part in zip(*inner, strict=True))
    return Forest(
        leaves=below[:trees],
        tree=tree[number],
        feature=feature,
        threshold=threshold,
        first=first[left],
        end=first[left] + below[left],
    )
