"""`tunewise delete`: forget a study, or a training."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, OfTraining, Storage, StudyName, print_json
from tunewise.errors import StudyError

if TYPE_CHECKING:
    from tunewise.study import Store

_LONGEST_ANSWER = 60.0
"""Seconds for which other machines may not go on with a training while a person is asked."""


def delete(
    study: StudyName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    training: OfTraining = False,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Delete a study with its trials, logs and results, or a training with its checkpoint."""
    from tunewise.cli.studies.stored_study import opened
    from tunewise.cli.training.stored import has_training

    with opened(storage, namespace) as store:
        if has_training(store, study, training):
            deleted = _training(store, study, yes, storage, namespace)
        else:
            deleted = _study(store, study, yes)
    if json:
        print_json(deleted)
    elif "study" in deleted:
        typer.echo(f"study {study!r} with {deleted['trials']} trials is deleted")
    else:
        typer.echo(f"training {study!r} with {deleted['iterations']:,} iterations is deleted")


def _study(store: "Store", name: str, yes: bool) -> dict[str, Any]:
    from tunewise.study.folders import forget

    record = store.load(name)
    count = len(store.history(name))
    _agree(yes, f"study {name!r}", f"{count} trials", "their logs")
    store.delete(name)
    # Results that stay behind would be taken for those of a new study of this name.
    if folder := record.noted.folder:
        forget(Path(folder), count)
    return {"study": name, "deleted": True, "trials": count}


def _training(
    store: "Store", name: str, yes: bool, storage: str | None, namespace: str | None
) -> dict[str, Any]:
    from tunewise.cli.training.folder import folder_of, forget
    from tunewise.study.owner import Owner

    runs, here = store.runs(), Owner.here()
    runs.own(name, here, _LONGEST_ANSWER)  # refused while it runs, and none begins meanwhile
    try:
        # Counted without a look at what they say: one that is damaged can be deleted too.
        count = sum("reported" in event or "earlier" in event for event in runs.events(name))
        _agree(yes, f"training {name!r}", f"{count:,} iterations", "its checkpoint")
        runs.delete(name)
    finally:
        runs.disown(name, here)
    forget(folder_of(storage, namespace, name))
    return {"training": name, "deleted": True, "iterations": count}


def _agree(yes: bool, what: str, size: str, also: str) -> None:
    """Go on only where a person agrees."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise StudyError(f"{what} has {size}; add --yes to delete it")
    if not typer.confirm(f"Delete {what} with {size} and {also}?", err=True):
        raise typer.Exit(1)
