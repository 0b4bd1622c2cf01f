"""The page of the papers' evaluations is made of what the commands print."""

import shlex
from pathlib import Path

import pytest

from benchmarks.papers import EXHIBITS, Exhibit, as_tables, bars, page, rows_of
from benchmarks.results import Kept, tables_of
from tunewise.benchmark.entrants import entrants

PRINTED = """LogR: 48 settings
                           seconds average/  worst/  /best     its    s/it switches  reconf
default                 120 ±    0     1.50    4.00   1.80     600   0.200        0    0.0%
selftf_since_switch      80 ±    3     2.10    5.10   1.20     580   0.138        4    6.0%
"""


def test_rows_of_a_self_tuned_training_become_a_table() -> None:
    told = tables_of(as_tables(PRINTED))
    assert rows_of(told, "seconds") == [("default", 120.0), ("selftf_since_switch", 80.0)]
    assert "\n\n" not in told, "one table"


def test_a_level_that_was_never_reached_is_left_out_of_the_figure() -> None:
    told = "| strategy | USD to 90% |\n|---|---|\n| `a` | 0.5 |\n| `b` | – |"
    assert rows_of(told, "USD to 90%") == [("a", 0.5)]


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_what_an_evaluation_races_takes_its_options(exhibit: Exhibit) -> None:
    words = shlex.split(exhibit.command)
    if "--strategies" in words:
        assert len(entrants(words[words.index("--strategies") + 1])) > 1


def test_bars_are_as_long_as_their_values() -> None:
    drawn = bars([("half", 1.0), ("whole & all", 2.0)], "USD")
    assert 'width="150.0"' in drawn and 'width="300.0"' in drawn
    assert "whole &amp; all" in drawn


def test_what_needs_a_table_that_is_not_here_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUNEWISE_DATA", str(tmp_path))
    kept = Kept(tmp_path / "kept.json", "state", "a machine")
    text = page(kept, EXHIBITS, quick=True)
    assert "it needs trimtuner/cnn.csv, which is not here" in text
    words = " ".join(text.split())
    assert all(exhibit.says in words for exhibit in EXHIBITS)
