"""`tunewise stop`: end one trial, or the whole run of a study, from another terminal."""

from typing import Annotated

import typer

from tunewise.cli.options import (
    Json,
    Namespace,
    Server,
    Storage,
    StudyName,
    opened,
    print_json,
)


def stop(
    study: StudyName,
    trial: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop only this trial; the run goes on without it."),
    ] = None,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for what runs to end.")
    ] = 15.0,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Stop a running trial, or the whole run.

    What trials have cost stays booked. Stopped ones are not run again.
    """
    if server is not None:
        _stop_from_afar(server, study, trial, json)
        return
    from tunewise.job.listing import as_listed
    from tunewise.study.run.control import stop_run, stop_trial

    with opened(storage, namespace) as store:
        study = as_listed(store, study)
        if trial is None:
            asked = stop_run(store, study, wait)
        else:
            asked = stop_trial(store, study, trial, wait)
    if json:
        print_json({"study": study, "stopped": asked.ended, "running": asked.running})
    else:
        typer.echo(asked.sentence)


def _stop_from_afar(server: str, study: str, trial: int | None, json: bool) -> None:
    from tunewise.service.client import Client

    if trial is not None:
        raise typer.BadParameter("one trial is stopped where it runs; a service stops a study")
    said = Client(server).stop(study)
    print_json({"study": study, "said": said}) if json else typer.echo(said)
