"""From whatever a person asks with to inputs as the schema keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.declarative.examples.loading import inputs_of
from tunewise.declarative.examples.raw import Notes, Refused
from tunewise.declarative.schema import Program, read_input
from tunewise.errors import TaskError


@dataclass(frozen=True, eq=False)
class Read:
    """What was asked with.

    Attributes:
        inputs: Those that can be answered.
        alone: Whether it was one alone.
        refused: By place among all inputs of a file or folder, what cannot be answered.
    """

    inputs: Any
    alone: bool
    refused: dict[int, Refused] = field(default_factory=dict)


def asked(program: Program, given: Any, label: str | None) -> tuple[Any, bool]:
    """The inputs, and whether it was one alone; refused where any of them cannot be read."""
    read = read_any(program, given, label)
    for one in read.refused.values():
        raise TaskError(str(one))
    return read.inputs, read.alone


def read_any(program: Program, given: Any, label: str | None) -> Read:
    """The inputs; of a file or folder of several also which ones cannot be read."""
    single = program.input.single
    if isinstance(given, Path) or (isinstance(given, str) and not (single and single.text)):
        if given == "":
            raise TaskError("the input is empty; expected a file, a folder or a value")
        return _of_file(program, Path(given).expanduser(), label)
    return Read(*_of_values(program, given))


def _of_values(program: Program, given: Any) -> tuple[Any, bool]:
    single = program.input.single
    if single is not None and not single.text and not single.columns:
        return _tensors(program, given, single.shape)
    if hasattr(given, "itertuples") and hasattr(given, "columns"):
        given = [dict(zip(given.columns, row, strict=True)) for row in given.itertuples(False)]
    try:
        return [read_input(program, given)], True
    except TaskError as error:
        if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
            raise
        many = list(given)
        if len(program.input.recursive) == 1 and _depth(given) < 3:
            raise  # one series, or a step
        if not many or (single is not None and single.columns and not _is_row(many[0])):
            raise error from None
        return _each(program, many), False


def _depth(value: Any) -> int:
    """How many lists stand in each other, by the first of each."""
    if isinstance(value, np.ndarray):
        return value.ndim
    return 1 + _depth(value[0]) if isinstance(value, list | tuple) and value else 0


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple | np.ndarray)


def _tensors(program: Program, given: Any, shape: tuple[int, ...]) -> tuple[Any, bool]:
    """One tensor, or many at once: an array of them needs no loop."""
    if isinstance(given, np.ndarray) and given.shape[1:] == shape and given.ndim > len(shape):
        array = given.astype(np.float32, copy=False)
        if given.dtype == np.uint8 and len(shape) == 3:
            array = array / np.float32(255)
        if not np.isfinite(array).all():
            raise TaskError("an input holds a value that is no finite number")
        return array, False
    try:
        return read_input(program, given)[None], True
    except TaskError:
        if isinstance(given, str | Mapping) or not hasattr(given, "__iter__") or not len(given):
            raise
        if _depth(given) <= len(shape) - (shape[-1:] == (1,)):
            raise  # it is one input that does not fit, and no list of several
    return np.stack(_each(program, list(given))), False


def read_each(program: Program, many: list[Any]) -> Any:
    """Several inputs that came as values; none of them is taken for the name of a file."""
    if not many:
        raise TaskError("there is no input; expected one at least")
    single, read = program.input.single, _each(program, many)
    plain = single is not None and not single.text and not single.columns
    return np.stack(read) if plain else read


def _each(program: Program, many: list[Any]) -> list[Any]:
    read = []
    for place, value in enumerate(many):
        try:
            read.append(read_input(program, value))
        except TaskError as error:
            raise TaskError(f"input {place}: {error}") from None
    return read


def _of_file(program: Program, path: Path, label: str | None) -> Read:
    """A broken input of several does not keep the others from their answers."""
    read: list[Any] = []
    refused: dict[int, Refused] = {}
    for place, found in enumerate(inputs_of(path, program, label, Notes())):
        try:
            if isinstance(found, Refused):
                refused[place] = found
            else:
                read.append(read_input(program, found.input))
        except TaskError as error:
            refused[place] = Refused(found.where, str(error))
    if not read:
        raise TaskError(str(next(iter(refused.values()), f"{path.name} holds no input")))
    single = program.input.single
    many = (
        refused
        or path.is_dir()
        or path.suffix.lower() in (".csv", ".tsv", ".jsonl", ".npz", ".zip")
    )
    plain = single is not None and not single.text and not single.columns
    return Read(np.stack(read) if plain else read, len(read) == 1 and not many, refused)
