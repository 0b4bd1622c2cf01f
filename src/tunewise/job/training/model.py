"""What a parameter server of a job file trains: its model, and its data as the model takes them."""

from dataclasses import replace

import numpy as np

from tunewise.errors import ExecutionError, optional
from tunewise.job.training.fields import DataFields, ParameterServerFields
from tunewise.paramserver import Dataset, Logistic, Svm
from tunewise.paramserver.data import dense, pictures, url_like
from tunewise.paramserver.worker import Model

NETWORKS = ("mlp", "cnn", "thesis_cnn")
"""Models that PyTorch computes."""


def made(said: DataFields) -> Dataset:
    """Made-up data."""
    if said.kind == "dense":
        return dense(said.rows, said.features, said.seed)
    if said.kind == "pictures":
        return pictures(said.rows, said.side, said.colours, said.classes, said.seed)
    return url_like(said.rows, said.features, said.per_row, said.seed)


def model_for(said: ParameterServerFields, data: Dataset) -> tuple[Model, Dataset]:
    """The model that the fields name for some data, and the data with labels as it takes them.

    Raises:
        ExecutionError: The model cannot be trained on such data.
    """
    if said.model not in NETWORKS:
        if not np.isin(data.y, (-1.0, 1.0)).all():
            raise ExecutionError(
                f"{said.model} tells two classes apart, and the data has"
                f" {len(np.unique(data.y))}: expected labels -1 and 1, or a network such as mlp"
            )
        return {"logistic": Logistic, "svm": Svm}[said.model](data.features, said.l2), data
    return _network(said, data)


def _network(said: ParameterServerFields, data: Dataset) -> tuple[Model, Dataset]:
    optional("torch", "torch")
    from tunewise.paramserver.network import cnn, mlp, thesis_cnn

    # Classes of a network are counted from 0.
    data = replace(data, y=np.maximum(data.y, 0.0)) if data.y.min() < 0 else data
    classes = int(data.y.max()) + 1
    if said.model == "mlp":
        return mlp([data.features, *said.hidden, classes], said.l2), data
    if said.model == "thesis_cnn":
        return thesis_cnn(said.l2), data
    side = round(data.features**0.5)
    if side * side != data.features:
        raise ExecutionError(
            f"cnn takes square pictures of one colour, and rows have {data.features} features:"
            " expected such as data: {kind: pictures, side: 24, colours: 1}"
        )
    return cnn(side, said.channels, classes, said.l2), data
