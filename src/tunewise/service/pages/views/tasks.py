"""Tasks that people declared: the list, and what a new one may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunewise.declarative.schema import parse
from tunewise.declarative.task import Task
from tunewise.declarative.templates import match
from tunewise.errors import TunewiseError
from tunewise.service.context import Context
from tunewise.service.pages.views.looks import once
from tunewise.storage.tasks import TaskRow
from tunewise.storage.tasks.counting import counted

ROWS = 50
_SHOWN = 90

EXAMPLES = (
    ("images", "Pictures into classes", "image(28, 28) -> 10 classes"),
    ("images", "Colour pictures, two named classes", "image(32, 32, 3) -> [cat, dog]"),
    (
        "tables",
        "Rows of a table into classes",
        "table(age number, city category, note text) -> [no, yes]",
    ),
    ("tables", "Rows of a table into a number", "table(20) -> number"),
    ("series", "Series, such as sounds or sensors, into classes", "series(6) -> 4 classes"),
    ("general", "Texts into classes", "text -> [praise, complaint, question]"),
    ("trees", "Binary trees into classes", "tree(8) -> 3 classes"),
    ("recovery", "Pictures into pictures", "image(28, 28) -> image(28, 28)"),
    ("translation", "Series into series", "series(3) -> series(2)"),
)
"""By template: what people would call it, and its program."""


@dataclass(frozen=True)
class TaskLine:
    """A task in the list.

    Attributes:
        name: Unique in its namespace.
        program: What goes in and what comes out, shortened.
        examples: How many were fed.
        on: How many of them are on.
        quality: Of the model that serves, in words.
        model: Which one that is.
        trained: How many models were trained.
        seconds: That its trainings have taken.
        bytes: That its files take.
        created_at: In seconds since the epoch.
    """

    name: str
    program: str
    examples: int
    on: int
    quality: str
    model: str
    trained: int
    seconds: float
    bytes: int
    created_at: float


@dataclass(frozen=True)
class TasksView:
    """A page of the list; `next` is its last name where there are more."""

    rows: Sequence[TaskLine]
    first: bool
    next: str | None


def tasks_view(here: Context, namespace: str, after: str = "") -> TasksView:
    """The tasks by name."""
    store = here.tasks.within(namespace)
    found = store.some(after or None, ROWS + 1)
    shown = found[:ROWS]
    rows = [task_line(here, namespace, row) for row in shown]
    return TasksView(rows, not after, shown[-1].name if len(found) > ROWS else None)


def task_line(here: Context, namespace: str, row: TaskRow) -> TaskLine:
    """A task in a line; what is known of a revision is not asked for again."""
    key = row.id, row.revision
    return once(here.store.database, "tasks", key, lambda: _line(here, namespace, row))


def _line(here: Context, namespace: str, row: TaskRow) -> TaskLine:
    count = counted(here.store.database, row.id)
    models = here.tasks.within(namespace).models(row.id)
    quality, model = "no model yet", ""
    if models:
        try:
            task = here.opened.task(namespace, row.name)
            quality = f"{task.quality.measure} {task.quality.value:.3f}"
            model = next((each.name for each in task.models() if each.serves), "")
        except TunewiseError:
            quality = "no model serves"
    return TaskLine(
        row.name,
        short(row.program),
        count.total,
        count.on,
        quality,
        model,
        len(models),
        row.seconds,
        folder_size(here.files / str(row.id)),
        row.created_at,
    )


def short(program: str) -> str:
    """A program in a line."""
    return program if len(program) <= _SHOWN else f"{program[: _SHOWN - 1]}…"


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder; those that come and go meanwhile do not count."""
    total = 0
    for file in folder.rglob("*") if folder.is_dir() else ():
        try:
            total += file.stat().st_size
        except OSError:
            continue
    return total


def workload(task: Task) -> str:
    """What people call what a task does."""
    return match(task.program).workload


def input_kind(program: str) -> str:
    """How an input is given in a page: "image", "text", "table" or "json"."""
    field = parse(program).input.single
    if field is None:
        return "json"
    if field.text:
        return "text"
    if len(field.shape) in (2, 3):
        return "image"
    return "table" if field.columns else "json"
