"""`tunewise report`: a study as one HTML file."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Json, Output, Storage, StudyName, print_json
from tunewise.errors import StudyError

if TYPE_CHECKING:
    from tunewise.cli.stored import Stored


def report(
    study: StudyName,
    output: Output = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    storage: Storage = None,
    json: Json = False,
) -> None:
    """Write a study's report as one HTML file.

    It has all charts and works offline. Without --output it is STUDY-report.html in this folder.
    """
    from tunewise.cli.stored import found

    path = output or Path(f"{study.replace('/', '_')}-report.html")
    with found(storage, study) as stored:
        write(stored, path)
    if json:
        print_json({"study": study, "report": str(path.absolute())})
    else:
        typer.echo(f"the report is in {path}")
    if open_it:
        typer.launch(str(path.absolute()))


def write(stored: "Stored", path: Path) -> None:
    """Write the report of a study, whole or not at all."""
    from tunewise.report.page import render

    put(path, render(stored.record, stored.problem, stored.history, stored.recommend()))


def refuse_unwritable(path: Path, make: bool = True) -> None:
    """Refuse a place where a report cannot be: better now than after the last trial.

    With `make` its folder need not be there yet, only the one around that.
    """
    folder = path.absolute().parent
    around = folder.parent if make and not folder.exists() else folder
    if path.is_dir():
        raise StudyError(f"the report {str(path)!r} is a folder; expected an HTML file")
    if not around.is_dir():
        raise StudyError(f"the report {str(path)!r} has no place: there is no folder {around}")
    if not os.access(around, os.W_OK):
        raise StudyError(f"the report {str(path)!r} may not be written: {around} is read only")


def put(path: Path, page: str) -> None:
    """Write a page to a file, whole or not at all; its folder is made, but none around that."""
    refuse_unwritable(path)
    path.parent.mkdir(exist_ok=True)
    passing = path.with_name(f".{path.name}.part")
    passing.write_text(page, encoding="utf-8")
    passing.replace(path)
