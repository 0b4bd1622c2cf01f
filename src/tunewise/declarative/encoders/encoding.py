"""The one door of the encoders: by the kind that their JSON names."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.declarative.encoders import columns, grams, nodes, serial, series, tensors
from tunewise.errors import DataError, nearest

Array = npt.NDArray[Any]
Feeds = dict[str, Array]

KINDS: dict[str, Callable[[Mapping[str, Any]], Callable[[Any], Feeds]]] = {
    "bits": serial.ready,
    "grams": grams.ready,
    "nodes": nodes.ready,
    "numbers": columns.ready_numbers,
    "series": series.ready,
    "series_features": series.ready_features,
    "subtrees": nodes.ready_subtrees,
    "table": columns.ready_table,
    "tensor": tensors.ready,
    "words": grams.ready,
}

DECODERS: dict[str, Callable[[Mapping[str, Any], Array], Any]] = {
    "bits": serial.decode,
    "series": series.decode,
}


def learned(data: Any, *, power: float | None = None) -> dict[str, Any]:
    """Look at the examples of the training part, and say how inputs are encoded.

    Args:
        data: The examples; only their inputs are looked at.
        power: The k of the normalisation of tensors, or none.
    """
    if isinstance(data.inputs, np.ndarray):
        if data.inputs.ndim == 2:
            return columns.learned_numbers(data.inputs)
        return tensors.learned(data.inputs, power)
    declared = data.program.input.single
    return columns.learned_table(data.inputs, declared.columns if declared else ())


def ready(encoder: Mapping[str, Any]) -> Callable[[Any], Feeds]:
    """A function from raw inputs to the tensors of the graph."""
    kind = str(encoder.get("kind"))
    if kind not in KINDS:
        raise DataError(f"unknown kind {kind!r} of an encoder{nearest(kind, sorted(KINDS))}")
    return KINDS[kind](encoder)


def encode(encoder: Mapping[str, Any], inputs: Any) -> Feeds:
    """Raw inputs as the tensors of the graph, (n, ...) each."""
    return ready(encoder)(inputs)


def decode(encoder: Mapping[str, Any], answers: Array) -> Any:
    """What a graph put out as outputs of the declared type: arrays as they are, or sequences."""
    decoder = encoder.get("decoder")
    return answers if decoder is None else DECODERS[decoder["kind"]](decoder, answers)
