"""What a parameter server of a job file trains: its data, its model, and what that predicts."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError, optional
from tunewise.job.python_job import PythonJob
from tunewise.job.training.fields import DataFields, ParameterServerFields
from tunewise.job.training.rows import TABLES, Columns, read_rows
from tunewise.paramserver import Dataset, Logistic, Svm
from tunewise.paramserver.data import Batch, Labels, dense, pictures, url_like
from tunewise.paramserver.worker import Trainable
from tunewise.study.folders import within
from tunewise.surrogate import Array

_NETWORKS = ("mlp", "cnn", "thesis_cnn")


def is_network(said: ParameterServerFields) -> bool:
    """Whether PyTorch computes the model."""
    return said.network is not None or said.model in _NETWORKS


def data_of(said: ParameterServerFields, folder: Path, seed: int) -> tuple[Dataset, Dataset | None]:
    """The rows to train on, and those to validate by; labels are as the model takes them."""
    read, kinds = _rows(said.data, folder), kinds_of(said, folder)
    every, told = _labelled(said, read, kinds), said.validation
    if isinstance(told, str):
        path, columns = within(folder, told), Columns(kinds.columns, kinds.label)
        if not kinds.columns or path.suffix.lower() not in TABLES:
            columns = Columns.of(path, None if kinds.columns else said.data.label)
        read = read_rows(path, columns, every.features)
        return every, _labelled(said, read, kinds)
    if told is None:
        return every, None
    count = round(told * every.rows)
    if not 0 < count < every.rows:
        raise ExecutionError(
            f"validation is {told!r}, which leaves no rows of {every.rows}; expected such as 0.1"
        )
    order = np.random.default_rng([seed, 2]).permutation(every.rows)
    kept, held = np.sort(order[count:]), np.sort(order[:count])
    return every.part(kept), every.part(held)


def _rows(said: DataFields, folder: Path) -> Dataset:
    if said.file is not None:
        stated = said.features if "features" in said.model_fields_set else None
        return _read_once(path := within(folder, said.file), said.label, stated, _stamp(path))
    if said.kind == "dense":
        return dense(said.rows, said.features, said.seed)
    if said.kind == "pictures":
        return pictures(said.rows, said.side, said.colours, said.classes, said.seed)
    return url_like(said.rows, said.features, said.per_row, said.seed)


@lru_cache(maxsize=1)
def _read_once(path: Path, label: str | None, features: int | None, _: object) -> Dataset:
    """The rows of a file, which a training asks for several times."""
    return read_rows(path, label, features)


def _stamp(path: Path) -> object:
    """What changes with a file; of one that is not there, reading says so."""
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.exists() else None


@dataclass(frozen=True)
class Kinds:
    """What a model has to know of its data.

    Attributes:
        features: Of a row.
        labels: As the file has them, in order; empty where they are a module's own affair.
        columns: Names of the features; empty where the file has none.
        label: The column of the labels, where the file has such.
    """

    features: int
    labels: tuple[float | str, ...] = ()
    columns: tuple[str, ...] = ()
    label: str | None = None


def kinds_of(said: ParameterServerFields, folder: Path) -> Kinds:
    """What the rows of a file, or those that are made up, tell a model."""
    every = _rows(said.data, folder)
    numbers = every.y.dtype.kind != "U"
    own = said.network is not None and said.data.file is not None and numbers
    labels = () if own else tuple(np.unique(every.y).tolist())
    if said.data.file is None:
        return Kinds(every.features, labels)
    columns = Columns.of(within(folder, said.data.file), said.data.label)
    return Kinds(every.features, labels, columns.features or (), columns.label)


def _labelled(said: ParameterServerFields, data: Dataset, kinds: Kinds) -> Dataset:
    """Data with labels as the model takes them: -1 and 1, or classes from 0 on."""
    if not kinds.labels:
        return data  # the module's own affair
    labels = np.array(kinds.labels)
    if not is_network(said) and len(labels) > 2:
        raise ExecutionError(
            f"{said.model} tells two classes apart, and the data has {len(labels)}: expected two"
            " labels, or a network such as mlp"
        )
    as_one = (labels.dtype.kind == "U") == (data.y.dtype.kind == "U")
    unknown = np.setdiff1d(data.y, labels) if as_one else data.y
    if len(unknown):
        raise ExecutionError(
            f"rows to validate by have the label {unknown.tolist()[0]!r}, and those to train on"
            f" have not: expected such as {labels.tolist()[0]!r}"
        )
    if is_network(said):
        return replace(data, y=np.searchsorted(labels, data.y))
    return replace(data, y=np.where(data.y == labels[-1], 1.0, -1.0))


def model_for(said: ParameterServerFields, kinds: Kinds, folder: Path) -> Trainable:
    """The model that the fields name, for some data.

    Raises:
        ExecutionError: The model cannot be trained on such data.
    """
    if not is_network(said):
        return {"logistic": Logistic, "svm": Svm}[said.model](kinds.features, said.l2)
    optional("torch", "torch")
    from tunewise.paramserver.network import Network, cnn, mlp, thesis_cnn

    if said.network is not None:
        built = _Built(said.network, folder)
        if said.loss is None:
            return Network(built, l2=said.l2)
        return Network(built, _Loss(said.loss, folder), said.l2)
    classes = len(kinds.labels)
    if said.model == "mlp":
        return mlp([kinds.features, *said.hidden, classes], said.l2)
    if said.model == "thesis_cnn":
        return thesis_cnn(said.l2)
    side = round(kinds.features**0.5)
    if side * side != kinds.features:
        raise ExecutionError(
            f"cnn takes square pictures of one colour, and rows have {kinds.features} features:"
            " expected such as data: {kind: pictures, side: 24, colours: 1}"
        )
    return cnn(side, said.channels, classes, said.l2)


@dataclass(frozen=True)
class _Built:
    """Makes a module that a file of the user's defines, in whatever process."""

    target: str
    folder: Path

    def __call__(self) -> Any:
        return PythonJob(self.target, self.folder, self.folder).function()()


