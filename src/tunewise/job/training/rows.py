"""Training data from people's own files: LIBSVM, CSV, NPZ and Parquet; sparse rows stay sparse."""

import csv
from array import array
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tunewise.errors import ExecutionError, nearest, optional
from tunewise.paramserver.data import Dataset
from tunewise.surrogate import Array

KINDS = (".svm", ".libsvm", ".csv", ".npz", ".parquet")


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
        if kind in (".svm", ".libsvm"):
            return _libsvm(path, features)
        if kind == ".npz":
            return _npz(path)
        return _table(*(_csv(path) if kind == ".csv" else _parquet(path)), label, path)
    except OSError as error:
        raise ExecutionError(f"{path} cannot be read: {error.strerror or error}") from error


def _libsvm(path: Path, features: int | None) -> Dataset:
    """Lines of a label and `place:value` pairs; places count from 1, or from 0 where one is 0."""
    labels, values, places, ends = array("d"), array("d"), array("q"), array("q", [0])
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
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
    columns = np.frombuffer(places, np.int64) if places else np.empty(0, np.int64)
    columns = columns - (0 if len(columns) and columns.min() == 0 else 1)
    width = max(features or 0, int(columns.max()) + 1 if len(columns) else 1)
    x = sparse.csr_matrix(
        (np.array(values), columns.astype(np.int32), np.array(ends)), (len(labels), width)
    )
    x.sort_indices()
    return Dataset(x, np.array(labels))


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


def _csv(path: Path) -> tuple[list[str], Array]:
    with path.open(encoding="utf-8", newline="") as file:
        head = next(csv.reader(file), [])
    try:
        rows = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    except ValueError as error:
        raise ExecutionError(
            f"{path.name}: {error}; expected numbers below one head line"
        ) from None
    return head, rows


def _parquet(path: Path) -> tuple[list[str], Array]:
    table: Any = optional("pyarrow.parquet", "parquet").read_table(path)
    return table.column_names, np.column_stack([np.asarray(c, float) for c in table.columns])


def _table(head: list[str], rows: Array, label: str | None, path: Path) -> Dataset:
    if label is not None and label not in head:
        raise ExecutionError(f"{path.name} has no column {label!r}{nearest(label, head)}")
    place = len(head) - 1 if label is None else head.index(label)
    return Dataset(np.delete(rows, place, axis=1), rows[:, place])
