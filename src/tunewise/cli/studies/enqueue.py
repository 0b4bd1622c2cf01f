"""`tunewise enqueue`: have a config that a person believes in tried next."""

from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, found, print_json


def enqueue(
    study: StudyName,
    values: Annotated[
        list[str],
        typer.Argument(metavar="PARAMETER=VALUE...", help="A value for every parameter."),
    ],
    fraction: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of the training data to use.")
    ] = 1.0,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Have a config of your own tried next; what it does not say is drawn."""
    from tunewise.space.words import config_of

    with found(storage, study, namespace) as stored:
        trial = stored.put_first(config_of(values, stored.problem.space), fraction)
    if json:
        asked = {"trial": trial.number, "config": trial.config, "fraction": trial.fraction}
        print_json({"study": study, **asked})
    else:
        typer.echo(f"trial {trial.number} waits in study {study!r}: it is run next")
