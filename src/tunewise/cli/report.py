"""`tunewise report`: a study as one HTML file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Output, Storage, StudyName

if TYPE_CHECKING:
    from tunewise.cli.stored import Stored


def report(
    study: StudyName,
    output: Output = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    storage: Storage = None,
) -> None:
    """Write a study's report as one HTML file.

    It has all charts and works offline. Without --output it is STUDY-report.html in this folder.
    """
    from tunewise.cli.stored import found

    path = output or Path(f"{study.replace('/', '_')}-report.html")
    with found(storage, study) as stored:
        write(stored, path)
    typer.echo(f"the report is in {path}")
    if open_it:
        typer.launch(str(path.absolute()))


def write(stored: "Stored", path: Path) -> None:
    """Write the report of a study, whole or not at all."""
    from tunewise.report.page import render

    put(path, render(stored.record, stored.problem, stored.history, stored.recommend()))


def put(path: Path, page: str) -> None:
    """Write a page to a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_name(f".{path.name}.part")
    passing.write_text(page, encoding="utf-8")
    passing.replace(path)
