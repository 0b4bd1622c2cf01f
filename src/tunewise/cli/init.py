"""`tunewise init`: a job file to start from."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Json, print_json
from tunewise.errors import JobFileError


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path(
        "job.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    train: Annotated[
        bool, typer.Option("--train", help="For `tunewise train`: a training that tunes itself.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a commented job file that runs as it is.

    It comes with a small training script: train.py, or loop.py with --train. One that is there
    already is left alone.
    """
    if file.exists() and not force:
        raise JobFileError(f"{file} exists; choose another name, or overwrite it with --force")
    file.parent.mkdir(parents=True, exist_ok=True)
    job, program = ("training.yaml", "loop.py") if train else ("job.yaml", "train.py")
    script = file.with_name(program)
    file.write_text(_template(job), encoding="utf-8")
    written = [str(file)]
    if not script.exists():
        script.write_text(_template(program), encoding="utf-8")
        written.append(str(script))
    if json:
        print_json({"written": written})
        return
    command = "train" if train else "tune"
    typer.echo(f"wrote {' and '.join(written)}; run it with: tunewise {command} {file}")


def _template(name: str) -> str:
    return files("tunewise.cli").joinpath("templates", name).read_text(encoding="utf-8")
