"""Values are read as the program says, or refused with the reason."""

from typing import Any

import numpy as np
import pytest

from tunewise.declarative.schema import parse, read_input, read_output
from tunewise.errors import TaskError


def test_an_image_of_bytes_is_scaled_and_gets_its_channel() -> None:
    read = read_input(parse("image(2, 2) -> 2 classes"), np.full((2, 2), 255, np.uint8))
    assert read.shape == (2, 2, 1)
    assert read.dtype == np.float32
    assert read.max() == 1


def test_a_row_of_mixed_columns_is_read_by_kind() -> None:
    program = parse("table(age number, city category, since date, note text) -> [no, yes]")
    row = {"age": "41,5", "city": " Bern ", "since": "30.11.2026", "note": "", "more": 1}
    assert read_input(program, row) == [41.5, "Bern", "2026-11-30T00:00:00", None]


@pytest.mark.parametrize(
    ("program", "value", "words"),
    [
        ("table(3) -> number", [1, 2], "2; expected 3"),
        ("table(3) -> number", [1, "x", 2], "'x' is no number"),
        ("table(2) -> number", [1, float("nan")], r"at \[1\] is nan"),
        ("text -> 2 classes", 3, "instead of text"),
        ("series(2) -> 2 classes", [[1, 2], [1]], "step 2: a tensor of shape 1; expected 2"),
        ("series(2) -> 2 classes", [], "0 steps"),
        ("tree(1) -> 2 classes", {"value": [1], "middle": None}, "unknown field 'middle'"),
        ("table(a number, b date) -> number", {"a": 1}, "column 'b' is missing"),
        ("table(a number, b date) -> number", [1, "soon"], "column 'b': 'soon' is no date"),
    ],
)
def test_what_does_not_fit_is_said(program: str, value: Any, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        read_input(parse(program), value)


def test_a_chain_is_read_from_a_list_and_from_pointers() -> None:
    program = parse("series(1) -> 2 classes")
    by_list = read_input(program, [1, 2, 3])
    by_pointer = read_input(program, {"value": [1], "next": {"value": [2], "next": {"value": [3]}}})
    assert np.array_equal(by_list, by_pointer)


def test_a_tree_is_read_node_by_node() -> None:
    program = parse("tree(1) -> 2 classes")
    read = read_input(program, {"value": [1], "left": {"value": [2]}})
    assert read["left"]["value"].tolist() == [2]
    assert read["right"] is None


def test_labels_are_words_however_they_were_written() -> None:
    program = parse("table(1) -> 3 classes")
    values = [1, 1.0, np.int64(1), "1", " 1 ", np.array(1)]
    assert {read_output(program, value) for value in values} == {"1"}
    named = parse("table(1) -> [ginger cat, dog]")
    assert read_output(named, 1) == "dog"
    with pytest.raises(TaskError, match="did you mean 'ginger cat'"):
        read_output(named, "ginger ca")


def test_a_deep_tree_is_refused() -> None:
    tree: Any = None
    for _ in range(300):
        tree = {"value": [1], "left": tree}
    with pytest.raises(TaskError, match="200 levels"):
        read_input(parse("tree(1) -> 2 classes"), tree)
