"""Arguments and options that several commands share."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tunewise.format.printable import escaped_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from tunewise.service.client import Client
    from tunewise.study import Store, Study

_WIDE = 160
"""Columns of what is printed into a pipe or a file, where nothing needs to be cut."""


def known_studies(incomplete: str) -> list[str]:
    """For the shell's completion: the studies of the default storage."""
    from tunewise.errors import TunewiseError

    try:
        with opened(None) as store:
            names = [record.name for record in store.studies()]
    except TunewiseError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def _stated(storage: str | None) -> str | None:
    """The URL as it is given or as the file says that is named; its password is never printed."""
    if storage is None:
        return None
    from tunewise.errors import TunewiseError
    from tunewise.screen import keep_secret
    from tunewise.storage.secrets import secrets_in, stated

    keep_secret(*secrets_in(storage))
    try:
        url = stated(storage, Path())
    except TunewiseError as error:
        raise typer.BadParameter(str(error)) from error
    keep_secret(*secrets_in(url))
    return url


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
        help="Where studies are kept: a .db file, a URL, or @FILE with a URL in it. Default:"
        " tunewise.db in this folder.",
        callback=_stated,
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
Server: TypeAlias = Annotated[
    str | None,
    typer.Option(
        envvar="TUNEWISE_SERVER",
        metavar="URL",
        help="A service to ask in place of a storage; TUNEWISE_TOKEN lets you in.",
        show_default=False,
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
JsonLines: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line, for machines.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Check the job file, say the plan, run nothing.")
]
ReportFile: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the report to this HTML file.")
]
OfTraining: TypeAlias = Annotated[
    bool, typer.Option("--training", help="The training of this name, where a study has it too.")
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", show_default=False),
]


def given(**options: Any) -> dict[str, Any]:
    """Those of the options that a person gave."""
    return {name: value for name, value in options.items() if value is not None}


@contextmanager
def opened(storage: str | None, namespace: str | None = None) -> Iterator["Store"]:
    """The store behind a URL, which must be there already, with the studies of a namespace."""
    from tunewise.job.loading import DEFAULT, stored

    with closing(stored(storage or DEFAULT, namespace)) as store:
        yield store


@contextmanager
def downloaded(
    server: str | None, storage: str | None, name: str, training: bool = False
) -> Iterator[str | None]:
    """The storage with a study or a training: as named, or as a service gave it."""
    if server is None:
        yield storage
        return
    from tempfile import TemporaryDirectory

    from tunewise.service.client import Client

    client = Client(server)
    with TemporaryDirectory(prefix="tunewise-") as folder:
        file = Path(folder, "tunewise.db")
        found = training or _is_training(client, name)
        client.download(name, file, found)
        yield str(file)


def _is_training(client: "Client", name: str) -> bool:
    """Whether a name means a training: where one has it, and no study does."""
    names = {row["name"] for row in client.trainings()}
    return name in names and name not in {row["name"] for row in client.studies()}


def found(storage: str | None, study: str, namespace: str | None = None) -> "Study":
    """A stored study by its name, to be closed after use."""
    from tunewise.job.listing import as_listed
    from tunewise.job.loading import DEFAULT, load_study

    with opened(storage, namespace) as store:
        name = as_listed(store, study)
    return load_study(storage or DEFAULT, name, namespace=namespace)


def say(*parts: "RenderableType") -> None:
    """Print lines, which stay whole, and tables, which fit themselves to the terminal."""
    from rich.text import Text

    out = console()
    for part in parts:
        out.print(part, soft_wrap=isinstance(part, str | Text))


def console() -> "Console":
    """Standard output, with colours where it has them; "[/x]" in a name is no markup."""
    from tunewise.screen import screen

    out = screen()
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = _WIDE
    return out


def print_json(data: Any, indent: int | None = 1) -> None:
    """Print data as JSON; what JSON has no word for (infinity) becomes null."""
    import json

    text = json.dumps(_finite(data), indent=indent, ensure_ascii=False, default=str)
    sys.stdout.write(escaped_json(text) + "\n")
    sys.stdout.flush()


def _finite(data: Any) -> Any:
    if isinstance(data, float) and data - data != 0:
        return None
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
