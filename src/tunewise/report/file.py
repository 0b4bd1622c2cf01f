"""Pages as files: the charts' library is written once, beside all pages of a folder."""

from contextlib import suppress
from pathlib import Path

from tunewise.errors import StudyError
from tunewise.job.tuning.places import refuse_unwritable
from tunewise.report.layout.document import charts_library
from tunewise.report.page import render
from tunewise.study.stored import StoredStudy


def write(study: StoredStudy, path: Path, *, self_contained: bool = False) -> None:
    """Write the report of a study, whole or not at all."""
    script = library(path, self_contained)
    record, best = study.store.load(study.name), study.recommendation
    save(path, render(record, study.problem, study.history, best, script))


def save(path: Path, text: str) -> None:
    """Write a file, whole or not at all: what was there stays where the disk is full."""
    passing = path.with_name(f".{path.name}.part")
    try:
        passing.write_text(text, encoding="utf-8", newline="\n")
        passing.replace(path)
    except OSError as error:
        with suppress(OSError):
            passing.unlink(missing_ok=True)
        raise StudyError(
            f"{str(path)!r} could not be written: {error.strerror or error}; what was there stays"
        ) from error


def library(path: Path, self_contained: bool) -> str | None:
    """The file that draws the charts of a page of this path; None where the page has it inside.

    The folder of the page is made, but none around that.
    """
    refuse_unwritable(path)
    path.parent.mkdir(exist_ok=True)
    return None if self_contained else library_beside(path)


def library_beside(path: Path) -> str:
    """The file of the charts' library for a page of this path; written where it is missing."""
    beside, library = path.with_name(library_name()), charts_library()
    if not beside.is_file() or beside.stat().st_size != len(library.encode()):
        save(beside, library)
    return beside.name


def library_name() -> str:
    """The file of the charts' library: with its version, since pages of two may share a folder."""
    from importlib.metadata import version

    return f"plotly-{version('plotly')}.min.js"
