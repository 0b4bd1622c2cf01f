"""Reads programs, in the published form and in ours; what is wrong is pointed at."""

import re
from collections.abc import Callable
from typing import TypeVar

from tunewise.declarative.schema.cursor import Cursor
from tunewise.declarative.schema.printing import CHAIN, TREE
from tunewise.declarative.schema.program import KINDS, Column, DataType, Field, Program
from tunewise.errors import ProgramError, nearest

T = TypeVar("T")

_FIELD_NAME = re.compile("[a-z0-9]+")
_COLUMN_NAME = re.compile(r"[^\W\d]\w*")
_LABEL = re.compile(r'[^\s,\[\]{}"][^,\[\]{}"]*')
_WORD = re.compile("[a-zA-Z]+")
_FORMS = ("image", "table", "series", "tree", "text", "number", "numbers", "classes")


def parse(text: str) -> Program:
    """The program of a text such as `image(28, 28) -> 10 classes`.

    Raises:
        ProgramError: With the place, and what was expected there.
    """
    cursor = Cursor(text)
    start = cursor.skip()
    if _is_long(cursor):
        cursor.expect("{"), cursor.expect("input"), cursor.expect(":")
        inside = _data_type(cursor, output=False)
        cursor.expect(","), cursor.expect("output"), cursor.expect(":")
        outside = _data_type(cursor, output=True)
        cursor.expect("}")
    else:
        inside = _data_type(cursor, output=False)
        cursor.expect("->")
        outside = _data_type(cursor, output=True)
    cursor.end()
    return _built(cursor, start, lambda: Program(inside, outside))


def _is_long(cursor: Cursor) -> bool:
    return cursor.looks_at(re.compile(r"\{\s*(?!\[)"))


def _data_type(cursor: Cursor, *, output: bool) -> DataType:
    start = cursor.skip()
    if cursor.take("{"):
        fields = _listed(cursor, lambda: _field(cursor, output))
        cursor.expect(",")
        recursive = _listed(cursor, lambda: cursor.match(_FIELD_NAME, "a field's name (a-z, 0-9)"))
        cursor.expect("}")
        return _built(cursor, start, lambda: DataType(tuple(fields), tuple(recursive)))
    if output and cursor.looks_at(re.compile(r"\[")):
        labels = _labels(cursor)
        return _single(cursor, start, (len(labels),), labels)
    if output and cursor.at_integer:
        return _counted(cursor, start)
    return _form(cursor, start, output)


def _counted(cursor: Cursor, start: int) -> DataType:
    count = cursor.integer()
    if cursor.expect("classes", "numbers") == "classes":
        return _single(cursor, start, (count,), count)
    return _single(cursor, start, (count,), says="numbers")


def _form(cursor: Cursor, start: int, output: bool) -> DataType:
    """A short form: a word, most with sizes in parentheses."""
    expected = "image(…), table(…), series(…), tree(…), text" + (
        ", number, 10 classes, 3 numbers, [label, …] or {…}" if output else " or {…}"
    )
    word = cursor.match(_WORD, expected)
    if word == "text":
        return _single(cursor, start, (), says="text")
    if word == "number" and output:
        return _single(cursor, start, (1,), says="numbers")
    if word == "table":
        return _table(cursor, start, output)
    if word not in ("image", "series", "tree"):
        hint = nearest(word, _FORMS).partition("? Valid")[0]
        hint = f"{hint}?" if "did you mean" in hint else ""
        cursor.point(f"expected {expected}, not {word!r}{hint}", start)
    sizes = _sizes(cursor, 3 if word == "image" else 1)
    if word == "image":
        if len(sizes) == 1:
            cursor.fail("the image's width: image(height, width)", cursor.at - 1)
        return _single(cursor, start, (*sizes, 1)[:3])
    pointers = CHAIN if word == "series" else TREE
    return _built(cursor, start, lambda: DataType((Field(None, tuple(sizes)),), pointers))


def _table(cursor: Cursor, start: int, output: bool) -> DataType:
    cursor.expect("(")
    if cursor.at_integer:
        size = cursor.integer()
        cursor.expect(")")
        return _single(cursor, start, (size,), says="numbers" if output else "")
    columns = tuple(_separated(cursor, lambda: _column(cursor), ")"))
    field = _built(cursor, start, lambda: Field(None, (len(columns),), columns=columns))
    return DataType((field,))


def _field(cursor: Cursor, output: bool) -> Field:
    start, name = cursor.skip(), None
    if not cursor.take("Tensor"):
        name = cursor.match(_FIELD_NAME, "Tensor or a field's name (a-z, 0-9)")
        cursor.expect("::")
        cursor.expect("Tensor")
    shape = tuple(_listed(cursor, cursor.integer))
    if cursor.take("text"):
        return _built(cursor, start, lambda: Field(name, shape, says="text"))
    if output and cursor.take("numbers"):
        return _built(cursor, start, lambda: Field(name, shape, says="numbers"))
    if output and cursor.take("classes"):
        named = cursor.looks_at(re.compile(r"\["))
        classes = _labels(cursor) if named else shape[0] if shape else 0
        return _built(cursor, start, lambda: Field(name, shape, classes))
    if not output and cursor.take("columns"):
        columns = tuple(_listed(cursor, lambda: _column(cursor)))
        return _built(cursor, start, lambda: Field(name, shape, columns=columns))
    return _built(cursor, start, lambda: Field(name, shape))


def _column(cursor: Cursor) -> Column:
    start, quoted = cursor.skip(), cursor.quoted()
    name = cursor.match(_COLUMN_NAME, "a column's name") if quoted is None else quoted
    at = cursor.skip()
    kind = cursor.match(_WORD, f"the kind of {name!r} ({', '.join(KINDS)})")
    if kind not in KINDS:
        cursor.point(f"{kind!r} is no kind of column{nearest(kind, KINDS)}", at)
    return _built(cursor, start, lambda: Column(name, kind))


def _labels(cursor: Cursor) -> tuple[str, ...]:
    start = cursor.skip()
    labels = tuple(_listed(cursor, lambda: _label(cursor)))
    if not labels:
        cursor.point("expected a label at least", start)
    return labels


def _label(cursor: Cursor) -> str:
    quoted = cursor.quoted()
    return cursor.match(_LABEL, "a label").strip() if quoted is None else quoted


def _sizes(cursor: Cursor, most: int) -> list[int]:
    cursor.expect("(")
    sizes = [cursor.integer()]
    while len(sizes) < most and cursor.take(","):
        sizes.append(cursor.integer())
    cursor.expect(*((",", ")") if len(sizes) < most else (")",)))
    return sizes


def _listed(cursor: Cursor, item: Callable[[], T]) -> list[T]:
    cursor.expect("[")
    return [] if cursor.take("]") else _separated(cursor, item, "]")


def _separated(cursor: Cursor, item: Callable[[], T], closing: str) -> list[T]:
    items = [item()]
    while cursor.expect(",", closing) == ",":
        items.append(item())
    return items


def _single(
    cursor: Cursor,
    start: int,
    shape: tuple[int, ...],
    classes: tuple[str, ...] | int | None = None,
    says: str = "",
) -> DataType:
    return DataType((_built(cursor, start, lambda: Field(None, shape, classes, says=says)),))


def _built(cursor: Cursor, start: int, build: Callable[[], T]) -> T:
    """What was read, or where it began and why it can be no such thing."""
    try:
        return build()
    except ProgramError as error:
        cursor.point(str(error), start)
