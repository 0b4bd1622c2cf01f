"""Rows that stay on disk: written once, in blocks, and mapped by every process that needs some.

A matrix of them knows its shape and gives some of its rows, dense or sparse, which is all that
training asks for. It is handed to other processes as the path of its folder.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tunewise.paramserver.partition import Keys
from tunewise.surrogate import Array

_STEP = 1 << 22
"""Entries that are gone through at once."""


class MappedMatrix:
    """A matrix on disk, of which some rows can be had."""

    def __init__(self, folder: Path, chosen: Keys | None = None) -> None:
        """Open what `write` has written; `chosen` are the rows that count, None for all."""
        self._folder, self._chosen = folder, chosen
        told = json.loads((folder / "shape.json").read_text(encoding="utf-8"))
        self._sparse, every, columns = told["sparse"], told["rows"], told["columns"]
        self.shape = (every if chosen is None else len(chosen), columns)
        if self._sparse:
            self._ends = np.load(folder / "ends.npy", mmap_mode="r")
            self._places = _mapped(folder / "places.bin", np.int32)
            self._values = _mapped(folder / "values.bin", np.float64)
        else:
            self._values = _mapped(folder / "values.bin", np.float64).reshape(every, columns)

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return int(self._values.size)

    def __getitem__(self, rows: Keys) -> Any:
        """Some rows, read from disk: sparse where the matrix is."""
        at = rows if self._chosen is None else self._chosen[rows]
        if not self._sparse:
            return np.asarray(self._values[at])
        first, count = self._ends[at], self._ends[at + 1] - self._ends[at]
        ends = np.append(0, np.cumsum(count))
        take = np.arange(ends[-1]) + np.repeat(first - ends[:-1], count)
        parts = self._values[take], self._places[take], ends
        return sparse.csr_matrix(parts, (len(at), self.shape[1]))

    def getnnz(self, axis: int) -> Array:
        """How many rows have each column, over all that are kept."""
        assert axis == 0, "columns are asked for"
        counts = np.zeros(self.shape[1])
        for start in range(0, len(self._places), _STEP):
            part = self._places[start : start + _STEP]
            counts += np.bincount(part, minlength=self.shape[1])
        return counts * self.shape[0] / max(len(self._ends) - 1, 1)

    def take(self, rows: Keys) -> "MappedMatrix":
        """A matrix of some rows, which stay where they are."""
        return MappedMatrix(self._folder, rows if self._chosen is None else self._chosen[rows])

    def __reduce__(self) -> tuple[Any, ...]:
        """Only where it is, and which rows."""
        return MappedMatrix, (self._folder, self._chosen)


def _mapped(path: Path, kind: type) -> Any:
    return np.memmap(path, kind, "r") if path.stat().st_size else np.empty(0, kind)


def write_dense(folder: Path, blocks: Iterable[Array]) -> None:
    """Write rows, (n, d) each; what is there counts once all of them are."""
    rows = columns = 0
    with (folder / "values.bin").open("wb") as file:
        for block in blocks:
            np.ascontiguousarray(block, float).tofile(file)
            rows, columns = rows + len(block), block.shape[1]
    _say(folder, False, rows, columns)


def write_sparse(
    folder: Path, blocks: Iterable[tuple[Array, Keys, Keys]], features: int | None
) -> None:
    """Write sparse rows: values, places and lengths of each block.

    Places count from 1, or from 0 where one of them is 0.
    """
    lengths: list[Keys] = []
    least, most = 1, 0
    with (folder / "values.bin").open("wb") as values, (folder / "places.bin").open("wb") as places:
        for told, at, count in blocks:
            told.tofile(values)
            at.astype(np.int32).tofile(places)
            lengths.append(count)
            if len(at):
                least, most = min(least, int(at.min())), max(most, int(at.max()))
    if least and most:
        every = np.memmap(folder / "places.bin", np.int32, "r+")
        for start in range(0, len(every), _STEP):
            every[start : start + _STEP] -= 1
        every.flush()
    ends = np.append(0, np.cumsum(np.concatenate(lengths or [np.zeros(0, np.int64)])))
    np.save(folder / "ends.npy", ends)
    _say(folder, True, len(ends) - 1, max(features or 0, most + 1 - least, 1))


def _say(folder: Path, is_sparse: bool, rows: int, columns: int) -> None:
    told = {"sparse": is_sparse, "rows": rows, "columns": columns}
    (folder / "shape.json").write_text(json.dumps(told), encoding="utf-8")
