"""`tunewise task delete`: forget a task."""

import sys
from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, print_json
from tunewise.cli.task.opened import TaskName, reached
from tunewise.errors import TaskError


def delete(
    task: TaskName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Delete a task with its examples, its models and all their files."""
    found = reached(task, storage, namespace, server)
    count = len(found.examples())
    if not yes:
        if not sys.stdin.isatty():
            raise TaskError(f"task {task!r} has {count} examples; add --yes to delete it")
        if not typer.confirm(f"Delete task {task!r} with {count} examples?", err=True):
            raise typer.Exit(1)
    found.delete()
    if json:
        print_json({"task": task, "deleted": True, "examples": count})
    else:
        typer.echo(f"task {task!r} with {count} examples is deleted")
