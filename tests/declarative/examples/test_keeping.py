"""Examples are kept as they are, checked when read, and found again by rules."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunewise.declarative.examples import Files, in_validation, pack, rule, unpack
from tunewise.declarative.examples.checking import checksum
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow

KINDS: list[list[Any]] = [
    [np.ones((2, 2, 1), np.float32), np.zeros((2, 2, 1), np.float32)],
    [np.ones((3, 1), np.float32), np.zeros((2, 1), np.float32)],
    ["text", "naïve \ud800"],
    [[1.5, "Bern", None], [None, "", "x"]],
    [{"value": np.ones(2, np.float32), "left": None}, {"value": np.zeros(2, np.float32)}],
]


@pytest.mark.parametrize("values", KINDS)
def test_what_was_packed_is_the_same_when_unpacked(values: list[Any]) -> None:
    inputs, outputs = unpack(pack(values, ["a", "b"]))
    assert [checksum(value) for value in inputs] == [checksum(value) for value in values]
    assert outputs == ["a", "b"]


def test_a_damaged_file_is_noticed(tmp_path: Path) -> None:
    files = Files(tmp_path)
    name = files.put(b"content")
    assert files.get(name) == b"content"
    (tmp_path / name[:2] / name).write_bytes(b"contents")
    with pytest.raises(TaskError, match="damaged"):
        files.get(name)
    with pytest.raises(TaskError, match="no checksum"):
        files.get("../../etc/passwd")


def test_a_fifth_of_the_inputs_is_for_validation_and_stays_there() -> None:
    keys = [checksum(str(number)) for number in range(2000)]
    chosen = [in_validation("salt", key) for key in keys]
    assert 340 < sum(chosen) < 460
    assert [in_validation("salt", key) for key in keys] == chosen
    assert [in_validation("pepper", key) for key in keys] != chosen


ROW = ExampleRow(17, "c", "k", "f", 0, "ginger cat", "photos/cat", "by_hand", 1.7e9, 3, True)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('label == "ginger cat"', True),
        ('label == "ginger cat" and fed < 2020-01-01', False),
        ("fed >= 2023-01-01 and not (id > 20 or version != 3)", True),
        ("label == ginger cat and not by == by_hand", False),
        ("(label == ginger cat) or id < 3", True),
        ("on", True),
        ("on == false or by == by_hand", True),
        ("label != 3", True),
        ("id == e17", True),
    ],
)
def test_a_rule_says_which_examples_are_meant(text: str, meant: bool) -> None:
    assert rule(text)(ROW) is meant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lable == cat", "did you mean 'label'"),
        ("fed < soon", "a date such as"),
        ("label == cat or", "one of label"),
        ("label = cat", "'=='"),
        ("on == maybe", "true or false"),
        ("(on", "expected '\\)'"),
    ],
)
def test_a_wrong_rule_is_pointed_at(text: str, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        rule(text)
