"""`tunewise serve`: tasks, studies and trainings for everybody, by API and pages."""

from typing import Annotated

import typer

from tunewise.cli.options import Storage


def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="To listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535)] = 8700,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="That answer requests.")
    ] = 1,
    workers: Annotated[
        int, typer.Option(metavar="N", min=0, help="Trainings of tasks at once; 0: others train.")
    ] = 1,
    accounts: Annotated[bool, typer.Option(help="Whether people sign in.")] = True,
    jobs: Annotated[
        bool | None,
        typer.Option(
            help="Whether submitted job files are run: their commands run as you do."
            " Default: only without accounts.",
            show_default=False,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where others reach it, behind a proxy for HTTPS."),
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Train tasks on this Ray cluster.")
    ] = None,
    keep_days: Annotated[
        float, typer.Option(metavar="N", min=1, help="Days for which the audit log is kept.")
    ] = 365.0,
    invite: Annotated[
        bool,
        typer.Option("--invite", help="Print a link for one more admin, who cannot sign in."),
    ] = False,
    storage: Storage = None,
) -> None:
    """Serve an API and pages, and train; the first start prints a link for the first admin."""
    from tunewise.errors import optional
    from tunewise.job.loading import DEFAULT

    optional("fastapi", "serve")
    from tunewise.service.running import Plan
    from tunewise.service.running import serve as run
    from tunewise.storage.tasks.opening import from_anywhere

    plan = Plan(
        url=from_anywhere(storage or DEFAULT),
        host=host,
        port=port,
        processes=processes,
        workers=workers,
        accounts=accounts,
        jobs=not accounts if jobs is None else jobs,
        address=None if address is None else address.rstrip("/"),
        ray=ray,
        keep_days=keep_days,
        invite=invite,
    )
    run(plan, typer.echo)
