"""Things with options as the command line names them, and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.benchmark.naming import labelled, named
from tunewise.errors import StrategyError, TenancyError


def read(text: str) -> list[tuple[str, dict[str, Any]]]:
    return named(text, "rule", "greedy(delta=0.1)", StrategyError)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a", {}),
        ("a()", {}),
        (" a ( x = 1 , y = two ) ", {"x": 1, "y": "two"}),
        ("a(x=0.5,y=1e-3,z=-2)", {"x": 0.5, "y": 0.001, "z": -2}),
        ("a(x=true,y=False,z=NULL)", {"x": True, "y": False, "z": None}),
        ("a(x=b=c)", {"x": "b=c"}),
        ("a(x=1,)", {"x": 1}),
    ],
)
def test_options_are_read_as_numbers_words_or_text(text: str, options: dict[str, Any]) -> None:
    [(name, found)] = read(text)
    assert (name, found) == ("a", options)
    assert [type(value) for value in found.values()] == [type(v) for v in options.values()]


def test_names_are_split_by_commas_outside_of_parentheses() -> None:
    assert [name for name, _ in read("a,b(x=1,y=2), ,c(z=3)")] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rule was named; expected names such as greedy"),
        ("a,a", "a is named twice; expected each rule once, or with different options"),
        ("a(x=1),a( x = 1 )", r"a\\(x=1\\) is named twice"),
        ("a(x=1", r"rule 'a\\(x=1' cannot be read; expected a name, or options in parentheses"),
        ("a(x)", "option 'x' of .* has no name or value; expected one such as share=0.1"),
        ("a(=1)", "option '=1' of .* has no name or value"),
        ("a(x=)", "option 'x=' of .* has no name or value"),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_callers_words(text: str, said: str) -> None:
    with pytest.raises(StrategyError, match=said.replace("\\\\", "\\")):
        read(text)
    with pytest.raises(TenancyError):
        named(text, "rule", "greedy", TenancyError)


words = st.text("abcxyz_", min_size=1, max_size=6)
values = st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from(["pace", "b c"])


@given(words, st.dictionaries(words, values, max_size=3))
def test_what_is_labelled_is_read_back(name: str, options: dict[str, Any]) -> None:
    assert read(labelled(name, options)) == [(name, options)]
