"""Training data from people's own files: LIBSVM, CSV, NPZ and Parquet; sparse rows stay sparse.

Columns of a table are found by their names. Labels are as the file writes them: whole numbers,
numbers, or names. Files are read in blocks of rows. What a large one holds is written to a folder
beside it as it is read, and stays on disk from then on.
"""

import csv
import json
import logging
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tunewise.errors import ExecutionError, nearest, optional
from tunewise.paramserver.data import Dataset, Labels
from tunewise.paramserver.disk.mapped import MappedMatrix, write_dense, write_sparse
from tunewise.paramserver.partition import Keys
from tunewise.surrogate import Array

TABLES = (".csv", ".parquet")
KINDS = (".svm", ".libsvm", ".npz", *TABLES)

LARGE = 500_000_000
"""Bytes of a file whose rows stay on disk: in memory they are some three times as large."""

_BLOCK = 50_000
"""Rows that are read at once."""


@dataclass(frozen=True)
class Columns:
    """What is read of a file.

    Attributes:
        features: Names of columns of a table, in the order of a row; None of other files.
        label: The column of a table, or the array of an NPZ file, that holds the labels; None where
            labels are not wanted.
    """

    features: tuple[str, ...] | None
    label: str | None

    @classmethod
    def of(cls, path: Path, label: str | None = None) -> "Columns":
        """All columns of a file: the labels in the one that is named, else in the last one."""
        kind = path.suffix.lower()
        if kind not in TABLES:
            if label is not None and kind != ".npz":
                raise ExecutionError(f"{path.name} has no columns, of which {label!r} could be one")
            return cls(None, label or "y")
        head = _head(path)
        label = head[-1] if label is None else label
        if label not in head:
            raise ExecutionError(f"{path.name} has no column {label!r}{nearest(label, head)}")
        return cls(tuple(name for name in head if name != label), label)


def read_rows(
    path: Path, columns: Columns | str | None = None, features: int | None = None
) -> Dataset:
    """The rows of a file with their labels: numbers, or names as texts.

    Args:
        path: Of the file; what it ends with says its kind.
        columns: What is read, or the name of the labels alone.
        features: Of a sparse row, where the file does not have the last of them.

    Raises:
        ExecutionError: It cannot be read.
    """
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ExecutionError(f"{path.name} is of no known kind; expected {', '.join(KINDS)}")
    try:
        if not isinstance(columns, Columns):
            columns = Columns.of(path, columns)
        if kind == ".npz":
            return _npz(path, columns.label)
        if path.stat().st_size > LARGE:
            return _on_disk(path, columns, features)
        if kind in (".svm", ".libsvm"):
            return _libsvm(path, features)
        parts = list(_table_blocks(path, columns))
        if not parts:
            raise ExecutionError(f"{path.name} has no rows; expected numbers below one head line")
        rows, labels = zip(*parts, strict=True)
        return Dataset(np.concatenate(rows), _joined(path, labels))
    except OSError as error:
        raise ExecutionError(f"{path} cannot be read: {error.strerror or error}") from error


def rows_to_ask(path: Path, features: int, names: Sequence[str]) -> Dataset:
    """Rows whose labels are not known, or of no concern: with the names, where a table has them.

    Raises:
        ExecutionError: They have other features than are asked for.
    """
    columns = Columns(None, None)
    if path.suffix.lower() in TABLES:
        head = _head(path)
        # Without names the first columns are taken: one more may hold labels.
        unnamed = head[:features] if len(head) == features + 1 else head
        columns = Columns(tuple(names or unnamed), None)
    asked = read_rows(path, columns, features)
    if asked.features != features:
        raise ExecutionError(
            f"the rows of {path.name} have {asked.features} features, and the model was trained on"
            f" {features}: expected as many"
        )
    return asked


