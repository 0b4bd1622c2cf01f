"""Rules that say which examples are meant: `label == "cat" and fed < 2026-01-01`."""

import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tunewise.declarative.schema.cursor import Cursor
from tunewise.errors import ProgramError, TaskError, nearest
from tunewise.storage.tasks.rows import ExampleRow

Test = Callable[[ExampleRow], bool]

FIELDS: dict[str, Callable[[ExampleRow], Any]] = {
    "label": lambda row: row.label or "",
    "fed": lambda row: row.fed_at,
    "id": lambda row: row.number,
    "source": lambda row: row.source,
    "by": lambda row: row.by,
    "on": lambda row: row.on,
    "version": lambda row: row.fed_in,
}
"""What a rule may speak of."""

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_WORD = re.compile(r"[a-z]+")
_VALUE = re.compile(r"[^\s()\"]+(?: +(?!(?:and|or)\b)[^\s()\"]+)*")
"""Several words, up to what joins it to the next test."""


def rule(text: str) -> Test:
    """Whether an example is meant.

    Raises:
        TaskError: With the place in the rule that is wrong.
    """
    cursor = Cursor(text)
    try:
        test = _any(cursor)
        cursor.end()
    except ProgramError as error:
        raise TaskError(f"the rule, {error}".replace("the end of the program", "its end")) from None
    return test


def _any(cursor: Cursor) -> Test:
    tests = [_all(cursor)]
    while cursor.take("or"):
        tests.append(_all(cursor))
    return lambda row: any(test(row) for test in tests)


def _all(cursor: Cursor) -> Test:
    tests = [_single(cursor)]
    while cursor.take("and"):
        tests.append(_single(cursor))
    return lambda row: all(test(row) for test in tests)


def _single(cursor: Cursor) -> Test:
    if cursor.take("not"):
        inner = _single(cursor)
        return lambda row: not inner(row)
    if cursor.take("("):
        inner = _any(cursor)
        cursor.expect(")")
        return inner
    return _comparison(cursor)


def _comparison(cursor: Cursor) -> Test:
    start = cursor.skip()
    name = cursor.match(_WORD, f"one of {', '.join(FIELDS)}")
    if name not in FIELDS:
        cursor.point(f"{name!r} is nothing that a rule can ask for{nearest(name, FIELDS)}", start)
    field = FIELDS[name]
    if name == "on" and not any(cursor.text.startswith(o, cursor.skip()) for o in _ORDERS):
        return lambda row: row.on
    order = _ORDERS[cursor.expect(*_ORDERS)]
    at, quoted = cursor.skip(), cursor.quoted()
    raw = cursor.match(_VALUE, "a value") if quoted is None else quoted
    value = _value(cursor, name, raw, at)
    if name == "label" and isinstance(value, float):
        return lambda row: _ordered_number(order, row.label, value)
    return lambda row: order(field(row), value)


def _value(cursor: Cursor, name: str, raw: str, at: int) -> Any:
    try:
        if name == "fed":
            moment = datetime.fromisoformat(raw)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        if name in ("id", "version"):
            return int(raw.removeprefix("e"))
        if name == "on":
            return {"true": True, "false": False}[raw.lower()]
        if name == "label" and cursor.text[at : at + 1] != '"':
            try:
                return float(raw)
            except ValueError:
                return raw
    except (ValueError, KeyError, OverflowError):
        expected = {"fed": "a date such as 2026-11-30", "on": "true or false"}
        cursor.point(f"{raw!r} is not {expected.get(name, 'a whole number')}", at)
    return raw


def _ordered_number(order: Callable[[Any, Any], bool], label: str | None, value: float) -> bool:
    """Labels that are numbers compare as numbers; others are only unequal to them."""
    try:
        return order(float(label or ""), value)
    except ValueError:
        return order is operator.ne
