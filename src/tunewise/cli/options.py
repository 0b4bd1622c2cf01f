"""Arguments and options that several commands share."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 160
"""Columns of what is printed into a pipe or a file, where nothing needs to be cut."""


def known_studies(incomplete: str) -> list[str]:
    """For the shell's completion: the studies of the default storage."""
    from tunewise.cli.studies.stored_study import study_names

    return [name for name in study_names() if name.startswith(incomplete)]


StudyName: TypeAlias = Annotated[
    str, typer.Argument(metavar="STUDY", help="The study's name.", autocompletion=known_studies)
]
AnyStudyName: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY",
        help="The study's name.",
        autocompletion=known_studies,
        show_default=False,
    ),
]
Storage: TypeAlias = Annotated[
    str | None,
    typer.Option(
        envvar="TUNEWISE_STORAGE",
        metavar="URL",
        help="Where studies are kept: a .db file or a URL. Default: tunewise.db in this folder.",
        show_default=False,
    ),
]
Namespace: TypeAlias = Annotated[
    str | None,
    typer.Option(
        envvar="TUNEWISE_NAMESPACE",
        metavar="NAME",
        help="Whose studies, where several people share a storage.",
        show_default=False,
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
OfTraining: TypeAlias = Annotated[
    bool, typer.Option("--training", help="The training of this name, where a study has it too.")
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", show_default=False),
]


def console() -> "Console":
    """Standard output, with colours where it has them; "[/x]" in a name is no markup."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command, which knows the exit code for it."""
            raise BrokenPipeError

    out = Output(highlight=False, markup=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = _WIDE
    return out


def print_json(data: Any, indent: int | None = 1) -> None:
    """Print data as JSON; what JSON has no word for (infinity) becomes null."""
    import json

    text = json.dumps(_finite(data), indent=indent, ensure_ascii=False, default=str)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _finite(data: Any) -> Any:
    if isinstance(data, float) and data - data != 0:
        return None
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
