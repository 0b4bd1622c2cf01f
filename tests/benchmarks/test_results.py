"""The tables of the documentation are measured by one command, and all at one commit."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.results import (
    FEW,
    LONG,
    MACHINE,
    README,
    RESULTS,
    ROOT,
    SHORT,
    SHORT_RUN,
    Kept,
    Result,
    measure,
    placed,
    summarise,
    tables_of,
    write,
)

PAGE = """# Results

<!-- begin: machine -->
<!-- end: machine -->

Prose that stays.

<!-- begin: quick -->
an old table
<!-- end: quick -->

More prose.
"""


@dataclass(frozen=True)
class Quick(Result):
    """A command that takes no time."""

    def measured(self) -> str:
        return tables_of(f"| {self.command} |\n|---|\n| 1 |\n")


class Refused(Quick):
    def measured(self) -> str:
        raise AssertionError("it was measured already")


def docs(folder: Path) -> Path:
    (folder / LONG).parent.mkdir()
    (folder / LONG).write_text(PAGE, encoding="utf-8")
    return folder


def test_tables_stand_in_their_places_and_the_prose_stays(tmp_path: Path) -> None:
    quick = Quick("quick", "benchmarks.startup --runs 1")
    kept = Kept(tmp_path / "kept.json", "state", "commit abc, this machine")
    measure([quick], kept)
    assert write([quick], kept, docs(tmp_path)) == []
    page = (tmp_path / LONG).read_text(encoding="utf-8")
    assert "an old table" not in page
    assert "Prose that stays." in page and page.endswith("More prose.\n")
    at_machine = "<!-- begin: machine -->\ncommit abc, this machine\n<!-- end: machine -->"
    assert at_machine in page
    inside = page.split("<!-- begin: quick -->")[1].split("<!-- end: quick -->")[0]
    assert "OMP_NUM_THREADS=1 python -m benchmarks.startup --runs 1\n" in inside
    assert "| benchmarks.startup --runs 1 |\n|---|\n| 1 |" in inside


def test_a_run_that_was_ended_goes_on_and_pages_wait_for_its_last_table(tmp_path: Path) -> None:
    first, second = Quick("quick", "one"), Quick("other", "two")
    file = tmp_path / "kept.json"
    measure([first], Kept(file, "state", "a machine"))
    assert write([first, second], Kept(file, "state", ""), docs(tmp_path)) == ["other"]
    assert (tmp_path / LONG).read_text(encoding="utf-8") == PAGE
    again = Kept(file, "state", "elsewhere")
    measure([Refused("quick", "one"), second], again)
    assert again.machine == "a machine"
    assert list(again.tables) == ["quick", "other"]


def test_tables_of_another_state_of_the_source_are_measured_again(tmp_path: Path) -> None:
    quick = Quick("quick", "one")
    measure([quick], Kept(tmp_path / "kept.json", "before", "commit a"))
    now = Kept(tmp_path / "kept.json", "after", "commit b")
    assert now.tables == {} and now.machine == "commit b"
    assert write([quick], now, docs(tmp_path)) == ["quick"]


def test_a_command_is_run_and_only_its_tables_are_taken() -> None:
    assert Result("this", "timeit -n 1 -r 1 \"print('| a |')\"").measured() == "| a |"
    assert tables_of("commit x\n\n| a |\n| 1 |\nsaid\n| b |\n") == "| a |\n| 1 |\n\n| b |"
    with pytest.raises(ValueError, match="no table"):
        tables_of("trimtuner/cnn.csv is not here")


def test_a_page_without_the_place_is_refused() -> None:
    with pytest.raises(ValueError, match="begin: other"):
        placed(PAGE, "other", "")
    with pytest.raises(ValueError, match="before"):
        placed("<!-- end: a -->\n<!-- begin: a -->", "a", "")


def test_every_result_has_its_place_in_the_documentation_and_every_place_its_result() -> None:
    every = (*RESULTS, *SHORT_RUN)
    for page in {result.page for result in every}:
        text = (ROOT / page).read_text(encoding="utf-8")
        wanted = {result.name for result in every if result.page == page}
        assert set(re.findall(r"<!-- begin: (\S+) -->", text)) == {MACHINE, *wanted}
    assert len({result.name for result in RESULTS}) == len(RESULTS)


def test_the_short_pages_show_figures_of_the_pages_with_tables(tmp_path: Path) -> None:
    for page in (LONG, SHORT, FEW, README):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    summarise(tmp_path)
    for page in (SHORT, README):
        written = (tmp_path / page).read_text(encoding="utf-8")
        assert written == (ROOT / page).read_text(encoding="utf-8"), f"`make bench` changes {page}"
    assert (len(figures.FIGURES), len(figures.FEW)) == (10, 5)


def test_a_figure_is_read_by_its_row_and_column_and_missed_where_it_is_not() -> None:
    page = "<!-- begin: a -->\n| tool | cost |\n|---|---|\n| ours | 2 |\n<!-- end: a -->\n"
    assert figures.Cell("a", "ours", "cost").read(page) == "2"
    for cell in (figures.Cell("a", "ours", "time"), figures.Cell("a", "theirs", "cost")):
        with pytest.raises(ValueError, match="has no row"):
            cell.read(page)
    with pytest.raises(ValueError, match="no place 'b'"):
        figures.Cell("b", "ours", "cost").read(page)
