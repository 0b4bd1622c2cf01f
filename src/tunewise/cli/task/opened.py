"""Tasks as they lie in a storage, and what commands on them share."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from tunewise.declarative.task import Task

TaskName: TypeAlias = Annotated[str, typer.Argument(metavar="TASK", help="The task's name.")]


def opened(name: str, storage: str | None, namespace: str | None) -> "Task":
    """The task of this name."""
    from tunewise.declarative.task import Task

    return Task(name=name, storage=url_of(storage), namespace=namespace or "")


def url_of(storage: str | None) -> str:
    """The storage that a command speaks of."""
    from tunewise.job.loading import DEFAULT

    return storage or DEFAULT


def given(text: str) -> Path | None:
    """The file that was named; None for standard input."""
    return None if text == "-" else Path(text)


def standard_input() -> str:
    """All of standard input."""
    return sys.stdin.read()
