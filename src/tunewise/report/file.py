"""Pages as files: the charts' library is written once, beside all pages of a folder."""

from pathlib import Path

from tunewise.report.layout.document import charts_library


def save(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    passing = path.with_name(f".{path.name}.part")
    passing.write_text(text, encoding="utf-8", newline="\n")
    passing.replace(path)


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