def _on_disk(path: Path, columns: Columns, features: int | None) -> Dataset:
    """Rows in a folder beside the file, written unless they are there since it last changed."""
    folder, read = path.with_name(path.name + ".rows"), path.stat()
    told = json.dumps([read.st_size, read.st_mtime_ns, asdict(columns), features])
    said = folder / "of.json"
    if not said.exists() or said.read_text(encoding="utf-8") != told:
        folder.mkdir(exist_ok=True)
        said.unlink(missing_ok=True)
        logging.getLogger("tunewise").warning(
            "%s is large: its rows are written to %s, and stay there", path.name, folder
        )
        labels: list[Labels] = []
        if path.suffix.lower() in (".svm", ".libsvm"):
            write_sparse(folder, _noted(_libsvm_blocks(path), labels), features)
        else:
            write_dense(folder, (x for (x,) in _noted(_table_blocks(path, columns), labels)))
        np.save(folder / "labels.npy", _joined(path, labels))
        said.write_text(told, encoding="utf-8")
    return Dataset(MappedMatrix(folder), np.load(folder / "labels.npy"))


def _noted(blocks: Iterable[tuple[Any, ...]], labels: list[Labels]) -> Iterator[Any]:
    """Blocks without their labels, the last of each, which are noted."""
    for *told, y in blocks:
        labels.append(y)
        yield tuple(told)


def _libsvm(path: Path, features: int | None) -> Dataset:
    *blocks, labels = zip(*_libsvm_blocks(path), strict=True)
    values, columns, count = map(np.concatenate, blocks)
    y = _joined(path, labels)
    columns = columns - (0 if len(columns) and columns.min() == 0 else 1)
    width = max(features or 0, int(columns.max()) + 1 if len(columns) else 1)
    ends = np.append(0, np.cumsum(count))
    x = sparse.csr_matrix((values, columns.astype(np.int32), ends), (len(y), width))
    x.sort_indices()
    return Dataset(x, y)


def _libsvm_blocks(path: Path) -> Iterator[tuple[Array, Keys, Keys, Labels]]:
    """Lines of a label and `place:value` pairs: values, places, lengths and labels of some rows.

    A line of pairs alone, as those have that a model is asked about, has the label 0.
    """
    with path.open(encoding="utf-8") as file:
        numbered = enumerate(file, start=1)
        while True:
            values, places, ends = array("d"), array("q"), array("q", [0])
            labels: list[str] = []
            for number, line in islice(numbered, _BLOCK):
                words = line.partition("#")[0].split()
                if not words:
                    continue
                try:
                    labels.append("0" if ":" in words[0] else words.pop(0))
                    for word in words:
                        place, _, value = word.partition(":")
                        places.append(int(place))
                        values.append(float(value))
                except ValueError:
                    raise ExecutionError(
                        f"{path.name}, line {number}: expected a label and pairs such as 3:0.5"
                    ) from None
                ends.append(len(places))
            y = _numbers(np.array(labels)) if labels else np.zeros(0, np.int64)
            yield np.array(values), np.array(places, np.int64), np.diff(ends), y
            if not labels:
                return


def _npz(path: Path, label: str | None) -> Dataset:
    """Arrays `x` and `y`, or a sparse matrix as scipy writes it with `y` beside."""
    with np.load(path, allow_pickle=False) as kept:
        if label is not None and label not in kept:
            others = [name for name in kept.files if name != "x"]
            raise ExecutionError(
                f"{path.name} has no array {label!r}{nearest(label, others)}; expected the labels"
                " of its rows"
            )
        if "indptr" in kept:
            parts = kept["data"], kept["indices"], kept["indptr"]
            x: Any = sparse.csr_matrix(parts, tuple(kept["shape"]))
        elif "x" in kept:
            x = np.asarray(kept["x"], float)
        else:
            raise ExecutionError(f"{path.name} has no array 'x'; expected its rows")
        return Dataset(x, np.zeros(x.shape[0]) if label is None else _numbers(kept[label]))


def _numbers(told: Any) -> Labels:
    """Labels as a file writes them: whole numbers, other numbers, else texts."""
    labels: Labels = np.asarray(told)
    if labels.dtype.kind in "biu":
        return labels.astype(np.int64)
    if labels.dtype.kind == "f":
        return labels.astype(float)
    texts = np.char.strip(labels.astype(str))
    for kind in (np.int64, np.float64):
        with suppress(ValueError):
            return texts.astype(kind)
    return texts


