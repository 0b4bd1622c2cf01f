"""Writes programs: the published form, and the short one where there is one."""

import json
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tunewise.declarative.schema.program import Column, DataType, Field, Program

CHAIN, TREE = ("next",), ("left", "right")
"""What the short forms call their pointers."""

_BARE = re.compile(r"\w(?:[\w .+/&%-]*[\w.+/&%])?")
_WORD = re.compile(r"[^\W\d]\w*")


def long_form(program: "Program") -> str:
    """The program as `{input: …, output: …}`."""
    return f"{{input: {object_form(program.input)}, output: {object_form(program.output)}}}"


def input_form(kind: "DataType") -> str:
    """A data type as an input is written: briefly where it can be."""
    return _short(kind, _input) or object_form(kind)


def short_form(program: "Program") -> str:
    """The program as `… -> …` where either side has a short form."""
    sides = _short(program.input, _input), _short(program.output, _output)
    if sides == (None, None):
        return long_form(program)
    return f"{sides[0] or object_form(program.input)} -> {sides[1] or object_form(program.output)}"


def label(name: str) -> str:
    """A label as it is written within brackets: in quotes where it has to be."""
    plain = _BARE.fullmatch(name) and "  " not in name and name.isprintable()
    return name if plain else json.dumps(name, ensure_ascii=False)


def columns(some: Iterable["Column"]) -> str:
    """Columns with their kinds."""
    return ", ".join(f"{_column(column.name)} {column.kind}" for column in some)


def _column(name: str) -> str:
    return name if _WORD.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def object_form(kind: "DataType") -> str:
    """A data type in the published form."""
    fields = ", ".join(map(_field, kind.fields))
    return f"{{[{fields}], [{', '.join(kind.recursive)}]}}"


def _field(field: "Field") -> str:
    tensor = f"Tensor[{', '.join(map(str, field.shape))}]"
    named = tensor if field.name is None else f"{field.name} :: {tensor}"
    if field.columns:
        return f"{named} columns [{columns(field.columns)}]"
    if field.classes is None:
        return f"{named} {field.says}".strip()
    names = "" if isinstance(field.classes, int) else f" [{', '.join(map(label, field.classes))}]"
    return f"{named} classes{names}"


def _short(kind: "DataType", single: "Callable[[Field], str | None]") -> str | None:
    if len(kind.fields) != 1 or kind.fields[0].name is not None:
        return None
    field = kind.fields[0]
    if not kind.recursive:
        return single(field)
    plain = len(field.shape) == 1 and field.classes is None and not field.columns and not field.says
    if plain and kind.recursive in (CHAIN, TREE):
        return f"{'series' if kind.recursive == CHAIN else 'tree'}({field.shape[0]})"
    return None


def _input(field: "Field") -> str | None:
    if field.columns:
        return f"table({columns(field.columns)})"
    if len(field.shape) == 1 and not field.says:
        return f"table({field.shape[0]})"
    return _either(field)


def _output(field: "Field") -> str | None:
    if isinstance(field.classes, int):
        return f"{field.classes} classes"
    if field.classes is not None:
        return f"[{', '.join(map(label, field.classes))}]"
    if field.says == "numbers" and len(field.shape) == 1:
        return "number" if field.shape == (1,) else f"{field.shape[0]} numbers"
    return _either(field)


def _either(field: "Field") -> str | None:
    if field.text:
        return "text"
    if len(field.shape) == 3 and not field.says:
        last = field.shape[:2] if field.shape[2] == 1 else field.shape
        return f"image({', '.join(map(str, last))})"
    return None
