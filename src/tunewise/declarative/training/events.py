"""What happens to tasks, as the store's log of events: anybody who reads it knows the state.

| kind | what it says |
|---|---|
| joined | a task wants models: which, and how many seconds each is expected to take |
| picked | a model is trained, by whom, until when at the latest |
| told | it was trained: quality and seconds |
| failed | it could not be trained: why |
| given up | whoever trained it is gone, or had to stop: it may be picked again |
| reopened | the data have changed: all models may be picked again |
| left | the task was deleted |
"""

from collections.abc import Sequence
from typing import Any

from tunewise.declarative.examples import Files, unpack
from tunewise.declarative.examples.parts import FEW, FOLDS
from tunewise.declarative.schema import Program
from tunewise.declarative.templates import candidates, length_of, match, size_of
from tunewise.declarative.training.job import enough
from tunewise.storage.tasks import ExampleRow, TaskRow

Event = dict[str, Any]

FRACTIONS = (0.1,)
"""Slices on which models are tried first."""

OVERHEAD = 0.05
"""Seconds that any training takes beside the model's own: the examples, the measuring."""

FEWEST = 8
"""Examples before anything is trained."""

HALF = 0.5
"""Share of the data from which on a slice is hardly quicker than the whole."""

CHANGED = 0.2
"""Share of the examples that were added or switched since: then all models may be trained again.

With a fifth more examples, an error that falls with their square root falls by a tenth."""


def family(program: Program) -> str:
    """Programs whose models tell of each other: of one template, classes apart from numbers."""
    field = program.output.single
    numbers = field is not None and field.says == "numbers"
    return match(program).name + (" of numbers" if numbers else "")


def qualified(family: str, model: str) -> str:
    """The scheduler's name of a model: those of two families have nothing in common."""
    return f"{family}/{model}"


def for_tasks(why: str, *, alone: bool = False) -> str:
    """The scheduler's sentence in words of tasks, which are its users; alone, none has to wait."""
    why = why.partition("; ")[0] if alone else why
    return why.replace("other user", "other task").replace("the user", "the task")


def joined(
    task: TaskRow, program: Program, rows: Sequence[ExampleRow], weight: float, files: Files
) -> Event:
    """The event by which a task's training begins, with how much its gains count.

    By its first examples it is known how long inputs are, where they have a length.
    """
    length = length_of(program, unpack(files.get(rows[0].file))[0])
    own = family(program)
    count = sum(row.on for row in rows)
    few = count < FEW
    whole = size_of(program, max(1, round(count * 0.8)), length)
    seconds = {}
    for each in candidates(program, task.settings):
        for fraction in (*FRACTIONS, 1.0):
            once = each.model.seconds(whole.at(1.0 if few else enough(fraction, count)))
            times = FOLDS + 1 if few else 1
            seconds[f"{qualified(own, each.name)}@{fraction}"] = OVERHEAD + once * times
    return {
        "kind": "joined",
        "task": task.id,
        "seconds": seconds,
        "slices": not few and enough(FRACTIONS[0], count) < HALF,
        "weight": weight,
        "version": task.version,
        "examples": count,
    }


def waits_for(program: Program, rows: Sequence[ExampleRow]) -> str | None:
    """What has to be fed before anything can be trained; None where it is enough."""
    on = [row for row in rows if row.on]
    if len(on) < FEWEST:
        return f"it has {len(on)} examples that are on; feed at least {FEWEST}"
    if program.labels is not None and len({row.label for row in on}) < 2:
        return f"all its examples are {on[0].label!r}; feed some of another class"
    return None


def changed(since: int, examples: int, changes: Sequence[Event]) -> bool:
    """Whether the data have changed enough since a version to train everything again."""
    moved = 0
    for change in changes:
        if change["version"] > since:
            moved += change.get("count", 0) + len(change.get("on", ())) + len(change.get("off", ()))
    return moved >= CHANGED * max(examples, 1)
