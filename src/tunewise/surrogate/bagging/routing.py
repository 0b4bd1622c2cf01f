"""Which leaf of each tree a row falls into, without walking down the trees.

As in QuickScorer (Lucchese and others, 2015): a bit stands for each leaf, and a value in one column
rules the same leaves out in every row. These are looked up by the value's rank among the column's
thresholds; the first leaf that no column rules out is the one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate.bagging.forest import Forest, Ints
from tunewise.surrogate.normal import ELEMENTS, ROWS, Array

Bits = NDArray[np.uint64]

_WORD = 64
"""Bits of a word."""
_BELOW = np.array([2**k - 1 for k in range(_WORD + 1)], np.uint64)
"""Words whose first k bits are set."""


class _Column(NamedTuple):
    """The thresholds (k,) of a column, ascending, and what stays possible above so many of them.

    `possible` is (k + 1, words * trees): one bit a leaf.
    """

    feature: int
    thresholds: Array
    possible: Bits


class _Group(NamedTuple):
    """Some of the trees: how many, words of bits for each, their columns."""

    trees: int
    words: int
    columns: list[_Column]


class Routing:
    """Finds leaves of a forest.

    Attributes:
        size: How many leaves all trees have together.
    """

    def __init__(self, forest: Forest) -> None:
        """Tabulate which leaves each column's values rule out."""
        self.size = int(forest.leaves.sum())
        self._begins = np.cumsum(forest.leaves) - forest.leaves
        most = int(forest.leaves.max())
        words = -(-most // _WORD)
        together = max(1, int((ELEMENTS / (most * words)) ** 0.5))
        trees = len(forest.leaves)
        self._groups = [
            _group(forest, start, min(start + together, trees), words)
            for start in range(0, trees, together)
        ]

    def leaves(self, rows: Array) -> Ints:
        """The numbers, over all trees, of the leaves that n rows fall into: (n, trees)."""
        found = np.empty((len(rows), len(self._begins)), np.intp)
        for start in range(0, len(rows), ROWS):
            block = slice(start, start + ROWS)
            found[block] = np.hstack([_looked_up(rows[block], group) for group in self._groups])
        found += self._begins
        return found


def _group(forest: Forest, start: int, end: int, words: int) -> _Group:
    mine = (forest.tree >= start) & (forest.tree < end)
    columns = []
    for feature in np.unique(forest.feature[mine]):
        splits = np.flatnonzero(mine & (forest.feature == feature))
        splits = splits[np.argsort(forest.threshold[splits], kind="stable")]
        possible = np.full((len(splits) + 1, words, end - start), _BELOW[_WORD])
        above = 1 + np.arange(len(splits))
        possible[above, :, forest.tree[splits] - start] = _ruling_out(forest, splits, words)
        np.bitwise_and.accumulate(possible, axis=0, out=possible)
        flat = possible.reshape(len(possible), -1)
        columns.append(_Column(int(feature), forest.threshold[splits], flat))
    return _Group(end - start, words, columns)


def _ruling_out(forest: Forest, splits: Ints, words: int) -> Bits:
    """All bits but those of the leaves left of each split: (splits, words)."""
    offset = _WORD * np.arange(words)
    end = np.clip(forest.end[splits, None] - offset, 0, _WORD)
    first = np.clip(forest.first[splits, None] - offset, 0, _WORD)
    return np.asarray(~(_BELOW[end] ^ _BELOW[first]), np.uint64)


def _looked_up(rows: Array, group: _Group) -> Ints:
    """The leaf, counted from the left of its tree, of each row: (n, trees)."""
    possible = np.full((len(rows), group.words * group.trees), _BELOW[_WORD])
    for column in group.columns:
        rank = np.searchsorted(column.thresholds, rows[:, column.feature])
        possible &= column.possible.take(rank, axis=0)
    first, *others = np.split(possible, group.words, axis=1)
    word = np.zeros(first.shape, np.intp)
    for other in others:
        empty = first == 0
        first, word = np.where(empty, other, first), word + empty
    return _WORD * word + _lowest_bit(first)


def _lowest_bit(words: Bits) -> Ints:
    """The place of the lowest bit that is set."""
    alone = words & (~words + np.uint64(1))
    return np.asarray(np.frexp(alone.astype(float))[1], np.intp) - 1
