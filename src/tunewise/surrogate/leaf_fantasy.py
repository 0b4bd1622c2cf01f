"""What observing a candidate does to the leaves it shares with each target.

With the structure of the trees kept, an observation only moves the means of the leaves it falls
into, and these are the predictions at every target in the same leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.forest import Ints
from tunewise.surrogate.normal import Array, Normal

_DENSE = 20_000_000
"""Entries up to which leaves by targets are a dense matrix: quicker, but larger."""


@dataclass(frozen=True, eq=False)
class SharedLeaves:
    """The leaves that c candidates share with t targets, k of them in all trees.

    Attributes:
        candidates: (c, k) sparse: which leaves each candidate falls into.
        targets: (k, t): one where a target falls into a leaf.
        share: (k,) how far one more observation moves a leaf's mean towards itself.
        means: (k,) the mean of each leaf.
        trees: How many trees there are.
    """

    candidates: Any
    targets: Any
    share: Array
    means: Array
    trees: int

    @classmethod
    def between(
        cls, candidates: Ints, targets: Ints, weights: Array, means: Array
    ) -> "SharedLeaves":
        """From the leaves of candidates (c, trees) and of targets (t, trees).

        `weights` and `means` are those of all leaves.
        """
        from scipy.sparse import csr_array

        hit = np.zeros(len(weights), bool)
        hit[targets] = True
        number, kept = np.cumsum(hit) - 1, hit[candidates]
        starts = np.append(0, np.cumsum(kept.sum(1)))
        indices = number[candidates[kept]].astype(np.int32)
        shape = len(candidates), int(hit.sum())
        return cls(
            csr_array((np.ones(len(indices)), indices, starts.astype(np.int32)), shape=shape),
            _membership(number[targets], shape[1]),
            1 / (weights[hit] + 1),
            means[hit],
            targets.shape[1],
        )

    def __getitem__(self, candidates: Any) -> "SharedLeaves":
        """The same for some of the candidates."""
        return replace(self, candidates=self.candidates[candidates])

    def gain(self) -> Array:
        """How far each target's mean moves for each unit of an observation, (c, t)."""
        return self._averaged(self.share[self.candidates.indices])

    def moved_mean(self, y: Array) -> Array:
        """How far each target's mean moves once `y` (c,) was observed: (c, t)."""
        return self._averaged(self._moved(y))

    def moved_square(self, y: Array) -> Array:
        """How far the trees' mean square at each target moves once `y` was observed: (c, t)."""
        moved = self._moved(y)
        return self._averaged(moved * (2 * self.means[self.candidates.indices] + moved))

    def _moved(self, y: Array) -> Array:
        """How far each candidate's observation moves the mean of each of its leaves."""
        leaf, told = self.candidates.indices, np.repeat(y, np.diff(self.candidates.indptr))
        return np.asarray(self.share[leaf] * (told - self.means[leaf]), float)

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
    if leaves * count > _DENSE:
        return csr_array((np.ones(leaf.size), (leaf.ravel(), row)), shape=(leaves, count))
    dense = np.zeros((leaves, count))
    dense[leaf.ravel(), row] = 1.0
    return dense


@dataclass(frozen=True, eq=False)
class LeafFantasy(Fantasy):
    """As `Fantasy`, for leaf means: exact, so the spread after depends on what is observed.

    Joint samples are moved by the trees' average gain.

    Attributes:
        shared: The leaves that would move, in standard units.
        shift: What is added, and
        scale: multiplied, to get from standard units to those of the metric.
        least_var: Variance that stays where all trees agree.
    """

    shared: SharedLeaves
    shift: float
    scale: float
    least_var: float

    def __getitem__(self, candidates: ArrayLike | slice) -> "LeafFantasy":
        """The same for some of the candidates (an index, a mask or a slice)."""
        chosen = candidates if isinstance(candidates, slice) else np.atleast_1d(candidates)
        plain = super().__getitem__(candidates)
        inherited = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return replace(self, **inherited, shared=self.shared[chosen])

    def mean_after(self, y: ArrayLike) -> Array:
        """Means at the targets once `y` (c,) or (..., c) was observed: (..., c, t)."""
        return self._for_each(y, lambda told: (self._mean_after(told),))[0]

    def after(self, y: ArrayLike) -> Normal:
        """Belief at the targets once `y` was observed."""
        return Normal(*self._for_each(y, self._belief_after))

    def std_after(self) -> Array:
        """Standard deviations at the targets once each candidate came out as expected, (c, t)."""
        return np.asarray(self.after(self.mean).std, float)

    def _for_each(self, y: ArrayLike, effect: Callable[[Array], tuple[Array, ...]]) -> list[Array]:
        """Apply an effect of observations (c,) to the last axis of `y`."""
        told = np.asarray(y, float)
        before = told.shape[:-1]
        parts = zip(*map(effect, told.reshape(prod(before), len(self.mean))), strict=True)
        return [np.reshape(part, (*before, *self.gain.shape)) for part in parts]

    def _mean_after(self, y: Array) -> Array:
        moved = self.shared.moved_mean((y - self.shift) / self.scale)
        moved *= self.scale
        moved += self.target_mean
        return moved

    def _belief_after(self, y: Array) -> tuple[Array, Array]:
        mean = self._mean_after(y)
        centred = self.target_mean - self.shift
        variance = self.shared.moved_square((y - self.shift) / self.scale)
        variance *= self.scale**2
        variance += self.target_var - self.least_var + centred**2
        variance -= (mean - self.shift) ** 2
        return mean, np.sqrt(np.maximum(variance, 0.0) + self.least_var)
