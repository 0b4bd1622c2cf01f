"""Where the results of a job file go: its storage and its report."""

import os
from pathlib import Path

from tunewise.errors import StudyError
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.fields import JobFields
from tunewise.job.jobfile import JobFile
from tunewise.job.loading import DEFAULT
from tunewise.space import Space
from tunewise.storage.secrets import stated
from tunewise.study.folders import sqlite_file, within
from tunewise.study.opening import STORES, open_store
from tunewise.study.store import Store, checked_namespace


def storage_of(file: JobFile, asked: str | None) -> str:
    """The URL of the storage: as asked for, as the job file says, or in this folder."""
    if asked is not None:
        return asked
    said = file.fields.storage
    if said is None:
        return DEFAULT
    said = stated(said, file.folder)
    path = sqlite_file(said)
    return said if path is None else f"sqlite:///{file.folder / path}"


def check_places(
    fields: JobFields, folder: Path, space: Space | None, diagnostics: Diagnostics
) -> None:
    """Note what is wrong with where a job file wants its results."""
    with diagnostics.at("storage"):
        if fields.storage is not None:
            refuse_unknown_store(stated(fields.storage, folder))
    with diagnostics.at("namespace"):
        if fields.namespace is not None:
            checked_namespace(fields.namespace)
    with diagnostics.at("report"):
        if fields.report is not None:
            refuse_unwritable(within(folder, fields.report))


def looked_into(url: str, namespace: str | None) -> Store:
    """The store of a URL; none is made where there is none, and refused where none could be."""
    path = sqlite_file(url)
    if path is None or path.exists():
        return open_store(url, namespace)
    refuse_unwritable(path, make=False, what="store", expected="a file")
    return open_store(None, namespace)


def refuse_unknown_store(url: str) -> None:
    """Refuse a URL of a kind that no store is there for; nothing is opened."""
    scheme, colon, _ = url.partition("://")
    kind = scheme.partition("+")[0]
    if colon:
        STORES.load("postgresql" if kind == "postgres" else kind)


def refuse_unwritable(
    path: Path, make: bool = True, *, what: str = "report", expected: str = "an HTML file"
) -> None:
    """Refuse a place where a report cannot be: better now than after the last trial.

    With `make` its folder need not be there yet, only the one around that. What is there must be a
    file: a device would be replaced by one.
    """
    folder = path.absolute().parent
    around = folder.parent if make and not folder.exists() else folder
    named = f"the {what} {str(path)!r}"
    if path.is_dir():
        raise StudyError(f"{named} is a folder; expected {expected}")
    if path.exists() and not path.is_file():
        raise StudyError(f"{named} is a device or a pipe; expected {expected}")
    if not around.is_dir():
        raise StudyError(f"{named} has no place: there is no folder {around}")
    if not os.access(around, os.W_OK):
        raise StudyError(f"{named} may not be written: {around} is read only")
