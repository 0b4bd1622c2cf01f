"""`tunewise init`: a job file to start from."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Json, print_json


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path(
        "job.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    train: Annotated[
        bool, typer.Option("--train", help="For `tunewise train`: a training that tunes itself.")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of job files, for editors.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a commented job file that runs as it is.

    It comes with a small training script: train.py, or loop.py with --train. One that is there
    already is left alone. With --schema nothing is written.
    """
    from tunewise.job.templates import write

    if schema:
        from tunewise.job.templates.schema import schema as of_job_files

        print_json(of_job_files("train" if train else "tune"))
        return
    written = [str(each) for each in write(file, "train" if train else "tune", force=force)]
    if json:
        print_json({"written": written})
        return
    command = "train" if train else "tune"
    typer.echo(f"wrote {' and '.join(written)}; run it with: tunewise {command} {file}")
