"""`tunewise export`: all trials of a study, for other tools."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    Output,
    Server,
    Storage,
    StudyName,
    downloaded,
    found,
)


class Format(StrEnum):
    """How trials are written."""

    CSV = "csv"
    JSON = "json"


def export(
    study: StudyName,
    format: Annotated[  # noqa: A002 - it is what the option is called
        Format, typer.Option("--format", "-f", help="csv has a row for each trial.")
    ] = Format.CSV,
    output: Output = None,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Write all trials of a study as CSV or JSON."""
    from tunewise.report.export import as_csv, as_json
    from tunewise.report.file import save

    whose = namespace if server is None else None
    with downloaded(server, storage, study) as place, found(place, study, whose) as stored:
        count = len(stored.history)
        text = (as_json if json or format is Format.JSON else as_csv)(stored)
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if output.exists() and not output.is_file():  # a device or a pipe has nothing to lose
        output.write_text(text, encoding="utf-8")
    else:
        save(output, text)
    typer.echo(f"{count} trials are in {output}", err=True)
