"""Tables: numbers, categories, dates and texts, any of them missing."""

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Column = Mapping[str, Any]

MOST_CATEGORIES = 40
"""Categories of a column that get a column each: the most frequent."""

MOST_WORDS = 128
"""Columns that the words of a text are hashed to."""

DAY = 86400.0
"""Seconds."""

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-"})
"""What people write where there is no value."""


def learned_numbers(inputs: Array) -> dict[str, Any]:
    """Mean and spread of each column; NaN is missing, and told where the training part has it."""
    x = np.where(np.isfinite(inputs), inputs, np.nan).astype(np.float64)
    missing = np.isnan(x)
    middle = np.array(
        [np.median(c[~m]) if not m.all() else 0.0 for c, m in zip(x.T, missing.T, strict=True)]
    )
    filled = np.where(missing, middle, x)
    return {
        "kind": "numbers",
        "middle": middle.tolist(),
        "mean": filled.mean(axis=0).tolist(),
        "scale": (filled.std(axis=0) + (filled.std(axis=0) < 1e-12)).tolist(),
        "told": np.flatnonzero(missing.any(axis=0)).tolist(),
    }


def ready_numbers(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Rows of numbers: scaled columns, then one for each whose absence is told."""
    middle, mean = np.array(encoder["middle"]), np.array(encoder["mean"])
    scale, told = np.array(encoder["scale"]), np.array(encoder["told"], int)

    def encoded(inputs: Any) -> dict[str, Array]:
        x = np.asarray(inputs, np.float64)
        known = np.isfinite(x)
        if known.all():
            scaled = ((x - mean) / scale).astype(np.float32)
        else:
            scaled = ((np.where(known, x, middle) - mean) / scale).astype(np.float32)
        if len(told):
            scaled = np.hstack([scaled, (~known[:, told]).astype(np.float32)])
        return {"x": scaled}

    return encoded


def learned_table(inputs: Sequence[Any], declared: Sequence[Any] = ()) -> dict[str, Any]:
    """How each column is encoded; what it holds is declared, or seen in its values."""
    kinds = [each.kind for each in declared] or [None] * len(inputs[0])
    found = [
        _learned_column([_value(row[place]) for row in inputs], kind)
        for place, kind in enumerate(kinds)
    ]
    return {"kind": "table", "columns": found}


def ready_table(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Rows of values: the numbers of all columns side by side."""
    makers = [_KINDS[column["kind"]](column) for column in encoder["columns"]]

    def encoded(inputs: Any) -> dict[str, Array]:
        parts = [made([_value(row[place]) for row in inputs]) for place, made in enumerate(makers)]
        return {"x": np.concatenate(parts, axis=1, dtype=np.float32)}

    return encoded


def _value(value: Any) -> Any:
    """A value of a row, None where it is missing."""
    if isinstance(value, str):
        return None if value.strip().lower() in MISSING else value
    return None if value is None or value != value else value


def _learned_column(values: list[Any], kind: str | None) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    kind = kind or _kind(known)
    if kind in _READERS:
        column = _read(values, _READERS[kind])
        return {**learned_numbers(column), "kind": kind}
    if kind == "text":
        return {"kind": "text", "columns": MOST_WORDS}
    counts = Counter(str(value).strip() for value in known)
    common = [name for name, _ in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]
    return {"kind": "category", "names": common[:MOST_CATEGORIES]}


def _kind(known: list[Any]) -> str:
    for kind, reader in _READERS.items():
        if all(reader(value) is not None for value in known):
            return kind
    counts = Counter(str(value).strip() for value in known)
    many = len(counts) > MOST_CATEGORIES and len(counts) > 0.3 * len(known)
    return "text" if many and _wordy(counts) else "category"


def _wordy(counts: Counter[str]) -> bool:
    return sum(len(name.split()) for name in counts) > 1.5 * len(counts)


def number(value: Any) -> float | None:
    """A number, also as a text with a decimal comma; None where it is none."""
    if isinstance(value, int | float | np.number | np.bool_):
        return float(value)
    try:
        return float(str(value).strip().replace(",", ".", 1))
    except ValueError:
        return None


def seconds(value: Any) -> float | None:
    """A date, or a text in ISO's format, in seconds since 1970; None where it is none."""
    if not isinstance(value, datetime):
        try:
            value = datetime.fromisoformat(str(value).strip())
        except ValueError:
            return None
    return float((value.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds())


_READERS: dict[str, Callable[[Any], float | None]] = {"number": number, "date": seconds}


def _numbers(column: Column) -> Callable[[list[Any]], Array]:
    encoded = ready_numbers(column)
    return lambda values: encoded(_read(values, number))["x"]


def _read(values: list[Any], reading: Callable[[Any], float | None]) -> Array:
    read = [None if value is None else reading(value) for value in values]
    return np.array([[np.nan if value is None else value] for value in read], float)


def _dates(column: Column) -> Callable[[list[Any]], Array]:
    """The time itself, and where in the year, the week and the day it is."""
    encoded = ready_numbers(column)

    def made(values: list[Any]) -> Array:
        times = _read(values, seconds)
        turns = np.nan_to_num(times) / DAY * (2 * np.pi)
        circles = [f(turns / period) for period in (365.25, 7, 1) for f in (np.sin, np.cos)]
        return np.hstack([encoded(times)["x"], *circles])

    return made


def _categories(column: Column) -> Callable[[list[Any]], Array]:
    places = {name: place for place, name in enumerate(column["names"])}

    def made(values: list[Any]) -> Array:
        found = np.zeros((len(values), len(places) + 2), np.float32)
        for row, value in enumerate(values):
            other = len(places) + (value is None)
            found[row, other if value is None else places.get(str(value).strip(), other)] = 1.0
        return found

    return made


def _texts(column: Column) -> Callable[[list[Any]], Array]:
    width = int(column["columns"])

    def made(values: list[Any]) -> Array:
        found = np.zeros((len(values), width), np.float32)
        for row, value in enumerate(values):
            for word in str("" if value is None else value).lower().split():
                found[row, zlib.crc32(word.encode()) % width] += 1.0
        return np.log1p(found)

    return made


_KINDS: dict[str, Callable[[Column], Callable[[list[Any]], Array]]] = {
    "number": _numbers,
    "date": _dates,
    "category": _categories,
    "text": _texts,
}
