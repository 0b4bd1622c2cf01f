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
    json: Json = False,
) -> None:
    """Write a commented job file that runs as it is.

    It comes with a small training script. A train.py that is there already is left alone.
    """
    if file.exists() and not force:
        raise JobFileError(f"{file} exists; choose another name, or overwrite it with --force")
    script = file.with_name("train.py")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_template("job.yaml"), encoding="utf-8")
    written = [str(file)]
    if not script.exists():
        script.write_text(_template("train.py"), encoding="utf-8")
        written.append(str(script))
    if json:
        print_json({"written": written})
        return
    typer.echo(f"wrote {' and '.join(written)}; run it with: tunewise tune {file}")


def _template(name: str) -> str:
    return files("tunewise.cli").joinpath("templates", name).read_text(encoding="utf-8")
