"""Names of tasks, and ids of examples."""

from collections.abc import Iterable, Sequence

from tunewise.declarative.examples import in_validation, rule
from tunewise.declarative.schema import Program, parse
from tunewise.declarative.task.told import Example
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow, TaskRow


def checked_name(name: str) -> str:
    """A name that a task may have."""
    if not isinstance(name, str) or not name.strip() or len(name) > 100 or not name.isprintable():
        raise TaskError(f"a task is called {name!r:.60}; expected up to 100 printable characters")
    return name


def check_same(found: TaskRow, program: Program) -> None:
    """Refuse another program under the same name; the examples may have decided it since."""
    stored = parse(found.program)
    if stored == program:
        return
    same = stored.input == program.input
    one, other = stored.output.single, program.output.single
    if same and program.undecided and one and other and one.shape == other.shape:
        return
    raise TaskError(
        f"the task {found.name!r} is {found.program!r} already, not {str(program)!r};"
        " choose another name"
    )


def example_of(row: ExampleRow, salt: str, few: bool) -> Example:
    """What is told of a row."""
    part = "validation" if in_validation(salt, row.input) else "training"
    shown = "either" if few else part
    return Example(f"e{row.number}", row.label, row.on, shown, row.fed_at, row.source, row.by)


def number_of(id: str) -> int:
    """The number of an example's id."""
    text = str(id).removeprefix("e")
    if not text.isdigit() or len(text) > 9:
        raise TaskError(f"{id!r:.40} is no example's id; expected one such as 'e17'")
    return int(text)


def chosen(rows: Sequence[ExampleRow], meant: Iterable[str] | str) -> list[int]:
    """Numbers of the examples that ids or a rule mean."""
    if isinstance(meant, str):
        test = rule(meant)
        return [row.number for row in rows if test(row)]
    return [number_of(id) for id in meant]
