"""All cells of a column tell how each of them is read."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.declarative.examples.loading import tables
from tunewise.declarative.proposal import propose
from tunewise.declarative.schema.values import day, number
from tunewise.errors import TaskError


def _fed(file: Path, header: str, rows: list[str]) -> tuple[tw.Task, list[str]]:
    file.write_text("\n".join([header, *rows]) + "\n")
    notes = propose(file).notes
    task = tw.Task.from_data(file)
    return task, notes


def test_commas_of_a_column_are_for_thousands_where_all_of_them_can_be(tmp_path: Path) -> None:
    rows = [f'"{494 + at}",{"ab"[at % 2]}' for at in range(10)] + ['"68,013",a', '"-1,234,567",b']
    task, notes = _fed(tmp_path / "t.csv", "c0,label", rows)
    assert str(task.program) == "table(c0 number) -> [a, b]"
    assert [task.example(id)[0] for id in ("e11", "e12")] == [[68013.0], [-1234567.0]]
    assert "the commas of the column 'c0' are for thousands: 68,013 is 68013" in notes


def test_commas_of_a_column_are_for_decimals_where_one_of_them_must_be(tmp_path: Path) -> None:
    rows = [f'"0,{494 + at}",{"ab"[at % 2]}' for at in range(10)] + ['"1,234",a', '"12,5",b']
    task, _ = _fed(tmp_path / "t.csv", "c0,label", rows)
    assert [task.example(id)[0] for id in ("e1", "e11", "e12")] == [[0.494], [1.234], [12.5]]


def test_an_answer_with_thousands_is_a_number(tmp_path: Path) -> None:
    rows = [f'{at},"{1 + at},{100 + at}"' for at in range(60)]
    task, _ = _fed(tmp_path / "t.csv", "a,price", rows)
    assert str(task.program) == "table(a number) -> number"
    assert task.example("e3")[1] == [3102.0]


@pytest.mark.parametrize(
    ("dates", "read"),
    [
        (["11/18/2024", "1/3/2024", "8/26/2024"], ["2024-11-18", "2024-01-03", "2024-08-26"]),
        (["18/11/2024", "1/3/2024", "26/8/2024"], ["2024-11-18", "2024-03-01", "2024-08-26"]),
        (["1/3/2024", "2/3/2024", "3/3/2024"], ["2024-03-01", "2024-03-02", "2024-03-03"]),
        (["05.11.24", "06.11.24", "07.12.24"], ["2024-11-05", "2024-11-06", "2024-12-07"]),
    ],
)
def test_the_dates_of_a_column_have_one_form(
    tmp_path: Path, dates: list[str], read: list[str]
) -> None:
    rows = [f"{each},{'ab'[at % 2]}" for at, each in enumerate(dates * 4)]
    task, notes = _fed(tmp_path / "t.csv", "since,label", rows)
    assert str(task.program) == "table(since date) -> [a, b]"
    assert [task.example(f"e{at}")[0][0][:10] for at in (1, 2, 3)] == read
    assert any("stand" in note for note in notes) is (dates[0] in ("11/18/2024", "1/3/2024"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("1/3/2024", "may be 2024-01-03 or 2024-03-01"), ("05/11/24 14:30", "may be 2024-05-11 or")],
)
def test_a_date_alone_that_may_be_two_is_refused(text: str, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        day(text)
    assert day("3/3/2024 14:30") == "2024-03-03T14:30:00"


def test_a_number_alone_that_may_be_two_is_refused() -> None:
    with pytest.raises(TaskError, match="'1,200' may be 1200 or 1.200; write it without a comma"):
        number("1,200")
    assert [number(text) for text in ("1,5", "0,125", "1,234.5", "1,234,567")] == [
        *(1.5, 0.125, 1234.5, 1234567.0)
    ]


def test_a_first_line_of_numbers_with_thousands_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('"68,013",a\n"1,200",b\n')
    assert tables.read_csv(tmp_path / "t.csv").names == ("c1", "c2")
