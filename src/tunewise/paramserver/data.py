"""Training data as the workers see it: fixed batches of rows, with the parameters they touch.

`url_like` makes data with the shape of the malicious-URL set: binary features, a few popular and
very many rare ones, most rows with some tens of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tunewise.errors import ExecutionError
from tunewise.paramserver.disk.mapped import MappedMatrix
from tunewise.paramserver.partition import Keys, rows_of
from tunewise.surrogate import Array

Labels: TypeAlias = NDArray[Any]
"""Whole numbers of classes, or other numbers; as a file has them, names too."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of the training data.

    Attributes:
        x: (b, k) the rows: dense, or sparse over the touched features only.
        y: (b,) labels.
        keys: Which features are touched, sorted; None for all of them.
        weight: (k,) how much of the regularisation this batch carries for each touched feature,
            so that rare features are regularised as much as popular ones in the long run.
    """

    x: Any
    y: Labels
    keys: Keys | None
    weight: Array | float

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.y)

    @cached_property
    def entries(self) -> int:
        """How many numbers are not zero: the work of one pass."""
        return int(self.x.nnz if sparse.issparse(self.x) else self.x.size)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows and labels: a dense (n, d) array, a sparse matrix in rows, or one that stays on disk."""

    x: Any
    y: Labels

    def __post_init__(self) -> None:
        """Refuse rows without labels."""
        if self.x.shape[0] != len(self.y) or not len(self.y):
            raise ExecutionError(
                f"{self.x.shape[0]} rows with {len(self.y)} labels: expected one label a row"
            )

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.y)

    @property
    def features(self) -> int:
        """How many columns."""
        return int(self.x.shape[1])

    @property
    def bytes(self) -> int:
        """What moving all of it means."""
        entries = self.x.nnz * 12 if sparse.issparse(self.x) else self.x.size * 8
        return int(entries + 8 * self.rows)

    @cached_property
    def _share_of_rows(self) -> Array:
        """The share of the rows that have each feature."""
        return np.asarray(self.x.getnnz(axis=0) / self.rows, float)

    def batch(self, rows: Keys) -> Batch:
        """Some rows as a batch."""
        x, y = self.x[rows], self.y[rows]
        if not sparse.issparse(x):
            return Batch(x, y, None, 1.0)
        keys, columns = np.unique(x.indices, return_inverse=True)
        local = sparse.csr_matrix(
            (x.data, columns.astype(np.int32), x.indptr), shape=(len(rows), len(keys))
        )
        touched = 1 - (1 - self._share_of_rows[keys]) ** len(rows)
        return Batch(local, y, keys.astype(np.int64), 1 / np.maximum(touched, 1e-12))

    def part(self, rows: Keys) -> "Dataset":
        """Some rows as data of their own."""
        x = self.x.take(rows) if isinstance(self.x, MappedMatrix) else self.x[rows]
        return Dataset(x, self.y[rows])

    def blocks(self, size: int = 10_000) -> Iterator[Batch]:
        """All rows in their order, so many at once."""
        for start in range(0, self.rows, size):
            yield self.batch(np.arange(start, min(start + size, self.rows)))

    def batches(
        self, size: int, kind: str, workers: int, worker: int, seed: int
    ) -> Sequence[Batch]:
        """The batches that a worker goes through in each epoch: its rows, shuffled once.

        Those of rows on disk are read when they are asked for, each time.
        """
        rows = rows_of(kind, self.rows, workers, worker)
        rows = np.random.default_rng([seed, worker]).permutation(rows)
        cuts = range(0, len(rows) - size + 1, size) if len(rows) >= size else [0]
        parts = [np.sort(rows[cut : cut + size]) for cut in cuts]
        if isinstance(self.x, MappedMatrix):
            return _OnDisk(self, parts)
        return [self.batch(part) for part in parts]


class _OnDisk(Sequence[Batch]):
    """Batches that are read when they are asked for."""

    def __init__(self, data: Dataset, parts: list[Keys]) -> None:
        self._data, self._parts = data, parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, number: Any) -> Any:
        return self._data.batch(self._parts[number])


def dense(rows: int, features: int, seed: int = 0, noise: float = 0.5) -> Dataset:
    """Two overlapping classes in a dense space, labels -1 and 1."""
    rng = np.random.default_rng(seed)
    scales = 1 / np.sqrt(1 + np.arange(features))
    x = rng.standard_normal((rows, features)) * scales
    truth = rng.standard_normal(features) / scales / np.sqrt(features)
    margin = 3 * (x @ truth) + noise * rng.logistic(size=rows)
    return Dataset(x, np.where(margin > 0, 1.0, -1.0))


def pictures(
    rows: int, side: int, colours: int = 1, classes: int = 10, seed: int = 0, noise: float = 0.5
) -> Dataset:
    """Square pictures in noise, each class with a smooth pattern of its own; labels from 0 on."""
    rng = np.random.default_rng(seed)
    steps = np.arange(side) / side
    waves = rng.uniform(1, 4, (classes, colours, 2)), rng.uniform(0, 2 * np.pi, (classes, colours))
    down, along = (waves[0][..., axis, None] * steps for axis in (0, 1))
    turned = 2 * np.pi * (down[..., :, None] + along[..., None, :]) + waves[1][..., None, None]
    y = rng.integers(classes, size=rows)
    x = np.sin(turned)[y] + noise * rng.standard_normal((rows, colours, side, side))
    return Dataset(x.reshape(rows, -1), y)


def url_like(
    rows: int, features: int, per_row: int = 60, seed: int = 0, noise: float = 0.5
) -> Dataset:
    """Sparse binary rows whose features are as skewed as those of addresses on the web."""
    rng = np.random.default_rng(seed)
    count = rng.poisson(per_row - 1, rows) + 1
    owner = np.repeat(np.arange(rows), count)
    # Log-uniform over the keys: popularity falls as one over the rank.
    keys = np.exp(rng.uniform(0, np.log(features + 1), len(owner))).astype(np.int64) - 1
    x = sparse.csr_matrix(
        (np.ones(len(owner)), (owner, np.minimum(keys, features - 1))), shape=(rows, features)
    )
    x.data[:] = 1.0
    norms = np.sqrt(np.asarray(x.sum(axis=1)).ravel())
    x = sparse.diags(1 / np.maximum(norms, 1)) @ x
    truth = rng.standard_normal(features)
    margin = 4 * (x @ truth) + noise * rng.logistic(size=rows)
    return Dataset(sparse.csr_matrix(x), np.where(margin > 0, 1.0, -1.0))
