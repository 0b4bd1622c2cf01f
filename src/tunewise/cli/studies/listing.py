"""`tunewise list`: the studies and the trainings of a storage."""

from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, opened, print_json, say


def list_studies(
    trainings: Annotated[
        bool, typer.Option("--trainings", help="Only what `tunewise train` runs.")
    ] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """List the studies and the trainings of a storage."""
    from tunewise.job.listing import study_rows, training_rows
    from tunewise.report.terminal.studies import studies_table
    from tunewise.report.terminal.training import trainings_table

    # Machines were told of studies alone before there were trainings.
    wanted = trainings or not json
    if server is not None:
        from tunewise.service.client import Client

        client = Client(server)
        rows = [] if trainings else client.studies()
        runs = client.trainings() if wanted else []
    else:
        with opened(storage, namespace) as store:
            rows = [] if trainings else study_rows(store)
            runs = training_rows(store) if wanted else []
    if json:
        print_json(runs if trainings else rows)
    elif rows or runs:
        say(*[studies_table(rows)] * bool(rows), *[""] * bool(rows and runs))
        say(*[trainings_table(runs)] * bool(runs))
    else:
        what = "trainings" if trainings else "studies or trainings"
        tune = "" if trainings else "`tunewise tune job.yaml` or "
        typer.echo(f"no {what} yet; {tune}`tunewise train job.yaml` makes one")
