"""YAML is read as people mean it, and every field knows its line."""

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import JobFileError
from tunewise.job.yaml_document import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-5", 1e-5),
        ("1E5", 1e5),
        ("1.5e+3", 1500.0),
        (".5", 0.5),
        ("-3", -3),
        ("1_000", 1000),
        ("0x10", 16),
        ("010", 10),
        ("on", "on"),
        ("no", "no"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("1/60", "1/60"),
        ("5 min", "5 min"),
        (".inf", math.inf),
    ],
)
def test_a_scalar_is_what_a_person_means(text: str, expected: Any) -> None:
    found = read(f"a: {text}\n", "job.yaml").data["a"]
    assert found == expected
    assert type(found) is type(expected)


def test_every_field_knows_its_line() -> None:
    document = read("a: 1\nb:\n  c: {d: 2,\n      e: 3}\n  f:\n  - 4\n  - g: 5\n", "job.yaml")
    assert document.line(("b", "c", "e")) == 4
    assert document.line(("b", "f", 1, "g")) == 7
    assert document.line(("b", "f", 0)) == 6


def test_the_line_of_a_missing_field_is_that_of_the_one_around_it() -> None:
    assert read("a: 1\nb:\n  c: 2\n", "job.yaml").line(("b", "nothing", 3)) == 2


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("a: 1\n b: 2\n", "job.yaml:2:3", "a colon stands where none is expected"),
        ("a: [1, 2\nb: 3\n", "job.yaml:2:2", "a \\[list\\] is not closed"),
        ("a: {b: 1\n", "job.yaml:2:1", "a {mapping} is not closed"),
        ("a:\n\tb: 1\n", "job.yaml:2:1", "a tab indents the line"),
        ("a: 'open\n", "job.yaml:2:1", "ends inside a quoted text"),
        ("a: 1\n---\nb: 2\n", "job.yaml:2:1", "a second document"),
        ("a: *nothing\n", "job.yaml:1:4", "undefined alias"),
        ("a: 1\na: 2\n", "job.yaml:2", r"'a' is there twice \(first in line 1\)"),
        ("", "job.yaml:1", "the file is empty"),
        ("# nothing\n", "job.yaml:1", "the file is empty"),
        ("a: !!python/object:os.system {}\n", "job.yaml:1", "tags such as"),
        ("? [1]\n: 2\n", "job.yaml:1", "must be a word"),
        ("a: &a [*a]\n", "job.yaml:1", "an alias contains itself"),
        ("a: \x00\n", "job.yaml", "not a text file"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(text: str, place: str, sentence: str) -> None:
    with pytest.raises(JobFileError, match=sentence) as caught:
        read(text, "job.yaml")
    assert str(caught.value).startswith(place)


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in range(1, 20)
    )
    with pytest.raises(JobFileError, match="more than"):
        read(bomb, "job.yaml")


# JSON writes what is beyond as pairs of escapes, which YAML does not join.
words = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("Cs", "Cc")), max_size=20)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(words, plain, min_size=1))
def test_what_json_says_is_read_back(data: dict[str, Any]) -> None:
    assert read(json.dumps(data, ensure_ascii=True), "job.yaml").data == data


@given(st.text())
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        read(text, "job.yaml")
    except JobFileError as error:
        assert str(error).startswith("job.yaml")


def test_the_loader_of_others_is_left_as_it_was() -> None:
    assert yaml.safe_load("a: on\n") == {"a": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0o17", 15),
        ("0xFf", 255),
        ("+7", 7),
        ("1.", 1.0),
        ("1_0.5_0", 10.5),
        ("-.inf", -math.inf),
        ("+.inf", math.inf),
        ("NULL", None),
        ("TRUE", True),
        ("e5", "e5"),
        ("1e", "1e"),
        ("0b1", "0b1"),
        ("'null'", "null"),
        ("|\n  1\n", "1\n"),
        (">\n  true\n", "true\n"),
    ],
)
def test_only_plain_scalars_are_numbers_or_words(text: str, expected: Any) -> None:
    found = read(f"a: {text}\n", "job.yaml").data["a"]
    assert found == expected and type(found) is type(expected)


def test_the_largest_whole_number_has_three_hundred_digits() -> None:
    large = 10**300
    assert read(f"a: {large}\nb: -{large}\n", "job.yaml").data == {"a": large, "b": -large}
    for text in (f"{large + 1}", f"-{large + 1}", "0x" + "f" * 401):
        with pytest.raises(JobFileError, match=r"job.yaml:1: .{27}\.\.\. is too large; expected"):
            read(f"a: {text}\n", "job.yaml")


def test_values_may_lie_forty_deep() -> None:
    def nested(depth: int) -> str:
        return "[" * depth + "]" * depth

    assert read(nested(40), "job.yaml").data
    with pytest.raises(JobFileError, match="there are more than 40 values inside of each other"):
        read(nested(41), "job.yaml")
    # Beside each other there may be many more.
    assert len(read(str([[[]]] * 60), "job.yaml").data) == 60


def test_an_alias_may_be_used_twice_and_keeps_the_line_of_each_field() -> None:
    document = read("a: &x {b: 1}\nc: *x\n", "job.yaml")
    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}
    assert document.line(("c",)) == 2 and document.line(("a", "b")) == 1


def test_tags_of_yaml_itself_are_taken_and_others_refused() -> None:
    assert read("a: !!str 1\n", "job.yaml").data is not None
    for tag in ("!own", "!!python/tuple"):
        with pytest.raises(JobFileError, match="job.yaml:2: tags such as .* are not understood"):
            read(f"b: 1\na: {tag} [1]\n", "job.yaml")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: 1\nb\n", "expected a colon after the field's name"),
        ("a:\n  - 1\n - 2\n", "a list item is not indented like the others"),
        ("- - 1\n - 2\n", "a list item is not indented like the others"),
        ("  a: 1\n b: 2\n", "a field is not indented like the others of its block"),
        ("a:\n    b: 1\n  c: 2\n", "a field is not indented like the others of its block"),
        ("a: [1 2\n", r"a \[list\] is not closed"),
    ],
)
def test_a_slip_gets_a_hint(text: str, hint: str) -> None:
    with pytest.raises(JobFileError, match=hint):
        read(text, "job.yaml")
