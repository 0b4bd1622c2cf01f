"""Reads values and checks them against a data type; what does not fit is said in a sentence."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.declarative.schema.program import Column, DataType, Field, Program
from tunewise.errors import TaskError, nearest

LONGEST = 100_000
"""Steps of a chain, or nodes of a tree."""

LONGEST_TEXT = 10_000_000
"""Characters of one text."""

TEXTS = ("text", "input", "sentence", "message")
"""Under which a text stands in an object or a table that holds more than the text."""

_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?", "-"))
"""Words that stand for nothing, in small letters; of labels these alone."""

_UNKNOWN = _MISSING | {
    *("unknown", "unbekannt", "inconnu", "desconocido", "missing", "n.a.", "k.a.", "<na>", "."),
    *("--", "#n/a", "#n/v", "#nv", "#div/0!", "#value!", "#wert!", "#ref!", "#bezug!", "#name?"),
}
_GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?")
"""Thousands with dots, as they stand beside decimal commas."""

GROUPED_BY_COMMAS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
"""Thousands with commas, as they stand beside decimal points."""

_ONE_WAY = ("%d.%m.%Y", "%d.%m.%y", "%Y/%m/%d", "%Y%m%d")
_FIRST = {
    "day": ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y"),
    "month": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y"),
}
"""Forms of dates, by what stands first in them."""


def read_input(program: Program, value: Any) -> Any:
    """The input as it is kept.

    Raises:
        TaskError: Saying what does not fit.
    """
    return _object(program.input, value)


def read_output(program: Program, value: Any) -> Any:
    """The output as it is kept; of an undecided one a single value becomes its label."""
    field = program.output.single
    if field is None:
        return _object(program.output, value)
    if field.classes is not None:
        return _label(field, value)
    if program.undecided and np.ndim(value) == 0:
        return _label(field, value)
    return _single(field, value)


def number(value: Any, decimal: str = ".") -> float:
    """A finite number of whatever a file holds: a comma may be its decimal point, % its unit."""
    given = value
    if isinstance(value, str):
        text = (
            value.strip().replace(" ", "").replace("\u202f", "").replace("'", "").removesuffix("%")
        )
        value = pointed(text) if decimal == "," else _without_comma(text)
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TaskError(f"{given!r:.60} is no number") from None
    if not math.isfinite(found):
        raise TaskError(f"{found} is no finite number")
    return found


def _without_comma(text: str) -> str:
    """A number with commas as one without; refused where its comma may mean two things."""
    plain, with_point = text.replace(",", ""), text.replace(",", ".")
    if GROUPED_BY_COMMAS.fullmatch(text):
        if text.count(",") == 1 and "." not in text:
            raise TaskError(f"{text!r} may be {plain} or {with_point}; write it without a comma")
        return plain
    return with_point if text.count(",") == 1 and "." not in text else text


def pointed(text: str) -> str:
    """A number with a decimal comma as one with a decimal point."""
    plain = text.replace(".", "") if _GROUPED.fullmatch(text.strip()) else text
    return plain.replace(",", ".")


def day(value: Any, first: str = "") -> str:
    """A date or a time as ISO writes it; what stands first in 1/3/2024 is the "day" or "month"."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[s]"))
    text = str(value).strip()
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        pass
    head, _, clock = text.partition(" ")
    forms = (*_ONE_WAY, *(form for name in _FIRST if first in ("", name) for form in _FIRST[name]))
    found = sorted({one for form in forms if (one := _by_form(head, form)) is not None})
    if len(found) > 1:
        days = " or ".join(f"{one:%Y-%m-%d}" for one in found)
        raise TaskError(f"{text!r:.60} may be {days}; write which")
    try:
        return datetime.combine(found[0], time.fromisoformat(clock or "00:00")).isoformat()
    except (ValueError, IndexError):
        raise TaskError(f"{text!r:.60} is no date; write it as 2026-11-30") from None


