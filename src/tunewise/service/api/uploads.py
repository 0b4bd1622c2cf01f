"""Files that came by HTTP, in a folder of their own for as long as they are read."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tunewise.errors import TunewiseError
from tunewise.service.problems import Problem

_DEEPEST = 6
"""Folders within folders that a file's name may say."""


@dataclass(frozen=True)
class Uploaded:
    """A file under the name that whoever sent it gave."""

    name: str
    file: BinaryIO


@contextmanager
def saved(files: Sequence[Uploaded]) -> Iterator[Path]:
    """The file, or the folder of several, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        root = Path(folder, "upload")  # which examples name as their source
        root.mkdir()
        paths = [kept(root, each) for each in files]
        try:
            yield paths[0] if len(paths) == 1 and paths[0].parent == root else root
        except TunewiseError as error:
            error.args = (_without(str(error), root),)
            raise


def _without(sentence: str, root: Path) -> str:
    """A sentence without the folder, which is nobody's business and soon gone."""
    sentence = sentence.replace(repr(str(root)), "what was sent")
    return sentence.replace(f"{root}/", "").replace(str(root), "what was sent")


def kept(root: Path, given: Uploaded) -> Path:
    """Where a file lies in a folder after this, under its own name and nowhere else."""
    path = root.joinpath(*_parts(given.name))
    if path.exists():
        raise Problem(422, f"two files are called {given.name!r:.80}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            shutil.copyfileobj(given.file, file)
    except OSError as error:
        raise Problem(422, f"{given.name!r:.80} is no name of a file") from error
    return path


def _parts(name: str) -> list[str]:
    """The folders and the name of a file; whatever would lead elsewhere is refused."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in "/."]
    wrong = not parts or len(parts) > _DEEPEST or not name.isprintable()
    if wrong or any(part == ".." or len(part.encode()) > 200 for part in parts):
        raise Problem(422, f"{name!r:.80} is no name of a file")
    return parts
