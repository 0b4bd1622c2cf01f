"""`tunewise task client`: programs and types for one task."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Namespace, Server, Storage
from tunewise.cli.task.opened import TaskName, opened, url_of


def client(
    task: TaskName,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to.")],
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
) -> None:
    """Write feed, refine and infer as programs of their own, and a module of the task's types."""
    if server is not None:
        from tunewise.service.client import Client

        folder = Client(server).task(task).client(output)
        for path in sorted(folder.iterdir()):
            typer.echo(str(path))
        return
    from tunewise.declarative.clients import write_client
    from tunewise.study.folders import sqlite_file

    found = opened(task, storage, namespace)
    url = url_of(storage)
    file = sqlite_file(url)
    address = url if file is None else f"sqlite:///{file.absolute()}"
    command = (str(Path(sys.executable).absolute()), "-m", "tunewise")
    written = write_client(output, found.program, task, address, namespace or "", command)
    for path in written:
        typer.echo(str(path))
