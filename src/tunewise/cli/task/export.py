"""`tunewise task export`: take the best model elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Namespace, Server, Storage
from tunewise.cli.task.opened import TaskName, reached


def export(
    task: TaskName,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="PATH", help="A .onnx file, or a new folder."),
    ],
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
) -> None:
    """Write the best model as one ONNX file, or as a folder that answers by itself."""
    path = reached(task, storage, namespace, server).export(output)
    typer.echo(str(path))
    if path.is_dir():
        typer.echo(f"ask it with: python {path / 'infer.py'} INPUT", err=True)
