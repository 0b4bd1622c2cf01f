"""The leaves that candidates share with targets, and what an observation does to them.

With the structure of the trees kept, an observation only moves the means of the leaves it falls
into, and these are the predictions at every target in the same leaves.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tunewise.surrogate.bagging.forest import Ints
from tunewise.surrogate.normal import ELEMENTS, Array


class Stock(NamedTuple):
    """What the leaves of all trees hold: how many observations, and their means, (leaves,).

    Attributes:
        weights: How many observations.
        means: The mean of their targets.
        decades: The mean of their log10 fractions.
    """

    weights: Array
    means: Array
    decades: Array

    @classmethod
    def empty(cls, leaves: int) -> "Stock":
        """Nothing in any leaf."""
        return cls(np.zeros(leaves), np.zeros(leaves), np.zeros(leaves))

    def with_more(self, leaves: Ints, targets: Array, decades: Array, times: Ints) -> "Stock":
        """Targets (n,) and decades (n,) counted so many times (n, trees) in leaves (n, trees)."""
        size, where = len(self.weights), leaves.ravel()
        weights = self.weights + np.bincount(where, times.ravel(), size)
        sums = (
            self.weights * old + np.bincount(where, (times * new[:, None]).ravel(), size)
            for old, new in ((self.means, targets), (self.decades, decades))
        )
        return Stock(weights, *(total / weights for total in sums))


class Moments(NamedTuple):
    """Means over the trees of a leaf's target p and decades q, and of their products."""

    p: Array
    q: Array
    pp: Array
    pq: Array
    qq: Array


@dataclass(frozen=True, eq=False)
class SharedLeaves:
    """The leaves that c candidates share with t targets, k of them in all trees.

    Attributes:
        candidates: (c, k) sparse: which leaves each candidate falls into.
        targets: (k, t): one where a target falls into a leaf.
        share: (k,) how far one more observation moves a leaf's means towards itself.
        means: (k,) the mean target of each leaf.
        decades: (k,) its mean log10 fraction.
        at: (c,) log10 fractions of the candidates.
        target_at: (t,) those of the targets.
        before: (t,) moments at the targets as they are.
        trees: How many trees there are.
    """

    candidates: Any
    targets: Any
    share: Array
    means: Array
    decades: Array
    at: Array
    target_at: Array
    before: Moments
    trees: int

    @classmethod
    def between(
        cls, candidates: Ints, targets: Ints, stock: Stock, at: Array, target_at: Array
    ) -> "SharedLeaves":
        """From the leaves of candidates (c, trees) and of targets (t, trees)."""
        from scipy.sparse import csr_array

        hit = np.zeros(len(stock.weights), bool)
        hit[targets] = True
        number, kept = np.cumsum(hit) - 1, hit[candidates]
        starts = np.append(0, np.cumsum(kept.sum(1)))
        indices = number[candidates[kept]].astype(np.int32)
        shape = len(candidates), int(hit.sum())
        p, q = stock.means[targets], stock.decades[targets]
        return cls(
            csr_array((np.ones(len(indices)), indices, starts.astype(np.int32)), shape=shape),
            _membership(number[targets], shape[1]),
            1 / (stock.weights[hit] + 1),
            stock.means[hit],
            stock.decades[hit],
            at,
            target_at,
            Moments(*(each.mean(1) for each in (p, q, p * p, p * q, q * q))),
            targets.shape[1],
        )

    def __getitem__(self, candidates: Any) -> "SharedLeaves":
        """The same for some of the candidates."""
        return replace(self, candidates=self.candidates[candidates], at=self.at[candidates])

    def after(self, y: Array) -> Moments:
        """The moments at each target once `y` (c,) was observed, (c, t)."""
        told, (p, q, pp, pq, qq) = y[:, None], self.before
        at_zero, per_unit, per_square = self._moved
        return Moments(
            p + at_zero.p + told * per_unit.p,
            q + at_zero.q,
            pp + at_zero.pp + told * (per_unit.pp + told * per_square),
            pq + at_zero.pq + told * per_unit.pq,
            qq + at_zero.qq,
        )

    def gain(self) -> Array:
        """How far the mean target of each target's leaves moves for each unit of `y`, (c, t)."""
        return self._followed

    def decades_after(self) -> Array:
        """The mean log10 fraction of each target's leaves after each candidate, (c, t)."""
        return np.asarray(self.before.q + self._shifted, float)

    @cached_property
    def _followed(self) -> Array:
        return self._averaged(self.share[self.candidates.indices])

    @cached_property
    def _shifted(self) -> Array:
        leaf = self.candidates.indices
        return self._averaged(self.share[leaf] * (self._repeated(self.at) - self.decades[leaf]))

    @cached_property
    def _moved(self) -> tuple[Moments, Moments, Array]:
        """How the moments move: all are polynomials of what is observed, by its powers."""
        leaf = self.candidates.indices
        share, p, q = self.share[leaf], self.means[leaf], self.decades[leaf]
        kept, moved_q = 1 - share, q + share * (self._repeated(self.at) - q)
        at_zero = Moments(
            p=self._averaged(-share * p),
            q=self._shifted,
            pp=self._averaged((kept**2 - 1) * p**2),
            pq=self._averaged(kept * p * moved_q - p * q),
            qq=self._averaged(moved_q**2 - q**2),
        )
        per_unit = Moments(
            p=self._followed,
            q=np.zeros(()),
            pp=self._averaged(2 * share * kept * p),
            pq=self._averaged(share * moved_q),
            qq=np.zeros(()),
        )
        return at_zero, per_unit, self._averaged(share**2)

    def _repeated(self, values: Array) -> Array:
        """A value of each candidate for each of its leaves."""
        return np.repeat(values, np.diff(self.candidates.indptr))

    def _averaged(self, values: Array) -> Array:
        """The mean over trees of a value of each candidate's leaves, 0 where not shared."""
        given = self.candidates.copy()
        given.data = values / self.trees
        product = given @ self.targets
        return np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), float)


def _membership(leaf: Ints, leaves: int) -> Any:
    """(leaves, n) from the leaves (n, trees) of n rows: one where a row falls into a leaf."""
    from scipy.sparse import csr_array

    count, trees = leaf.shape
    row = np.repeat(np.arange(count), trees)
    if leaves * count > 20 * ELEMENTS:  # a dense matrix is quicker, but larger
        return csr_array((np.ones(leaf.size), (leaf.ravel(), row)), shape=(leaves, count))
    dense = np.zeros((leaves, count))
    dense[leaf.ravel(), row] = 1.0
    return dense
