"""Many examples as the bytes of one file, and back; reading them runs nothing."""

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tunewise.errors import TaskError

SIZE = 2000
"""Examples in one file: few files for many small ones, and no large part is ever read in vain."""


def pack(inputs: Sequence[Any], outputs: Sequence[Any]) -> bytes:
    """Examples as the schema keeps them, as one file."""
    columns = {
        f"{name}_{part}": array
        for name, values in (("in", inputs), ("out", outputs))
        for part, array in _columns(values).items()
    }
    buffer = io.BytesIO()
    np.savez(buffer, **columns)
    return buffer.getvalue()


def unpack(content: bytes) -> tuple[list[Any], list[Any]]:
    """What `pack` made bytes of."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            arrays = dict(found)
        return _values(arrays, "in"), _values(arrays, "out")
    except (ValueError, KeyError, OSError, EOFError) as error:
        raise TaskError(f"a file of examples is damaged ({error!s:.80})") from error


def _columns(values: Sequence[Any]) -> dict[str, Any]:
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    if len(arrays) == len(values):
        shapes = {array.shape for array in arrays}
        if len(shapes) == 1:
            return {"array": np.stack(arrays)}
        if len({shape[1:] for shape in shapes}) == 1:
            lengths = np.array([len(array) for array in arrays], np.int64)
            return {"steps": np.concatenate(arrays), "lengths": lengths}
    text = json.dumps([_plain(value) for value in values], ensure_ascii=False)
    return {"json": np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)}


def _values(arrays: dict[str, Any], name: str) -> list[Any]:
    if f"{name}_array" in arrays:
        return list(arrays[f"{name}_array"])
    if f"{name}_steps" in arrays:
        ends = np.cumsum(arrays[f"{name}_lengths"])[:-1]
        return list(np.split(arrays[f"{name}_steps"], ends))
    text = arrays[f"{name}_json"].tobytes().decode("utf-8", "surrogatepass")
    return [_restored(value) for value in json.loads(text)]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"__array__": [list(value.shape), value.ravel().tolist()]}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if "__array__" in value:
            shape, numbers = value["__array__"]
            return np.asarray(numbers, np.float32).reshape(shape)
        return {name: _restored(part) for name, part in value.items()}
    return [_restored(part) for part in value] if isinstance(value, list) else value
