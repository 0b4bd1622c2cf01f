"""Examples by their ids and by rules, as people see them."""

import re
from collections.abc import Iterable, Sequence

from tunewise.declarative.examples import rule
from tunewise.declarative.examples.parts import part_of
from tunewise.declarative.task.told import Example
from tunewise.errors import TaskError, nearest
from tunewise.storage.tasks import ExampleRow

_LABEL = re.compile(r'label\s*==\s*(?:"([^"]+)"|([^\s()"]+(?: +(?!(?:and|or)\b)[^\s()"]+)*))')
"""Where a rule asks for a label, in quotes or not."""


def shown(row: ExampleRow, salt: str, few: bool) -> Example:
    """An example as people see it; while examples are few, none is kept for validation alone."""
    part = part_of(row.input, salt, few)
    return Example(f"e{row.number}", row.label, row.on, part, row.fed_at, row.source, row.by)


def number_of(id: str) -> int:
    """The number of an id such as "e17"."""
    text = str(id).removeprefix("e")
    if not text.isdigit() or len(text) > 9:
        raise TaskError(f"{id!r:.40} is no example's id; expected one such as 'e17'")
    return int(text)


def _strange_label(rule: str, rows: Sequence[ExampleRow]) -> str:
    """That no example has a label which a rule asks for, with the nearest there is."""
    known = sorted({row.label for row in rows if row.label})
    for found in _LABEL.finditer(rule):
        name = found[1] or found[2]
        if known and name not in known:
            return f": none is labelled {name!r:.60}{nearest(name, known)}"
    return ""


def chosen(rows: Sequence[ExampleRow], meant: Iterable[str] | str) -> list[int]:
    """The numbers of ids, or of all examples that a rule picks; one that picks none is refused."""
    if isinstance(meant, str):
        test = rule(meant)
        picked = [row.number for row in rows if test(row)]
        if not picked:
            raise TaskError(f"the rule picks no example{_strange_label(meant, rows)}")
        return picked
    return [number_of(id) for id in meant]
