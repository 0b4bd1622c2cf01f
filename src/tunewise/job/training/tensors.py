"""Named arrays in a file that other tools read: NPZ, or safetensors."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.surrogate import Array

SUFFIXES = (".npz", ".safetensors")

_TYPES = {"F32": np.float32, "F64": np.float64}
_TOLD = "tunewise."
"""What the names of what is told beside the parameters begin with in an NPZ file."""


def check_suffix(path: Path) -> None:
    """Refuse a kind of file that there is not."""
    if path.suffix.lower() not in SUFFIXES:
        raise ExecutionError(f"the model's file is {path.name!r}; expected .npz or .safetensors")


def write_tensors(
    path: Path, arrays: Mapping[str, Array], told: Mapping[str, Sequence[float | str]]
) -> None:
    """Write arrays, and what is told beside them; an older file stays until this one is whole."""
    check_suffix(path)
    passing = path.with_name(path.name + ".part")
    with passing.open("wb") as file:
        if path.suffix.lower() == ".npz":
            beside: dict[str, Any] = {_TOLD + k: np.array(v) for k, v in told.items()}
            np.savez(file, **{**arrays, **beside})
        else:
            file.write(_safetensors(arrays, told))
    passing.replace(path)


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, list[Any]]]:
    """Arrays in the order in which they were written, and what was told beside them.

    Raises:
        ExecutionError: It is no such file.
    """
    check_suffix(path)
    try:
        return (_from_npz if path.suffix.lower() == ".npz" else _from_safetensors)(path)
    except (OSError, KeyError, ValueError, struct.error) as error:
        raise ExecutionError(
            f"{path} is no model that `tunewise train --output` wrote: {error}"
        ) from error


def _safetensors(arrays: Mapping[str, Array], told: Mapping[str, Sequence[float | str]]) -> bytes:
    """A header in JSON behind its length, then all numbers one after the other."""
    head: dict[str, Any] = {"__metadata__": {k: json.dumps(list(v)) for k, v in told.items()}}
    parts, at = [], 0
    for name, array in arrays.items():
        kind = "F32" if array.dtype == np.float32 else "F64"
        raw = np.ascontiguousarray(array, _TYPES[kind]).tobytes()
        offsets = [at, at + len(raw)]
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        parts.append(raw)
        at += len(raw)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def _from_safetensors(path: Path) -> tuple[dict[str, Array], dict[str, list[Any]]]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + size])
    told = {name: json.loads(said) for name, said in head.pop("__metadata__", {}).items()}
    found = {}
    for name, each in sorted(head.items(), key=lambda item: item[1]["data_offsets"][0]):
        first, last = (8 + size + offset for offset in each["data_offsets"])
        flat = np.frombuffer(raw[first:last], _TYPES[each["dtype"]])
        found[name] = flat.reshape(each["shape"])
    return found, told


def _from_npz(path: Path) -> tuple[dict[str, Array], dict[str, list[Any]]]:
    with np.load(path, allow_pickle=False) as kept:
        every = {name: kept[name] for name in kept.files}
    told = {k.removeprefix(_TOLD): v.tolist() for k, v in every.items() if k.startswith(_TOLD)}
    return {k: v for k, v in every.items() if not k.startswith(_TOLD)}, told
