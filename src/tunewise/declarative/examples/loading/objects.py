"""Arrays, data frames, pairs and labelling functions of a program."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tunewise.declarative.examples.loading import tables
from tunewise.declarative.examples.raw import Found, Raw, Refused
from tunewise.declarative.schema.program import Program
from tunewise.errors import TaskError


def from_objects(
    inputs: Any,
    outputs: Any,
    program: Program,
    label: str | None,
    by: Callable[[Any], Any] | None,
) -> Iterator[Found]:
    """The pairs of whatever was given."""
    if by is not None:
        yield from _labelled(_sequence(inputs), by)
    elif outputs is not None:
        yield from _zipped(_sequence(inputs), _sequence(outputs))
    elif hasattr(inputs, "itertuples") and hasattr(inputs, "columns"):
        yield from tables.pairs(tables.of_frame(inputs), program, label, "row")
    elif isinstance(inputs, np.ndarray):
        raise TaskError("inputs without outputs; feed(inputs, outputs), or by=a function")
    else:
        yield from _pairs(inputs, label)


def _sequence(values: Any) -> Any:
    if hasattr(values, "itertuples") and hasattr(values, "columns"):
        return [dict(zip(values.columns, row, strict=True)) for row in values.itertuples(False)]
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    if hasattr(values, "detach"):
        return values.detach().cpu().numpy()
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TaskError(f"{type(values).__name__} {values!r:.40} is no list of examples")
    return values if isinstance(values, np.ndarray) else list(values)


def _zipped(inputs: Any, outputs: Any) -> Iterator[Found]:
    if len(inputs) != len(outputs):
        raise TaskError(f"{len(inputs)} inputs and {len(outputs)} outputs; expected as many")
    for place in range(len(inputs)):
        yield Raw(f"row {place}", inputs[place], outputs[place])


def _labelled(inputs: Any, by: Callable[[Any], Any]) -> Iterator[Found]:
    for place, value in enumerate(inputs):
        try:
            answer = by(value)
        except Exception as error:  # noqa: BLE001 - a person's function may fail in any way
            yield Refused(f"row {place}", f"{by.__name__} failed: {error!s:.120}")
            continue
        if answer is None:
            yield Refused(f"row {place}", f"{by.__name__} gave no label")
        else:
            yield Raw(f"row {place}", value, answer)


def _pairs(items: Any, label: str | None) -> Iterator[Found]:
    if isinstance(items, Mapping) or not isinstance(items, Iterable):
        raise TaskError(f"{items!r:.60} are no examples; expected pairs of input and output")
    for place, item in enumerate(items):
        if isinstance(item, Mapping) and "input" in item and "output" in item:
            yield Raw(f"pair {place}", item["input"], item["output"], item.get("nth", 0))
        elif isinstance(item, Mapping) and label in item:
            rest = {key: value for key, value in item.items() if key != label}
            yield Raw(f"pair {place}", rest, item[label])
        elif isinstance(item, tuple | list) and len(item) == 2:
            yield Raw(f"pair {place}", item[0], item[1])
        else:
            yield Refused(f"pair {place}", f"{item!r:.60} is no pair of input and output")
