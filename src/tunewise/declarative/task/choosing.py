"""Examples by their ids and by rules, as people see them."""

from collections.abc import Iterable, Sequence

from tunewise.declarative.examples import in_validation, rule
from tunewise.declarative.task.told import Example
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow


def shown(row: ExampleRow, salt: str, few: bool) -> Example:
    """An example as people see it; while examples are few, none is kept for validation alone."""
    part = "validation" if in_validation(salt, row.input) else "training"
    shown = "either" if few else part
    return Example(f"e{row.number}", row.label, row.on, shown, row.fed_at, row.source, row.by)


def number_of(id: str) -> int:
    """The number of an id such as "e17"."""
    text = str(id).removeprefix("e")
    if not text.isdigit() or len(text) > 9:
        raise TaskError(f"{id!r:.40} is no example's id; expected one such as 'e17'")
    return int(text)


def chosen(rows: Sequence[ExampleRow], meant: Iterable[str] | str) -> list[int]:
    """The numbers of ids, or of all examples that a rule picks."""
    if isinstance(meant, str):
        test = rule(meant)
        return [row.number for row in rows if test(row)]
    return [number_of(id) for id in meant]
