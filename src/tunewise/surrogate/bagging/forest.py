"""Extremely randomised trees (Geurts and others, 2006), grown all at once.

One level of every tree is split in one pass over sorted arrays, so a forest over a study's
observations takes milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.normal import TINY, Array

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
    rows: Array,
    targets: Array,
    weights: Ints,
    rng: np.random.Generator,
    least: int = 2,
    split: "Split | None" = None,
) -> Forest:
    """Grow all trees.

    Args:
        rows: (n, d) inputs.
        targets: (n,) values.
        weights: (trees, n) how often each tree sees each row.
        rng: Draws what the splits leave to chance.
        least: Nodes with fewer rows are leaves.
        split: How nodes are split; by default as extra-trees.
    """
    split = split or extra
    levels: list[_Level] = []
    node, row = np.nonzero(weights)
    weight, nodes = weights[node, row].astype(float), len(weights)
    while len(row):
        order = np.argsort(node, kind="stable")
        row, node, weight = row[order], node[order], weight[order]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        sizes = np.diff(starts, append=len(node))
        level = Nodes(rows[row], targets[row], weight, starts, sizes)
        feature, threshold = level.but_leaves(least, *split(level, rng))
        splitting = feature >= 0
        left = np.where(splitting, nodes + 2 * (np.cumsum(splitting) - 1), -1)
        nodes += 2 * int(splitting.sum())
        levels.append(_Level(node[starts], feature, threshold, left))
        place = np.repeat(np.arange(len(starts)), sizes)
        kept = splitting[place]
        row, weight, place = row[kept], weight[kept], place[kept]
        node = left[place] + (rows[row, feature[place]] > threshold[place])
    return _numbered(levels, len(weights), nodes)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of one level of all trees: their rows, one node after the other.

    Attributes:
        x: (m, d) inputs of the rows.
        y: (m,) their targets.
        weight: (m,) how often each counts.
        starts: (g,) where each node begins.
        sizes: (g,) how many rows it has.
    """

    x: Array
    y: Array
    weight: Array
    starts: Ints
    sizes: Ints

    @cached_property
    def total(self) -> Array:
        """The weight of each node, (g,)."""
        return np.asarray(np.add.reduceat(self.weight, self.starts), float)

    @cached_property
    def centred(self) -> Array:
        """Weighed targets around the mean of their node, (m,)."""
        mean = np.add.reduceat(self.weight * self.y, self.starts) / self.total
        return np.asarray(self.weight * (self.y - np.repeat(mean, self.sizes)), float)

    def explained(self, left: Array, sum_left: Array, total: Array) -> Array:
        """The variance that splits explain, by what goes left; -1 where a side is empty.

        Around the node's mean both sides' sums cancel: it is this alone, up to a factor.
        """
        right = total - left
        possible = (left > 0) & (right > 0)
        none = np.full(left.shape, -1.0)
        found = np.divide(sum_left**2, left * right, out=none, where=possible)
        return np.asarray(found, float)

    def but_leaves(self, least: int, feature: Ints, threshold: Array) -> tuple[Ints, Array]:
        """The splits of the nodes that are split; column -1 for leaves."""
        largest = np.maximum.reduceat(self.y, self.starts)
        varies = largest > np.minimum.reduceat(self.y, self.starts)
        leaf = (self.total < least) | ~varies
        return np.where(leaf, -1, feature), threshold


Split = Callable[[Nodes, np.random.Generator], tuple[Ints, Array]]
"""From the nodes of a level to the column and threshold of each, (g,); column -1 for none."""


def extra(nodes: Nodes, rng: np.random.Generator) -> tuple[Ints, Array]:
    """Extra-trees: a threshold is drawn for each column, the best column is kept."""
    x, starts = nodes.x, nodes.starts
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    drawn = low + rng.random(low.shape) * (high - low)
    below = x <= np.repeat(drawn, nodes.sizes, axis=0)
    left = np.add.reduceat(below * nodes.weight[:, None], starts)
    sum_left = np.add.reduceat(below * nodes.centred[:, None], starts)
    explained = nodes.explained(left, sum_left, nodes.total[:, None])
    return _best(explained, explained >= 0, drawn, rng)


def random_tree(nodes: Nodes, rng: np.random.Generator) -> tuple[Ints, Array]:
    """Weka's random tree: the best threshold of a few columns that are drawn for each node.

    They are 1 + log2(d) of d; where none of them explains anything, the first other that does.
    """
    cuts = [_best_cut(nodes, column) for column in nodes.x.T]
    explained, threshold = (np.stack(part, axis=1) for part in zip(*cuts, strict=True))
    useful, turn = explained > TINY, rng.random(explained.shape).argsort(1).argsort(1)
    drawn = useful & (turn < 1 + int(np.log2(explained.shape[1])))
    first = turn == np.where(useful, turn, len(turn[0])).min(1, keepdims=True)
    allowed = np.where(drawn.any(1, keepdims=True), drawn, first & useful)
    return _best(explained, allowed, threshold, rng)


def _best_cut(nodes: Nodes, column: Array) -> tuple[Array, Array]:
    """What the best threshold of a column explains in each node, (g,), and where it lies."""
    node = np.repeat(np.arange(len(nodes.starts)), nodes.sizes)
    order = np.lexsort([column, node])
    value, before = column[order], np.repeat(nodes.starts, nodes.sizes)

    def so_far(parts: Array) -> Array:
        sums = np.concatenate([[0.0], np.cumsum(parts[order])])
        return np.asarray(sums[1:] - sums[before], float)

    explained = nodes.explained(so_far(nodes.weight), so_far(nodes.centred), nodes.total[node])
    following = np.append(value[1:], value[-1])
    explained[value == following] = -1.0
    explained[nodes.starts + nodes.sizes - 1] = -1.0
    most = np.maximum.reduceat(explained, nodes.starts)
    best = np.flatnonzero(explained >= np.repeat(most - _TIE * np.abs(most), nodes.sizes))
    place = best[np.searchsorted(best, nodes.starts)]
    return most, 0.5 * (value[place] + following[place])


def _best(
    explained: Array, allowed: NDArray[np.bool_], threshold: Array, rng: np.random.Generator
) -> tuple[Ints, Array]:
    """The column (g,) that explains most of those allowed (g, d), and its threshold."""
    worth = np.where(allowed, explained, -1.0)
    # Small nodes are split equally well by many columns: chance decides, not their order.
    equal = allowed & (worth >= (1 - _TIE) * worth.max(1)[:, None])
    best = np.argmax(equal * (1 + rng.random(worth.shape)), axis=1)
    chosen = threshold[np.arange(len(best)), best]
    return np.where(allowed.any(1), best, -1), chosen


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