@dataclass(frozen=True)
class _Loss:
    """A loss that a file of the user's defines, over outputs and labels."""

    target: str
    folder: Path

    def __call__(self, outputs: Any, labels: Any) -> Any:
        return self._function(outputs, labels)

    @property
    def name(self) -> str:
        """As the job file names it."""
        return self.target

    @cached_property
    def _function(self) -> Any:
        return PythonJob(self.target, self.folder, self.folder).function()

    def __getstate__(self) -> dict[str, Any]:
        return {"target": self.target, "folder": self.folder}


def scores(model: Trainable, values: Array, data: Dataset) -> Array:
    """What a model says of rows: a margin each, or a number for each class."""
    return np.concatenate([_scores(model, values, each) for each in data.blocks()])


def _scores(model: Trainable, values: Array, batch: Batch) -> Array:
    if isinstance(model, Logistic):
        touched = values if batch.keys is None else values[batch.keys]
        return np.asarray(batch.x @ touched, float)
    outputs: Array = model.outputs(values, batch)  # type: ignore[attr-defined] # a network
    return outputs


def mean_loss(model: Trainable, values: Array, data: Dataset) -> float:
    """The loss over all rows, some at once."""
    parts = [(model.loss(values, each), each.rows) for each in data.blocks()]
    return sum(loss * rows for loss, rows in parts) / data.rows


def taken_for(model: Trainable, told: Array, classes: int) -> Labels:
    """What a model takes each row for, by its scores, as its labels are."""
    if isinstance(model, Logistic):
        return np.where(told >= 0, 1.0, -1.0)
    if told.ndim < 2 or told.shape[1] < 2:
        return told.ravel()
    return np.asarray(told[:, : classes or None].argmax(1))


def predicted(model: Trainable, told: Array, kinds: Kinds) -> Labels:
    """The label of each row by its scores, as the model's file names labels."""
    labels: Labels = np.array(kinds.labels)
    found = taken_for(model, told, len(labels))
    if isinstance(model, Logistic):
        found = (found > 0) * (len(labels) - 1)
    return np.asarray(labels[found] if len(labels) and found.dtype.kind == "i" else found)
