"""`tunewise task export`: take the best model elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Namespace, Storage
from tunewise.cli.task.opened import TaskName, opened


def export(
    task: TaskName,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="PATH", help="A .onnx file, or a new folder."),
    ],
    storage: Storage = None,
    namespace: Namespace = None,
) -> None:
    """Write the best model as one ONNX file, or as a folder that answers by itself."""
    path = opened(task, storage, namespace).export(output)
    typer.echo(str(path))
    if path.is_dir():
        typer.echo(f"ask it with: python {path / 'infer.py'} INPUT", err=True)
