"""NPZ and NPY, JSON lines, sounds and texts."""

import io
import json
import wave
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from tunewise.declarative.examples.raw import Found, Raw, Refused
from tunewise.declarative.schema.program import Program
from tunewise.errors import TaskError

MOST_BYTES = 300_000_000
"""Of one file once it is unpacked: a bomb claims more."""

LONGEST_LINE = 20_000_000
"""Characters of one line of JSON."""

_PAIRS = (
    *(("inputs", "outputs"), ("input", "output"), ("x", "y"), ("X", "y"), ("data", "target")),
    *(("images", "labels"), ("x_train", "y_train"), ("features", "labels")),
)


def read_npz(path: Path) -> Iterator[Found]:
    """Two arrays under their usual names, or the only two there are."""
    arrays = _arrays(path)
    known = [pair for pair in _PAIRS if pair[0] in arrays and pair[1] in arrays]
    if not known and len(arrays) == 2:
        known = [tuple(arrays)]  # type: ignore[list-item] # there are two
    if not known:
        names = ", ".join(list(arrays)[:8])
        raise TaskError(f"{path.name} holds {names or 'nothing'}; expected inputs and outputs")
    inputs, outputs = (arrays[name] for name in known[0])
    if len(inputs) != len(outputs):
        raise TaskError(f"{path.name}: {len(inputs)} inputs and {len(outputs)} outputs")
    for place in range(len(inputs)):
        yield Raw(f"{path.name}:{place}", inputs[place], _answer(outputs[place]))


def read_inputs(path: Path) -> Iterator[Found]:
    """The inputs of an NPY or NPZ file."""
    if path.suffix.lower() == ".npy":
        if path.stat().st_size > MOST_BYTES:
            raise TaskError(f"{path.name} has more than {MOST_BYTES:,} bytes")
        with path.open("rb") as file:
            array = _array(file, path.name)
    else:
        arrays = _arrays(path)
        name = next((n for pair in _PAIRS for n in pair[:1] if n in arrays), None)
        array = arrays[name or next(iter(arrays))]
    for place, value in enumerate(array):
        yield Raw(f"{path.name}:{place}", value)


def read_lines(path: Path, label: str | None, *, labelled: bool = True) -> Iterator[Found]:
    """JSON lines, or one JSON list: pairs, or objects with the answer under a name."""
    for line, item in _items(path):
        where = f"{path.name}:{line}"
        if isinstance(item, Refused):
            yield Refused(where, item.reason)
        elif labelled:
            yield _pair(where, item, label)
        else:
            known = isinstance(item, Mapping) and "input" in item
            yield Raw(where, item["input"] if known else item)


def sound(content: bytes, program: Program) -> Any:
    """A WAV file as a series; a step holds as many samples as the program says."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            width, channels = file.getsampwidth(), file.getnchannels()
            frames = file.readframes(min(file.getnframes(), MOST_BYTES // (width * channels)))
    except (wave.Error, EOFError, ValueError, RuntimeError) as error:
        raise TaskError(f"it cannot be read as a sound ({error})") from error
    kinds: dict[int, Any] = {1: np.uint8, 2: np.dtype("<i2"), 4: np.dtype("<i4")}
    if width not in kinds:
        raise TaskError(f"a sound of {8 * width} bits; expected 8, 16 or 32")
    whole = len(frames) // (width * channels) * width * channels
    samples = np.frombuffer(frames[:whole], kinds[width]).astype(np.float32)
    middle, largest = (128, 128) if width == 1 else (0, 2 ** (8 * width - 1))
    samples = ((samples - middle) / largest).astype(np.float32)
    field = program.input.fields[0] if program.input.fields else None
    if field is None or len(field.shape) != 1:
        raise TaskError("a sound where the program expects no series")
    step = field.shape[0]
    if step != channels:
        samples = samples.reshape(-1, channels).mean(axis=1)
    return samples[: len(samples) // step * step].reshape(-1, step)


def text(content: bytes) -> str:
    """A text file, in UTF-8 or in what older editors write."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _answer(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _arrays(path: Path) -> dict[str, Any]:
    """All arrays of an archive that runs nothing and unpacks to no more than it may."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
            size = sum(info.file_size for info in infos)
            if size > MOST_BYTES:
                raise TaskError(f"{path.name} unpacks to {size:,} bytes; at most {MOST_BYTES:,}")
            found = {}
            for info in infos:
                with archive.open(info) as member:
                    found[info.filename[:-4]] = _array(member, f"{path.name} ({info.filename})")
            return found
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise TaskError(f"{path.name} cannot be read as NPZ ({error!s:.80})") from error
    except zipfile.zlib.error as error:  # type: ignore[attr-defined] # zipfile imports zlib
        raise TaskError(f"{path.name} is broken ({error!s:.80})") from error


def _array(file: IO[bytes], name: str) -> Any:
    """An array, read piece by piece: it is in memory once."""
    try:
        array = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError, TypeError, MemoryError, SyntaxError, OverflowError) as error:
        raise TaskError(f"{name} is no array of numbers or words ({error!s:.80})") from error
    if array.ndim == 0:
        raise TaskError(f"{name} holds a single value; expected an array")
    return array


def _items(path: Path) -> Iterator[tuple[int, Any]]:
    if path.stat().st_size > MOST_BYTES:
        raise TaskError(f"{path.name} has {path.stat().st_size:,} bytes; at most {MOST_BYTES:,}")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        if file.read(1) == "[" and path.suffix.lower() == ".json":
            file.seek(0)
            whole = _json(file.read())
            if isinstance(whole, Refused):
                raise TaskError(f"{path.name}: {whole.reason}")
            yield from enumerate(whole, 1)
            return
        file.seek(0)
        for line, words in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
            if words.strip():
                yield line, _json(words)


def _json(words: str) -> Any:
    try:
        return json.loads(words)
    except RecursionError:
        return Refused("", "it is nested too deeply")
    except ValueError as error:
        return Refused("", f"it is no JSON ({error!s:.80})")


def _pair(where: str, item: Any, label: str | None) -> Found:
    if isinstance(item, list) and len(item) == 2:
        return Raw(where, item[0], item[1])
    if isinstance(item, Mapping):
        if "input" in item and "output" in item:
            return Raw(where, item["input"], item["output"])
        name = label or next((n for n in ("label", "output", "class") if n in item), None)
        if name is not None and name in item:
            rest = {key: value for key, value in item.items() if key != name}
            only = rest.get("input", rest.get("text")) if len(rest) == 1 else None
            return Raw(where, rest if only is None else only, item[name])
    return Refused(where, 'no pair; expected {"input": …, "output": …} or [input, output]')
