"""`tunewise work`: help with a study from any machine that reaches its storage."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import JsonLines, Namespace, Quiet, Storage, given


def work(
    study: Annotated[str, typer.Option(metavar="NAME", help="The study to join.")],
    storage: Storage = None,
    namespace: Namespace = None,
    parallel: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Trials at once in this process.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Go on until the study has so many trials."),
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Leave after a time such as 600 or '10 min'.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the job's own files are on this machine.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    json: JsonLines = False,
    quiet: Quiet = False,
) -> None:
    """Join a study that `tunewise tune` began, here or on another machine.

    The job file comes out of the storage. Every process that joins gives out trials of its own;
    each trial is run once, and all together keep the budget.
    """
    from tunewise.cli.tuning.run import join

    changes = given(parallel=parallel, trials=trials, timeout=timeout)
    join(storage, study, namespace, changes, folder, json=json, quiet=quiet)
