"""`tunewise backup` and `tunewise restore`: a storage with its files in one file, and back."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import Storage


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, such as today.tar.")],
    storage: Storage = None,
) -> None:
    """Write a storage with its tasks' files into one file, while others go on writing."""
    from tunewise.job.loading import DEFAULT
    from tunewise.storage.copies.backup import back_up

    size = back_up(storage or DEFAULT, file)
    typer.echo(f"{file} has {size:,} bytes; bring it back with: tunewise restore {file}")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of `tunewise backup`.")],
    storage: Storage = None,
) -> None:
    """Bring a back-up back into a storage that is empty or not there yet, of either kind."""
    from tunewise.job.loading import DEFAULT
    from tunewise.storage.copies import backup as kept

    kept.restore(file, storage or DEFAULT)
    typer.echo(f"{file} is brought back")
