"""`tunewise ui`: the pages of a storage, on this machine alone."""

from typing import Annotated

import typer

from tunewise.cli.options import Storage


def ui(
    storage: Storage = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=65535, help="Default: a free one.", show_default=False
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the pages in the browser.")
    ] = True,
) -> None:
    """Look at the studies, trainings and tasks of a storage in the browser; nothing is changed."""
    from tunewise.errors import optional
    from tunewise.job.loading import DEFAULT, stored

    optional("fastapi", "serve")
    from tunewise.service.ui import serve

    url = storage or DEFAULT
    stored(url).close()  # says so where there is none
    serve(url, port or 0, browser, lambda address: typer.echo(f"{address} (Ctrl-C ends it)"))
