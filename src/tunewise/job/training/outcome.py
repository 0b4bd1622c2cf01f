"""The model that a training of a job file has learned: validated, written, and asked."""

from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.job.training.file import TrainFile
from tunewise.job.training.model import data_of, model_for, predicted, scores
from tunewise.job.training.rows import read_rows
from tunewise.surrogate import Array


def check_output(file: TrainFile) -> None:
    """Refuse to write the model of what keeps its own."""
    if file.fields.paramserver is None:
        raise ExecutionError(
            "--output and --predict are for a parameter server: a command keeps its own model"
        )


def validated(file: TrainFile, values: Array) -> dict[str, float] | None:
    """Loss and accuracy over the rows to validate by; None where there are none."""
    said, folder = file.fields.paramserver, file.path.parent
    if said is None or said.validation is None:
        return None
    data, held = data_of(said, folder, file.fields.seed or 0)
    assert held is not None, "a validation is stated"
    model = model_for(said, data, folder)
    batch = held.batch(np.arange(held.rows))
    right = predicted(model, values, held) == held.y
    return {"loss": model.loss(values, batch), "accuracy": float(right.mean())}


def write_model(output: Path, values: Array) -> None:
    """Keep the parameters in an NPZ file; an older one stays until this one is whole."""
    passing = output.with_name(output.name + ".part")
    with passing.open("wb") as file:
        np.savez(file, values=values)
    passing.replace(output)


def predictions(file: TrainFile, output: Path, rows: Path) -> list[dict[str, Any]]:
    """What the written model says of the rows of a file."""
    check_output(file)
    said, folder = file.fields.paramserver, file.path.parent
    assert said is not None, "others are refused"
    try:
        with np.load(output, allow_pickle=False) as kept:
            values = kept["values"]
    except (OSError, KeyError, ValueError) as error:
        raise ExecutionError(
            f"{output} is no model that `tunewise train --output` wrote: {error}"
        ) from error
    data, _ = data_of(said, folder, file.fields.seed or 0)
    model = model_for(said, data, folder)
    if model.size != len(values):
        raise ExecutionError(
            f"{output} has {len(values)} parameters, and the model of {file.path.name} {model.size}"
        )
    asked = read_rows(rows, said.data.label, data.features)
    labels, told = predicted(model, values, asked), scores(model, values, asked)
    return [
        {"label": label, "score": score}
        for label, score in zip(labels.tolist(), told.tolist(), strict=True)
    ]
