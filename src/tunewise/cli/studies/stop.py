"""`tunewise stop`: end one trial, or the whole run of a study, from another terminal."""

from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, opened, print_json


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
    json: Json = False,
) -> None:
    """Stop a running trial, or the whole run.

    What trials have cost stays booked. Stopped ones are not run again.
    """
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