def _by_form(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()
    except ValueError:
        return None


def unknown(value: Any) -> bool:
    """Whether a cell of a table holds nothing, or says that it is not known."""
    return missing(value) or (isinstance(value, str) and value.strip().lower() in _UNKNOWN)


def missing(value: Any) -> bool:
    """Whether there is nothing."""
    if isinstance(value, str):
        return value.strip().lower() in _MISSING
    return value is None or (isinstance(value, float) and math.isnan(value)) or value != value


def _label(field: Field, value: Any) -> str:
    label = _plain_label(value)
    if isinstance(field.classes, tuple) and label not in field.classes:
        index = _index(label, len(field.classes)) if isinstance(value, int | np.integer) else None
        if index is None:
            raise TaskError(f"unknown label {label!r:.60}{nearest(label, field.classes)}")
        return field.classes[index]
    return label


def _plain_label(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    if isinstance(value, bool | np.bool_):
        value = "true" if value else "false"
    if missing(value):
        raise TaskError("there is no label")
    if isinstance(value, Sequence | Mapping | np.ndarray) and not isinstance(value, str):
        raise TaskError(f"a label is {value!r:.60}; expected a word or a number")
    label = str(value).strip()
    if len(label) > 200 or not label.isprintable():
        raise TaskError(f"a label is {label!r:.60}; expected at most 200 printable characters")
    return label


def _index(label: str, count: int) -> int | None:
    return int(label) if label.isdigit() and len(label) < 6 and int(label) < count else None


def _object(kind: DataType, value: Any) -> Any:
    if kind.single is not None:
        return _single(kind.single, value)
    if not kind.recursive:
        return _node(kind, value)
    if len(kind.recursive) == 1:
        return _chain(kind, value)
    return _tree(kind, value, [0], 0)


def _single(field: Field, value: Any) -> Any:
    if field.text:
        value = _named_text(value)
        if not isinstance(value, str):
            raise TaskError(f"{type(value).__name__} {value!r:.40} instead of text")
        if len(value) > LONGEST_TEXT:
            raise TaskError(f"a text of {len(value)} characters; at most {LONGEST_TEXT}")
        return value
    return _row(field.columns, value) if field.columns else _tensor(field, value)


def _named_text(value: Any) -> Any:
    """The text of an object: all that it holds, or what is called so."""
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        return next(iter(value.values()))
    return next((value[name] for name in TEXTS if name in value), value)


def _node(kind: DataType, value: Any) -> Any:
    """The tensors of one object: alone, or by name."""
    keys = kind.called()
    if len(keys) == 1 and not isinstance(value, Mapping):
        return _single(kind.fields[0], value)
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        if len(value) != len(keys):
            raise TaskError(f"{len(value)} values; expected {', '.join(keys)}")
        value = dict(zip(keys, value, strict=True))
    if not isinstance(value, Mapping):
        raise TaskError(f"{value!r:.60} is no object; expected {{{', '.join(keys)}}}")
    if len(keys) == 1 and "value" in value:
        return _single(kind.fields[0], value["value"])
    lost = [key for key in keys if key not in value]
    if lost:
        raise TaskError(f"the field {lost[0]!r} is missing; expected {', '.join(keys)}")
    read = {k: _single(f, value[k]) for k, f in zip(keys, kind.fields, strict=True)}
    return read[keys[0]] if len(keys) == 1 else read


def _chain(kind: DataType, value: Any) -> Any:
    """A chain as its steps, from a list or from nested objects; an array where they are tensors."""
    pointer = kind.recursive[0]
    steps: list[Any] = []
    if isinstance(value, np.ndarray) and value.ndim == 1 and kind.fields[0].shape == (1,):
        value = value[:, None]
    if isinstance(value, Mapping):
        while value is not None and len(steps) <= LONGEST:
            if not isinstance(value, Mapping):
                raise TaskError(f"{pointer!r} points to {value!r:.40}; expected an object or null")
            steps.append({k: v for k, v in value.items() if k != pointer})
            value = value.get(pointer)
    elif isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        steps = list(value)
        if kind.fields and kind.fields[0].shape == (1,):
            steps = [[s] if isinstance(s, int | float | np.number) else s for s in steps]
    else:
        raise TaskError(f"{value!r:.60} is no series; expected a list of steps")
    if not 0 < len(steps) <= LONGEST:
        raise TaskError(f"a series of {len(steps)} steps; expected 1 to {LONGEST}")
    field = kind.fields[0] if len(kind.fields) == 1 else None
    if field is None or field.text or field.columns:
        return [_step(kind, step, place) for place, step in enumerate(steps)]
    return _steps(field, steps)


def _steps(field: Field, steps: list[Any]) -> NDArray[np.float32]:
    """All steps at once where they are arrays alike, which is quick."""
    try:
        whole = np.asarray(steps, np.float32)
    except (TypeError, ValueError, OverflowError):
        whole = np.empty(0, np.float32)
    if whole.shape == (len(steps), *field.shape) and np.isfinite(whole).all():
        return whole
    return np.stack([_step(DataType((field,)), step, place) for place, step in enumerate(steps)])


def _step(kind: DataType, step: Any, place: int) -> Any:
    try:
        return _node(kind, step)
    except TaskError as error:
        raise TaskError(f"step {place + 1}: {error}") from None


def _tree(kind: DataType, value: Any, seen: list[int], depth: int) -> dict[str, Any] | None:
    """A tree as nested dicts; "value" is the tensor where there is only one."""
    seen[0] += 1
    if seen[0] > LONGEST or depth > 200:
        raise TaskError(f"a tree of more than {LONGEST} nodes or 200 levels")
    if not isinstance(value, Mapping):
        value = {"value": value}
    unknown = set(value) - {*kind.recursive, *kind.called(), "value"}
    if unknown:
        name = str(min(map(str, unknown)))
        raise TaskError(f"unknown field {name!r}{nearest(name, [*kind.called(), *kind.recursive])}")
    held = _node(kind, {k: v for k, v in value.items() if k not in kind.recursive})
    node: dict[str, Any] = held if len(kind.fields) > 1 else {"value": held}
    for pointer in kind.recursive:
        below = value.get(pointer)
        node[pointer] = None if below is None else _tree(kind, below, seen, depth + 1)
    return node


def _row(columns: tuple[Column, ...], value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        lost = [c.name for c in columns if c.name not in value]
        if lost:
            raise TaskError(f"the column {lost[0]!r} is missing; write null where it is not known")
        value = [value[c.name] for c in columns]
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        raise TaskError(f"{value!r:.60} is no row; expected {len(columns)} values")
    if len(value) != len(columns):
        raise TaskError(f"{len(value)} values; the table has {len(columns)} columns")
    return [_cell(column, cell) for column, cell in zip(columns, value, strict=True)]


def _cell(column: Column, value: Any) -> float | str | None:
    if unknown(value):
        return None
    try:
        if column.kind == "number":
            return number(value)
        if column.kind == "date":
            return day(value)
    except TaskError as error:
        raise TaskError(f"column {column.name!r}: {error}") from None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    text = str(value).strip()
    if len(text) > LONGEST_TEXT:
        raise TaskError(f"column {column.name!r}: a text of {len(text)} characters")
    return text


def _tensor(field: Field, value: Any) -> NDArray[np.float32]:
    """An array of the field's shape; bytes of an image become 0 to 1."""
    scale = isinstance(value, np.ndarray) and value.dtype == np.uint8 and len(field.shape) == 3
    try:
        array = np.asarray(value, np.float32)
    except (TypeError, ValueError, OverflowError):
        array = _numbers(value)
    if scale:
        array = array / np.float32(255)
    if field.shape[-1:] == (1,) and array.shape == field.shape[:-1]:
        array = array[..., None]
    if array.shape != field.shape:
        raise TaskError(f"a tensor of shape {_shape(array.shape)}; expected {_shape(field.shape)}")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise TaskError(f"the value at {list(place)} is {array[place]}; expected a finite number")
    return array


def _numbers(value: Any) -> NDArray[np.float32]:
    """A flat list with words among its numbers, or a sentence."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        flat = all(isinstance(cell, str | int | float) for cell in value)
        if flat:
            return np.asarray([number(cell) for cell in value], np.float32)
    if isinstance(value, str):
        return np.asarray(number(value), np.float32)
    raise TaskError(f"{type(value).__name__} {value!r:.60} is no tensor of numbers")


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "one number"
