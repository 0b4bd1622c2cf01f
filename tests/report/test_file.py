"""Pages as files: small, because those of a folder share the library that draws charts."""

import re
from pathlib import Path

from tests.report.studies import maximising, mixed, recommended, record
from tests.report.test_browser import opened_file
from tunewise.report.file import library_beside, library_name, save
from tunewise.report.page import render


def written(path: Path) -> None:
    """A page at this path, and the library beside it."""
    save(path, render(record(), maximising(), mixed(), recommended(), library_beside(path)))


def test_pages_of_a_folder_share_one_library(tmp_path: Path) -> None:
    written(tmp_path / "a.html")
    library = tmp_path / library_name()
    before = library.stat().st_mtime_ns
    written(tmp_path / "b.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.html", library.name]
    assert library.stat().st_mtime_ns == before, "written once"
    assert (tmp_path / "a.html").stat().st_size < 200_000
    assert re.fullmatch(r"plotly-[\d.]+\.min\.js", library.name)


def test_a_library_that_was_cut_short_is_written_again(tmp_path: Path) -> None:
    (tmp_path / library_name()).write_text("var half")
    written(tmp_path / "a.html")
    assert (tmp_path / library_name()).stat().st_size > 1_000_000


def test_a_self_contained_page_is_one_file(tmp_path: Path) -> None:
    save(tmp_path / "a.html", render(record(), maximising(), mixed(), recommended()))
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert "<script src=" not in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_charts_are_drawn_from_the_file_beside_the_page(tmp_path: Path) -> None:
    written(tmp_path / "a.html")
    seen, console = opened_file(tmp_path / "a.html", tmp_path)
    assert console == []
    assert len(re.findall(r'class="plot[^"]*js-plotly-plot', seen)) > 5


def test_a_page_without_its_library_says_what_it_needs(tmp_path: Path) -> None:
    written(tmp_path / "a.html")
    (tmp_path / library_name()).unlink()
    seen, _ = opened_file(tmp_path / "a.html", tmp_path)
    assert f"This chart needs the file {library_name()} beside the page." in seen
    assert not re.search('class="[^"]*js-plotly-plot', seen)  # nothing was drawn
