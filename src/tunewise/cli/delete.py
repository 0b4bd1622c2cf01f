"""`tunewise delete`: forget a study."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, print_json
from tunewise.errors import StudyError


def delete(
    study: StudyName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Delete a study with its trials, logs and results."""
    from tunewise.cli.stored_study import opened
    from tunewise.study.folders import forget

    with opened(storage, namespace) as store:
        record = store.load(study)
        count = len(store.history(study))
        if not yes and not _agreed(study, count):
            raise typer.Exit(1)
        store.delete(study)
    # Results that stay behind would be taken for those of a new study of this name.
    if folder := record.noted.folder:
        forget(Path(folder), count)
    if json:
        print_json({"study": study, "deleted": True, "trials": count})
    else:
        typer.echo(f"study {study!r} with {count} trials is deleted")


def _agreed(study: str, count: int) -> bool:
    if not sys.stdin.isatty():
        raise StudyError(f"study {study!r} has {count} trials; add --yes to delete it")
    return typer.confirm(f"Delete study {study!r} with {count} trials and their logs?", err=True)
