"""`tunewise train`: run a training that tunes itself."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Namespace, Storage


def train(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="The training's job file (YAML).")],
    storage: Storage = None,
    namespace: Namespace = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The training's name; else the job file's.")
    ] = None,
    manager: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides: pace, or selftf and its kin."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Makes the choices repeatable.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to this HTML file.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the model to this .npz or .safetensors file."),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ask the model in --output about the rows of this file."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, for machines.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the job file, say the plan, run nothing.")
    ] = False,
) -> None:
    """Run a training that finds its best system settings while it runs.

    What happens is kept in tunewise.db in this folder, unless --storage or the job file says
    otherwise. Ctrl-C is safe: run the same command again to go on.
    """
    from tunewise.cli.training.run import predict_rows, run

    changes = {"name": name, "namespace": namespace, "manager": manager, "seed": seed}
    given = {key: value for key, value in changes.items() if value is not None}
    if predict is not None:
        predict_rows(job, given, output, predict)
        return
    run(job, given, storage, report, output, json=json, quiet=quiet, dry_run=dry_run)
