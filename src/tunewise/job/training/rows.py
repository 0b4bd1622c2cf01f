"""Training data from people's own files: LIBSVM, CSV, NPZ and Parquet; sparse rows stay sparse.

Files are read in blocks of rows. What a large one holds is written to a folder beside it as it is
read, and stays on disk from then on.
"""

import csv
import json
import logging
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tunewise.errors import ExecutionError, nearest, optional
from tunewise.paramserver.data import Dataset
from tunewise.paramserver.disk.mapped import MappedMatrix, write_dense, write_sparse
from tunewise.paramserver.partition import Keys
from tunewise.surrogate import Array

KINDS = (".svm", ".libsvm", ".csv", ".npz", ".parquet")

LARGE = 500_000_000
"""Bytes of a file whose rows stay on disk: in memory they are some three times as large."""

_BLOCK = 50_000
"""Rows that are read at once."""


def read_rows(path: Path, label: str | None = None, features: int | None = None) -> Dataset:
    """The rows of a file with their labels.

    Args:
        path: Of the file; what it ends with says its kind.
        label: The column of the labels of a CSV or Parquet file; else the last one.
        features: Of a sparse row, where the file does not have the last of them.

    Raises:
        ExecutionError: It cannot be read.
    """
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ExecutionError(f"{path.name} is of no known kind; expected {', '.join(KINDS)}")
    try:
        if kind == ".npz":
            return _npz(path)
        if path.stat().st_size > LARGE:
            return _on_disk(path, label, features)
        if kind in (".svm", ".libsvm"):
            return _libsvm(path, features)
        parts = list(_table_blocks(path, label))
        if not parts:
            raise ExecutionError(f"{path.name} has no rows; expected numbers below one head line")
        return Dataset(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    except OSError as error:
        raise ExecutionError(f"{path} cannot be read: {error.strerror or error}") from error


def _on_disk(path: Path, label: str | None, features: int | None) -> Dataset:
    """Rows in a folder beside the file, written unless they are there since it last changed."""
    folder, read = path.with_name(path.name + ".rows"), path.stat()
    told = json.dumps([read.st_size, read.st_mtime_ns, label, features])
    said = folder / "of.json"
    if not said.exists() or said.read_text(encoding="utf-8") != told:
        folder.mkdir(exist_ok=True)
        said.unlink(missing_ok=True)
        logging.getLogger("tunewise").warning(
            "%s is large: its rows are written to %s, and stay there", path.name, folder
        )
        labels: list[Array] = []
        if path.suffix.lower() in (".svm", ".libsvm"):
            write_sparse(folder, _noted(_libsvm_blocks(path), labels), features)
        else:
            write_dense(folder, (x for (x,) in _noted(_table_blocks(path, label), labels)))
        np.save(folder / "labels.npy", np.concatenate(labels))
        said.write_text(told, encoding="utf-8")
    return Dataset(MappedMatrix(folder), np.load(folder / "labels.npy"))


def _noted(blocks: Iterable[tuple[Any, ...]], labels: list[Array]) -> Iterator[Any]:
    """Blocks without their labels, the last of each, which are noted."""
    for *told, y in blocks:
        labels.append(y)
        yield tuple(told)


def _libsvm(path: Path, features: int | None) -> Dataset:
    blocks = zip(*_libsvm_blocks(path), strict=True)
    values, columns, count, y = (np.concatenate(each) for each in blocks)
    columns = columns - (0 if len(columns) and columns.min() == 0 else 1)
    width = max(features or 0, int(columns.max()) + 1 if len(columns) else 1)
    ends = np.append(0, np.cumsum(count))
    x = sparse.csr_matrix((values, columns.astype(np.int32), ends), (len(y), width))
    x.sort_indices()
    return Dataset(x, y)


def _libsvm_blocks(path: Path) -> Iterator[tuple[Array, Keys, Keys, Array]]:
    """Lines of a label and `place:value` pairs: values, places, lengths and labels of some rows."""
    with path.open(encoding="utf-8") as file:
        numbered = enumerate(file, start=1)
        while True:
            labels, values, places, ends = array("d"), array("d"), array("q"), array("q", [0])
            for number, line in islice(numbered, _BLOCK):
                words = line.partition("#")[0].split()
                if not words:
                    continue
                try:
                    labels.append(float(words[0]))
                    for word in words[1:]:
                        place, _, value = word.partition(":")
                        places.append(int(place))
                        values.append(float(value))
                except ValueError:
                    raise ExecutionError(
                        f"{path.name}, line {number}: expected a label and pairs such as 3:0.5"
                    ) from None
                ends.append(len(places))
            yield np.array(values), np.array(places, np.int64), np.diff(ends), np.array(labels)
            if not labels:
                return


def _npz(path: Path) -> Dataset:
    """Arrays `x` and `y`, or a sparse matrix as scipy writes it with `y` beside."""
    with np.load(path, allow_pickle=False) as kept:
        if "y" not in kept:
            raise ExecutionError(f"{path.name} has no array 'y'; expected the labels of its rows")
        if "indptr" in kept:
            parts = kept["data"], kept["indices"], kept["indptr"]
            return Dataset(sparse.csr_matrix(parts, tuple(kept["shape"])), kept["y"].astype(float))
        if "x" not in kept:
            raise ExecutionError(f"{path.name} has no array 'x'; expected its rows")
        return Dataset(np.asarray(kept["x"], float), kept["y"].astype(float))


def _table_blocks(path: Path, label: str | None) -> Iterator[tuple[Array, Array]]:
    """Some rows of a table at once, and their labels."""
    head, blocks = _csv(path) if path.suffix.lower() == ".csv" else _parquet(path)
    if label is not None and label not in head:
        raise ExecutionError(f"{path.name} has no column {label!r}{nearest(label, head)}")
    place = len(head) - 1 if label is None else head.index(label)
    for rows in blocks:
        yield np.delete(rows, place, axis=1), rows[:, place]


def _csv(path: Path) -> tuple[list[str], Iterator[Array]]:
    with path.open(encoding="utf-8", newline="") as file:
        head = next(csv.reader(file), [])

    def blocks() -> Iterator[Array]:
        with path.open(encoding="utf-8") as file:
            next(file, None)
            while lines := list(islice(file, _BLOCK)):
                try:
                    rows = np.loadtxt(lines, delimiter=",", ndmin=2)
                except ValueError as error:
                    raise ExecutionError(
                        f"{path.name}: {error}; expected numbers below one head line"
                    ) from None
                if rows.size:
                    yield rows

    return head, blocks()


def _parquet(path: Path) -> tuple[list[str], Iterator[Array]]:
    table: Any = optional("pyarrow.parquet", "parquet").ParquetFile(path)

    def blocks() -> Iterator[Array]:
        for some in table.iter_batches(_BLOCK):
            yield np.column_stack([np.asarray(c, float) for c in some.columns])

    return list(table.schema_arrow.names), blocks()
