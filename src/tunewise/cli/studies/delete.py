"""`tunewise delete`: forget a study, or a training."""

import sys
from functools import partial
from typing import Annotated

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    OfTraining,
    Server,
    Storage,
    StudyName,
    opened,
    print_json,
)
from tunewise.errors import StudyError


def delete(
    study: StudyName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    training: OfTraining = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Delete a study with its trials, logs and results, or a training with its checkpoint."""
    if server is not None:
        _delete_from_afar(server, study, yes, training, json)
        return
    from tunewise.job.listing import as_listed, is_training
    from tunewise.job.loading import DEFAULT
    from tunewise.job.training.stored import StoredTraining
    from tunewise.study.folders import delete_study

    with opened(storage, namespace) as store:
        study = as_listed(store, study)
        if training or is_training(store, study):
            kind, unit, also = "training", "iterations", "its checkpoint"
            forget = StoredTraining(store, study, storage or DEFAULT, namespace).delete
        else:
            kind, unit, also = "study", "trials", "their logs"
            forget = partial(delete_study, store, study)
        count = forget(lambda found: agree(yes, f"{kind} {study!r}", f"{found:,} {unit}", also))
    if json:
        print_json({kind: study, "deleted": True, unit: count})
    else:
        typer.echo(f"{kind} {study!r} with {count:,} {unit} is deleted")


def _delete_from_afar(server: str, name: str, yes: bool, training: bool, json: bool) -> None:
    from tunewise.service.client import Client

    kind = "training" if training else "study"
    agree(yes, f"{kind} {name!r}", "all that belongs to it", "its logs")
    Client(server).delete(name, training)
    print_json({kind: name, "deleted": True}) if json else typer.echo(f"{kind} {name!r} is deleted")


def agree(yes: bool, what: str, size: str, also: str) -> None:
    """Go on only where a person agrees."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise StudyError(f"{what} has {size}; add --yes to delete it")
    if not typer.confirm(f"Delete {what} with {size} and {also}?", err=True):
        raise typer.Exit(1)
