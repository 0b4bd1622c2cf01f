"""`tunewise task feed`: add examples."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, print_json
from tunewise.cli.task.narration import waiting
from tunewise.cli.task.opened import (
    TaskName,
    end_if_nothing_fits,
    given,
    reached,
    say_fed,
    standard_input,
)


def feed(
    task: TaskName,
    data: Annotated[
        str,
        typer.Argument(metavar="PATH", help="A file, a folder, or - for JSON lines from a pipe."),
    ],
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column with the answer.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be kept.")
    ] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Add examples: what does not fit is told line by line, the rest is kept."""
    found = reached(task, storage, namespace, server)
    path = given(data)
    if path is None:
        with TemporaryDirectory() as folder:
            piped = Path(folder, "pipe.jsonl")
            piped.write_text(standard_input(), encoding="utf-8")
            fed = found.feed(piped, label=label, dry_run=dry_run)
    else:
        with waiting(f"reading {path.name}"):
            fed = found.feed(path, label=label, dry_run=dry_run)
    if json:
        refused = [{"where": one.where, "reason": one.reason} for one in fed.refused]
        counts = {"added": fed.added, "known": fed.known, "version": fed.version}
        print_json({**counts, "refused": refused, "notes": fed.notes})
    else:
        say_fed(fed, "would be: " if dry_run else "")
    end_if_nothing_fits(fed)
