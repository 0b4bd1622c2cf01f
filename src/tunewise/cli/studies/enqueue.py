"""`tunewise enqueue`: have a config that a person believes in tried next."""

from typing import Annotated

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    Server,
    Storage,
    StudyName,
    downloaded,
    found,
    print_json,
)


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
    server: Server = None,
    json: Json = False,
) -> None:
    """Have a config of your own tried next; what it does not say is drawn."""
    from tunewise.space.words import config_of

    whose = namespace if server is None else None
    with downloaded(server, storage, study) as place, found(place, study, whose) as stored:
        config = config_of(values, stored.problem.space)
        if server is None:
            trial = stored.put_first(config, fraction)
            asked = {"trial": trial.number, "config": trial.config, "fraction": trial.fraction}
        else:
            from tunewise.service.client import Client

            asked = Client(server).enqueue(study, config, fraction)
    if json:
        print_json({"study": study, **asked})
    else:
        typer.echo(f"trial {asked['trial']} waits in study {study!r}: it is run next")
