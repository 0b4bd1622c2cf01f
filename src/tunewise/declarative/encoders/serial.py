"""Any value of a declared type as bytes, and back: what the general models read and write."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

DEEPEST = 100
"""Levels that are read back from bytes which a model made up."""


def learned(values: Sequence[Any], kind: Any) -> dict[str, Any]:
    """The type as plain data, and the range of all numbers: it is cut into 256 levels."""
    parts = [np.ravel(array) for array in _arrays(list(values))]
    numbers = np.concatenate(parts) if parts else np.zeros(1)
    low, high = float(numbers.min()), float(numbers.max())
    fields = [
        {"key": key, "shape": list(field.shape), "text": bool(field.text or field.columns)}
        for key, field in zip(kind.called(), kind.fields, strict=True)
    ]
    return {
        "low": low,
        "range": (high - low) or 1.0,
        "fields": fields,
        "recursive": list(kind.recursive),
    }


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, Mapping):
        yield from _arrays(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, np.ndarray | float | int):
        yield np.asarray(value, float)


def packed(value: Any, spec: Mapping[str, Any]) -> bytes:
    """Text as UTF-8 and numbers as their levels; a byte before each object that is pointed to."""
    fields, recursive = spec["fields"], spec["recursive"]
    if len(recursive) == 1:
        return b"".join(b"\1" + _fields(step, spec) for step in value) + b"\0"
    if len(fields) == 1 and not recursive:
        return _one(value, fields[0], spec)
    if not recursive:
        return _fields(value, spec)
    return _node(value, spec)


def _node(value: Any, spec: Mapping[str, Any]) -> bytes:
    below = [value.get(name) for name in spec["recursive"]]
    parts = [b"\0" if each is None else b"\1" + _node(each, spec) for each in below]
    return _fields(value, spec) + b"".join(parts)


def _fields(value: Any, spec: Mapping[str, Any]) -> bytes:
    """The tensors of an object; each text ends with a 0."""
    fields = spec["fields"]
    if len(fields) == 1:
        value = {fields[0]["key"]: value["value"] if isinstance(value, Mapping) else value}
    end = {True: b"\0", False: b""}
    return b"".join(_one(value[f["key"]], f, spec) + end[f["text"]] for f in fields)


def _one(value: Any, field: Mapping[str, Any], spec: Mapping[str, Any]) -> bytes:
    if field["text"]:
        words = value if isinstance(value, str) else "\x1f".join(map(str, value))
        return bytes(words.replace("\0", "").encode())
    scaled = (np.ravel(np.asarray(value, float)) - spec["low"]) * (255.0 / spec["range"])
    return bytes(np.clip(np.rint(scaled), 0, 255).astype(np.uint8).tobytes())


def unpacked(data: bytes, spec: Mapping[str, Any]) -> Any:
    """A value of the type, whatever the bytes are; what they lack is 0 or empty."""
    fields, recursive = spec["fields"], spec["recursive"]
    if len(fields) == 1 and not recursive and fields[0]["text"]:
        return data.decode(errors="ignore")
    reader = _Reader(data, spec)
    if len(recursive) != 1:
        return reader.node(0) if recursive else reader.fields()
    steps: list[Any] = []
    while reader.flag() or not steps:
        steps.append(reader.fields())
    return np.stack(steps) if isinstance(steps[0], np.ndarray) else steps


class _Reader:
    """Bytes from the front on."""

    def __init__(self, data: bytes, spec: Mapping[str, Any]) -> None:
        self._data, self._spec = data, spec

    def _take(self, count: int) -> bytes:
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def flag(self) -> bool:
        return self._take(1) == b"\1"

    def fields(self) -> Any:
        found = {field["key"]: self._one(field) for field in self._spec["fields"]}
        return next(iter(found.values())) if len(found) == 1 else found

    def _one(self, field: Mapping[str, Any]) -> Any:
        if field["text"]:
            text, _, self._data = self._data.partition(b"\0")
            return text.decode(errors="ignore")
        count = prod(field["shape"])
        levels = np.frombuffer(self._take(count).ljust(count, b"\0"), np.uint8)
        values = levels * (self._spec["range"] / 255.0) + self._spec["low"]
        return values.astype(np.float32).reshape(field["shape"])

    def node(self, depth: int) -> dict[str, Any]:
        held = self.fields()
        found: dict[str, Any] = held if isinstance(held, dict) else {"value": held}
        for name in self._spec["recursive"]:
            found[name] = self.node(depth + 1) if self.flag() and depth < DEEPEST else None
        return found


def bits(texts: Sequence[bytes], length: int) -> Array:
    """Bytes as bits, (n, length, 9): the ninth says that there is a byte."""
    found = np.zeros((len(texts), length, 9), np.float32)
    for row, text in enumerate(texts):
        known = np.frombuffer(text[:length], np.uint8)
        found[row, : len(known), :8] = np.unpackbits(known[:, None], axis=1)
        found[row, : len(known), 8] = 1.0
    return found


def ready(encoder: Mapping[str, Any]) -> Any:
    """Bits of the first bytes of each value."""
    spec, length = encoder["spec"], int(encoder["length"])

    def encoded(inputs: Any) -> dict[str, Array]:
        return {"x": bits([packed(value, spec) for value in inputs], length)}

    return encoded


def decode(decoder: Mapping[str, Any], found: Array) -> list[Any]:
    """Values of the bits that a graph put out, each until the first byte that is none."""
    return [unpacked(_bytes(row), decoder["spec"]) for row in found]


def _bytes(row: Array) -> bytes:
    ends = np.flatnonzero(row[:, 8] < 0.5)
    there = row[: int(ends[0]) if len(ends) else len(row), :8] > 0.5
    return np.packbits(there, axis=1).tobytes()
