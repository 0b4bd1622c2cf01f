"""Any value as bytes, and back: what the models of the general templates read and write."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def learned_levels(values: Any) -> dict[str, Any]:
    """The range of all numbers in the values; it is cut into 256 levels."""
    parts = [np.ravel(array) for array in _arrays(values)]
    numbers = np.concatenate(parts) if parts else np.zeros(1)
    low, high = float(numbers.min()), float(numbers.max())
    return {"low": low, "range": (high - low) or 1.0}


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, Mapping):
        yield from _arrays(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, np.ndarray | float | int):
        yield np.asarray(value, float)


def serial(value: Any, levels: Mapping[str, Any]) -> bytes:
    """Text as UTF-8, a number as its level, lists and objects part by part, nothing as 0."""
    if isinstance(value, str):
        return value.encode()
    if value is None:
        return b"\0"
    if isinstance(value, Mapping):
        return b"".join(serial(value[key], levels) for key in value)
    if isinstance(value, list | tuple):
        return b"".join(serial(each, levels) for each in value)
    scaled = (np.ravel(np.asarray(value, float)) - levels["low"]) * (255.0 / levels["range"])
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8).tobytes()


def bits(texts: list[bytes], length: int) -> Array:
    """Bytes as bits, (n, length, 9): the ninth says that there is a byte."""
    found = np.zeros((len(texts), length, 9), np.float32)
    for row, text in enumerate(texts):
        known = np.frombuffer(text[:length], np.uint8)
        found[row, : len(known), :8] = np.unpackbits(known[:, None], axis=1)
        found[row, : len(known), 8] = 1.0
    return found
