"""Tasks as they lie in a storage, and what commands on them share."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tunewise.errors import TaskError

if TYPE_CHECKING:
    from tunewise.declarative.task import Task
    from tunewise.declarative.task.told import Fed
    from tunewise.service.client import RemoteTask

_SHOWN = 20
"""Refused lines that are printed."""

TaskName: TypeAlias = Annotated[str, typer.Argument(metavar="TASK", help="The task's name.")]


def reached(
    name: str, storage: str | None, namespace: str | None, server: str | None
) -> "Task | RemoteTask":
    """The task of this name, in a storage or at a service."""
    if server is None:
        return opened(name, storage, namespace)
    from tunewise.service.client import Client

    return Client(server).task(name)


def opened(name: str, storage: str | None, namespace: str | None) -> "Task":
    """The task of this name in a storage."""
    from tunewise.declarative.task import Task

    return Task(name=name, storage=url_of(storage), namespace=namespace or "")


def url_of(storage: str | None) -> str:
    """The storage that a command speaks of."""
    from tunewise.job.loading import DEFAULT

    return storage or DEFAULT


def given(text: str) -> Path | None:
    """The file that was named; None for standard input."""
    if not text.strip():
        raise TaskError("the input is empty; name a file or folder, or - for a pipe")
    return None if text == "-" else Path(text)


def end_if_nothing_fits(fed: "Fed") -> None:
    """End with 1 where all that was given is refused."""
    if fed.refused and not fed.added and not fed.known:
        raise typer.Exit(1)


def say_how_to_train(names: list[str]) -> None:
    """Which command trains tasks that have no model yet; a service trains by itself."""
    if len(names) == 1:
        typer.echo(f"train it with: tunewise task train {shlex.quote(names[0])}", err=True)
    elif names:
        typer.echo("train them with: tunewise task work", err=True)


def say_fed(fed: "Fed", before: str = "") -> None:
    """What became of what was fed, the first refused lines with their reasons."""
    for one in fed.refused[:_SHOWN]:
        typer.echo(f"refused {one}", err=True)
    if len(fed.refused) > _SHOWN:
        typer.echo(f"and {len(fed.refused) - _SHOWN} more; `feed --json` lists all", err=True)
    for note in fed.notes:
        typer.echo(note)
    typer.echo(f"{before}{fed}")


def standard_input() -> str:
    """All of standard input."""
    return sys.stdin.read()
