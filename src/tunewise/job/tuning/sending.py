"""The files that a job file names, so that they can go with it to where it runs."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tunewise.errors import JobFileError
from tunewise.format import number
from tunewise.job.yaml_document import read

MOST_BYTES = 10 * 1024 * 1024
MOST_FILES = 1000
"""What goes with one job file."""

_APART = re.compile(r"[\s=:;,'\"]+")


def files_of(job: Path, text: str, more: Sequence[str | Path] = ()) -> dict[str, bytes]:
    """The content of files in the folder of a job file, by their paths from there.

    These are what its command or function names, catalogues of prices, modules beside them that
    they import, and `more`: files, or folders with all that is in them.

    Raises:
        JobFileError: One of `more` is not in the folder, or all are too large.
    """
    folder = Path(os.path.normpath(job.absolute().parent))
    found = dict.fromkeys(_named(job, folder, text))
    for path in (Path(os.path.normpath(Path(each).absolute())) for each in more):
        if not (path.exists() and path.is_relative_to(folder)):
            raise JobFileError(
                f"{str(path)!r} cannot be sent; expected a file or folder in {folder}"
            )
        found |= dict.fromkeys(_inside(path))
    _follow(found, folder)
    found.pop(folder / job.name, None)
    bytes_of = sum(path.stat().st_size for path in found)
    if bytes_of > MOST_BYTES or len(found) > MOST_FILES:
        raise JobFileError(
            f"{job.name} names {len(found):,} files with {number(bytes_of / 1e6, 3)} MB; a service"
            f" takes {MOST_FILES:,} with {MOST_BYTES / 1e6:.0f} MB: put what is large where the"
            " service runs, and name it by its whole path"
        )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _named(job: Path, folder: Path, text: str) -> Iterator[Path]:
    said = read(text, job.name).data
    fields = said if isinstance(said, dict) else {}
    beside = [folder, folder / str(fields.get("cwd") or "")]
    texts = [*_texts([fields.get("command"), fields.get("python")]), *_catalogues(fields)]
    for word in (word for one in texts for word in _APART.split(one)):
        for path in (Path(os.path.normpath(place / word)) for place in beside if word):
            if path != folder and path.is_relative_to(folder):
                yield from _inside(path) if path.exists() else _modules(path.parent, word)


def _texts(said: Any) -> Iterator[str]:
    if isinstance(said, list):
        for each in said:
            yield from _texts(each)
    elif said is not None:
        yield str(said)


def _catalogues(said: Any) -> Iterator[str]:
    """What stands under `catalogue`, at any depth."""
    for key, each in said.items() if isinstance(said, dict) else ():
        if key == "catalogue":
            yield from _texts(each)
        yield from _catalogues(each)


def _inside(path: Path) -> Iterator[Path]:
    """A file, or the files of a folder without hidden ones and what Python has compiled."""
    if path.is_file():
        yield path
    for each in sorted(path.iterdir()) if path.is_dir() else ():
        if each.name[0] != "." and each.name != "__pycache__":
            yield from _inside(each)


def _follow(found: dict[Path, None], folder: Path) -> None:
    """Add the modules beside Python files that these import, and so on."""
    waiting = [path for path in found if path.suffix == ".py"]
    while waiting:
        file = waiting.pop()
        for name, place in _imports(file):
            for base in dict.fromkeys((place, folder)):
                new = [m for m in _modules(base, name) if m not in found]
                new = [m for m in new if m.is_relative_to(folder)]
                found |= dict.fromkeys(new)
                waiting += new


def _imports(file: Path) -> Iterator[tuple[str, Path]]:
    """What a Python file imports, and the folder that it may lie in."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return  # which is said where it is run
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, file.parent) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            place = file.parents[max(node.level - 1, 0)]
            start = f"{node.module}." if node.module else ""
            yield from ((f"{start}{each.name}", place) for each in node.names)


def _modules(base: Path, name: str) -> Iterator[Path]:
    """The files of a module, and of the packages around it."""
    words = name.split(".")
    if all(word.isidentifier() or word == "*" for word in words):
        for count in range(1, len(words) + 1):
            path = base.joinpath(*words[:count])
            yield from (p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file())
