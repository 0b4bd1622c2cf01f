"""Extremely randomised trees (Geurts and others, 2006), grown all at once.

One level of every tree is split in one pass over sorted arrays, so a forest over a study's
observations takes milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.normal import ROWS, TIE, TINY, Array

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Forest:
    """The nodes of all trees; those numbered 0 to `trees` - 1 are the roots.

    A leaf leads to itself, whatever a row holds: so all trees are walked down together.

    Attributes:
        trees: How many there are.
        tree: (nodes,) the tree a node belongs to.
        feature: (nodes,) the column it looks at, -1 for a leaf.
        threshold: (nodes,) rows at or below it go left.
        left: (nodes,) where they go; the others go to the next node.
        depth: How many splits are on the longest way down.
    """

    trees: int
    tree: Ints
    feature: Ints
    threshold: Array
    left: Ints
    depth: int

    @cached_property
    def leaf(self) -> Ints:
        """The number of a leaf among those of all trees, (nodes,)."""
        return np.cumsum(self.feature < 0) - 1

    @property
    def size(self) -> int:
        """How many leaves all trees have together."""
        return int((self.feature < 0).sum())

    def leaves(self, rows: Array) -> Ints:
        """The numbers, over all trees, of the leaves that n rows fall into: (n, trees)."""
        found = np.empty((len(rows), self.trees), np.intp)
        for start in range(0, len(rows), ROWS):
            block = rows[start : start + ROWS]
            row = np.arange(len(block))[:, None]
            node = np.tile(np.arange(self.trees), (len(block), 1))
            for _ in range(self.depth):
                above = block[row, self.feature[node]] > self.threshold[node]
                node = self.left[node] + above
            found[start : start + ROWS] = self.leaf[node]
        return found


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
    levels: list[tuple[Ints, Ints, Array, Ints]] = []
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
        levels.append((node[starts], feature, threshold, left))
        place = np.repeat(np.arange(len(starts)), sizes)
        kept = splitting[place]
        row, weight, place = row[kept], weight[kept], place[kept]
        node = left[place] + (rows[row, feature[place]] > threshold[place])
    return _joined(levels, len(weights), nodes)


def _joined(levels: list[tuple[Ints, Ints, Array, Ints]], trees: int, nodes: int) -> Forest:
    """The nodes of all levels by their numbers; each level has a few that are split."""
    feature, threshold = np.full(nodes, -1), np.full(nodes, np.inf)
    tree, left = np.arange(nodes), np.arange(nodes)
    for number, column, at, below in levels:
        inner = column >= 0
        number, below = number[inner], below[inner]
        feature[number], threshold[number], left[number] = column[inner], at[inner], below
        tree[below] = tree[below + 1] = tree[number]
    return Forest(trees, tree, feature, threshold, left, len(levels) - 1)


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
    best = np.flatnonzero(explained >= np.repeat(most - TIE * np.abs(most), nodes.sizes))
    place = best[np.searchsorted(best, nodes.starts)]
    return most, 0.5 * (value[place] + following[place])


def _best(
    explained: Array, allowed: NDArray[np.bool_], threshold: Array, rng: np.random.Generator
) -> tuple[Ints, Array]:
    """The column (g,) that explains most of those allowed (g, d), and its threshold."""
    worth = np.where(allowed, explained, -1.0)
    # Small nodes are split equally well by many columns: chance decides, not their order.
    equal = allowed & (worth >= (1 - TIE) * worth.max(1)[:, None])
    best = np.argmax(equal * (1 + rng.random(worth.shape)), axis=1)
    chosen = threshold[np.arange(len(best)), best]
    return np.where(allowed.any(1), best, -1), chosen
