"""What a parameter server of a job file trains: its data, its model, and what that predicts."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError, optional
from tunewise.job.python_job import PythonJob
from tunewise.job.training.fields import DataFields, ParameterServerFields
from tunewise.job.training.rows import read_rows
from tunewise.paramserver import Dataset, Logistic, Svm
from tunewise.paramserver.data import dense, pictures, url_like
from tunewise.paramserver.worker import Model
from tunewise.study.folders import within
from tunewise.surrogate import Array

_NETWORKS = ("mlp", "cnn", "thesis_cnn")


def is_network(said: ParameterServerFields) -> bool:
    """Whether PyTorch computes the model."""
    return said.network is not None or said.model in _NETWORKS


def data_of(said: ParameterServerFields, folder: Path, seed: int) -> tuple[Dataset, Dataset | None]:
    """The rows to train on, and those to validate by; labels are as the model takes them."""
    every, told = _labelled(said, _rows(said.data, folder)), said.validation
    if isinstance(told, str):
        told_rows = read_rows(within(folder, told), said.data.label, every.features)
        return every, _labelled(said, told_rows)
    if told is None:
        return every, None
    count = round(told * every.rows)
    if not 0 < count < every.rows:
        raise ExecutionError(
            f"validation is {told!r}, which leaves no rows of {every.rows}; expected such as 0.1"
        )
    order = np.random.default_rng([seed, 2]).permutation(every.rows)
    kept, held = np.sort(order[count:]), np.sort(order[:count])
    return tuple(Dataset(every.x[rows], every.y[rows]) for rows in (kept, held))  # type: ignore[return-value] # two of them


def _rows(said: DataFields, folder: Path) -> Dataset:
    if said.file is not None:
        stated = said.features if "features" in said.model_fields_set else None
        return read_rows(within(folder, said.file), said.label, stated)
    if said.kind == "dense":
        return dense(said.rows, said.features, said.seed)
    if said.kind == "pictures":
        return pictures(said.rows, said.side, said.colours, said.classes, said.seed)
    return url_like(said.rows, said.features, said.per_row, said.seed)


def _labelled(said: ParameterServerFields, data: Dataset) -> Dataset:
    """Data with labels as the model takes them: -1 and 1, or classes from 0 on."""
    if said.network is not None and said.data.file is not None:
        return data  # the module's own affair
    met = np.unique(data.y)
    if is_network(said):
        return replace(data, y=np.maximum(data.y, 0.0)) if met[0] == -1 else data
    if len(met) > 2:
        raise ExecutionError(
            f"{said.model} tells two classes apart, and the data has {len(met)}: expected two"
            " labels, or a network such as mlp"
        )
    return replace(data, y=np.where(data.y == met[-1], 1.0, -1.0))


def model_for(said: ParameterServerFields, data: Dataset, folder: Path) -> Model:
    """The model that the fields name, for some data.

    Raises:
        ExecutionError: The model cannot be trained on such data.
    """
    if not is_network(said):
        return {"logistic": Logistic, "svm": Svm}[said.model](data.features, said.l2)
    optional("torch", "torch")
    from tunewise.paramserver.network import Network, cnn, mlp, thesis_cnn

    if said.network is not None:
        return Network(_Built(said.network, folder), l2=said.l2)
    classes = int(data.y.max()) + 1
    if said.model == "mlp":
        return mlp([data.features, *said.hidden, classes], said.l2)
    if said.model == "thesis_cnn":
        return thesis_cnn(said.l2)
    side = round(data.features**0.5)
    if side * side != data.features:
        raise ExecutionError(
            f"cnn takes square pictures of one colour, and rows have {data.features} features:"
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


def scores(model: Model, values: Array, data: Dataset) -> Array:
    """What a model says of rows: a margin each, or a number for each class."""
    if isinstance(model, Logistic):
        return np.asarray(data.x @ values, float)
    outputs: Array = model.outputs(values, data.batch(np.arange(data.rows)))  # type: ignore[attr-defined] # a network
    return outputs


def predicted(model: Model, values: Array, data: Dataset) -> Array:
    """The label of each row, by the model."""
    told = scores(model, values, data)
    if isinstance(model, Logistic):
        return np.where(told >= 0, 1.0, -1.0)
    return told.argmax(1).astype(float) if told.ndim > 1 and told.shape[1] > 1 else told.ravel()
