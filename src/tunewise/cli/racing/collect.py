"""`tunewise collect`: measure a job file's whole grid, and write it as a table."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Quiet

Table = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="CSV",
        help="The table to write. Default: the job's name, in this folder.",
        show_default=False,
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Begin no run after a time such as 600 or '45 min'."),
]


def collect(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).")],
    output: Table = None,
    repeats: Annotated[int, typer.Option(metavar="R", min=1, help="Runs of each.")] = 3,
    parallel: Annotated[int, typer.Option(metavar="K", min=1, help="Runs at once.")] = 1,
    timeout: Timeout = None,
    quiet: Quiet = False,
) -> None:
    """Measure every config of a job file at every fraction, as a table for `tunewise replay`.

    What was measured is kept beside the table. Ctrl-C is safe: run the same command again to go
    on, also with more repeats or values.
    """
    from tunewise.cli.racing.collecting import collected

    collected(job, output, repeats, parallel, timeout, quiet=quiet)
