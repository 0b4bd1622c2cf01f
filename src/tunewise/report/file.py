"""Pages as files: the charts' library is written once, beside all pages of a folder."""

from collections.abc import Callable
from pathlib import Path

from tunewise.report.layout.document import charts_library


def save(path: Path, page: Callable[[str | None], str], *, self_contained: bool = False) -> None:
    """Write a page, whole or not at all; with `self_contained` it needs no other file.

    `page` makes the page from the name of the library's file, or from None to have it inside.
    """
    if self_contained:
        _put(path, page(None))
        return
    name = library_name()
    beside = path.with_name(name)
    library = charts_library()
    if not beside.is_file() or beside.stat().st_size != len(library.encode()):
        _put(beside, library)
    _put(path, page(name))


def library_name() -> str:
    """The file of the charts' library: with its version, since pages of two may share a folder."""
    from importlib.metadata import version

    return f"plotly-{version('plotly')}.min.js"


def _put(path: Path, text: str) -> None:
    passing = path.with_name(f".{path.name}.part")
    passing.write_text(text, encoding="utf-8", newline="\n")
    passing.replace(path)