def _joined(path: Path, labels: Sequence[Labels]) -> Labels:
    """The labels of all blocks; refused where some are numbers and some are names."""
    every: Labels = np.concatenate([each for each in labels if len(each)] or list(labels))
    if every.dtype.kind == "U":
        met = np.unique(every).tolist()
        if "" in met:
            raise ExecutionError(f"{path.name} has rows without a label")
        number, name = (next((e for e in met if _is_number(e) == n), None) for n in (True, False))
        if number is not None:
            raise ExecutionError(
                f"{path.name} has labels that are numbers, such as {number}, and names, such as"
                f" {name!r}: expected the one or the other"
            )
    return every


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _head(path: Path) -> list[str]:
    """The names of a table's columns."""
    try:
        if path.suffix.lower() == ".parquet":
            head = list(_opened(path).schema_arrow.names)
        else:
            with path.open(encoding="utf-8-sig", newline="") as file:
                head = [name.strip() for name in next(csv.reader(file), [])]
    except OSError as error:
        raise ExecutionError(f"{path} cannot be read: {error.strerror or error}") from error
    if not head:
        raise ExecutionError(f"{path.name} is empty; expected numbers below one head line")
    # Columns that nobody named are 0, 1, 2, … in a file that pandas writes.
    if all(map(_is_number, head)) and head != [str(place) for place in range(len(head))]:
        raise ExecutionError(
            f"{path.name} begins with numbers; expected a head line with the names of its columns"
        )
    name, times = Counter(head).most_common(1)[0]
    if times > 1:
        raise ExecutionError(f"{path.name} has {times} columns {name!r}; expected a name for each")
    return head


def _table_blocks(path: Path, columns: Columns) -> Iterator[tuple[Array, Labels]]:
    """Some rows of a table at once, and their labels: 0 where none are wanted."""
    assert columns.features is not None, "a table has names"
    head = _head(path)
    for name in (*columns.features, *([] if columns.label is None else [columns.label])):
        if name not in head:
            raise ExecutionError(f"{path.name} has no column {name!r}{nearest(name, head)}")
    blocks = _csv if path.suffix.lower() == ".csv" else _parquet
    for x, told in blocks(path, head, columns):
        yield x, np.zeros(len(x)) if told is None else _numbers(told)


def _csv(path: Path, head: list[str], columns: Columns) -> Iterator[tuple[Array, Any]]:
    assert columns.features is not None, "a table has names"
    places, label = [head.index(name) for name in columns.features], columns.label
    with path.open(encoding="utf-8-sig") as file:
        next(file, None)
        first = 2
        while lines := list(islice(file, _BLOCK)):
            try:
                if any(row and len(row) != len(head) for row in csv.reader(lines)):
                    raise ValueError("a line of another length")
                x = _loaded(lines, places, float)
                told = None if label is None else _loaded(lines, [head.index(label)], str).ravel()
            except ValueError:
                raise _mistaken(path, lines, first, head, columns) from None
            if x.size:
                yield x, told
            first += len(lines)


def _loaded(lines: list[str], places: list[int], kind: type) -> Array:
    """Columns of some lines; empty lines are passed over."""
    return np.loadtxt(
        lines, kind, delimiter=",", ndmin=2, usecols=places, comments=None, quotechar='"'
    )


def _mistaken(
    path: Path, lines: list[str], first: int, head: list[str], columns: Columns
) -> ExecutionError:
    """What is wrong with the first line that cannot be read."""
    for number, row in enumerate(csv.reader(lines), first):
        if row and len(row) != len(head):
            said = f"{len(row)} values; expected {len(head)}, as in the head line"
            return ExecutionError(f"{path.name}, line {number}: {said}")
        for name, cell in zip(head, row, strict=False):
            if name in (columns.features or ()) and not _is_number(cell):
                said = f"column {name!r}: {cell!r}; expected numbers below one head line"
                return ExecutionError(f"{path.name}, line {number}, {said}")
    return ExecutionError(f"{path.name} cannot be read; expected numbers below one head line")


def _opened(path: Path) -> Any:
    return optional("pyarrow.parquet", "parquet").ParquetFile(path)


def _parquet(path: Path, head: list[str], columns: Columns) -> Iterator[tuple[Array, Any]]:
    assert columns.features is not None, "a table has names"
    for some in _opened(path).iter_batches(_BLOCK):
        x = np.column_stack([np.asarray(some.column(name), float) for name in columns.features])
        yield x, None if columns.label is None else some.column(columns.label).to_pylist()
