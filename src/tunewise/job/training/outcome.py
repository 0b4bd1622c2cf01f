"""The model that a training of a job file has learned: validated, written, and asked."""

from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.job.training.file import TrainFile
from tunewise.job.training.model import (
    Kinds,
    data_of,
    kinds_of,
    mean_loss,
    model_for,
    predicted,
    scores,
    taken_for,
)
from tunewise.job.training.rows import rows_to_ask
from tunewise.job.training.tensors import check_suffix, read_tensors, write_tensors
from tunewise.paramserver.worker import Trainable
from tunewise.surrogate import Array


def check_output(file: TrainFile, output: Path) -> None:
    """Refuse to write the model of what keeps its own, and a kind of file that there is not."""
    if file.fields.paramserver is None:
        raise ExecutionError(
            "--output and --predict are for a parameter server: a command keeps its own model"
        )
    check_suffix(output)


def _known(file: TrainFile) -> tuple[Trainable, Kinds]:
    said, folder = file.fields.paramserver, file.path.parent
    assert said is not None, "others are refused"
    kinds = kinds_of(said, folder)
    return model_for(said, kinds, folder), kinds


def validated(file: TrainFile, values: Array) -> dict[str, float] | None:
    """Loss and accuracy over the rows to validate by; None where there are none.

    A module with a loss of its own need not tell classes apart: there the loss is all.
    """
    said = file.fields.paramserver
    if said is None or said.validation is None:
        return None
    _, held = data_of(said, file.path.parent, file.fields.seed or 0)
    assert held is not None, "a validation is stated"
    model, kinds = _known(file)
    found = {"loss": mean_loss(model, values, held)}
    if said.loss is None:
        right = taken_for(model, scores(model, values, held), len(kinds.labels)) == held.y
        found["accuracy"] = float(right.mean())
    return found


def write_model(file: TrainFile, output: Path, values: Array) -> None:
    """Keep the parameters, by their names, with what is needed to ask the model."""
    model, kinds = _known(file)
    named: dict[str, Array] = model.named(values) if hasattr(model, "named") else {"weight": values}
    told = {"features": [kinds.features], "labels": kinds.labels, "columns": kinds.columns}
    write_tensors(output, named, told)


def predictions(file: TrainFile, output: Path, rows: Path) -> list[dict[str, Any]]:
    """What the written model says of the rows of a file."""
    check_output(file, output)
    said, folder = file.fields.paramserver, file.path.parent
    assert said is not None, "others are refused"
    named, told = read_tensors(output)
    try:
        columns = tuple(map(str, told.get("columns", ())))
        kinds = Kinds(int(told["features"][0]), tuple(told["labels"]), columns)
    except (KeyError, IndexError) as error:
        raise ExecutionError(
            f"{output} is no model that `tunewise train --output` wrote: it has no {error}"
        ) from error
    model = model_for(said, kinds, folder)
    values = np.concatenate([np.asarray(each, float).ravel() for each in named.values()])
    if model.size != len(values):
        raise ExecutionError(
            f"{output} has {len(values)} parameters, and the model of {file.path.name} {model.size}"
        )
    asked = rows_to_ask(rows, kinds.features, kinds.columns)
    scored = scores(model, values, asked)
    labels = predicted(model, scored, kinds)
    return [
        {"label": label, "score": score}
        for label, score in zip(labels.tolist(), scored.tolist(), strict=True)
    ]
