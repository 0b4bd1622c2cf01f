"""Tasks as they lie in a storage, and what commands on them share."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from tunewise.declarative.task import Task
    from tunewise.declarative.training.work import Progress

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


def said(progress: "Progress") -> str:
    """What happens, in one line for a terminal."""
    slice_ = "" if progress.fraction == 1 else f" on {progress.fraction:.0%} of the data"
    start = {
        "picked": "training",
        "told": "trained",
        "failed": "failed",
        "given up": "stopped",
    }[progress.kind]
    seconds = f"{progress.seconds:.1f} s" if progress.kind == "told" else ""
    parts = [progress.sentence, seconds]
    words = ", ".join(part for part in parts if part)
    return f"{progress.task}: {start} {progress.model}{slice_}: {words}"


def narrate(progress: "Progress") -> None:
    """Say what happens on standard error."""
    typer.echo(said(progress), err=True)


def standard_input() -> str:
    """All of standard input."""
    return sys.stdin.read()
