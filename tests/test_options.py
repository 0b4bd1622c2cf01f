"""Options as data: each rule takes what it says, and refuses the rest in a sentence."""

import math
from typing import Any

import numpy as np
import pytest

from tunewise.errors import ProblemError
from tunewise.problem.options import FLAG, Option, checked, choice, number, share, whole

RULES: list[tuple[Option, list[Any], list[Any], str]] = [
    (whole(2, 4), [2, 4, np.int64(3)], [1, 5, 2.0, True, "2"], "a whole number from 2 to 4"),
    (number(least=0), [0, 0.5], [-1, math.nan, math.inf, True, "1"], "a finite number, 0 or above"),
    (number(above=0, endless=True), [1, math.inf], [0, math.nan], "a number above 0"),
    (share(), [0.5, np.float64(0.1)], [0, 1, math.nan], "a number between 0 and 1"),
    (share(whole=True), [1, 0.5], [0, 1.1], "a number above 0 and at most 1"),
    (share(none=True, whole=True), [0, 1], [-0.1, 1.1, None], "a share, from 0 to 1"),
    (whole().or_none(), [None, 1], [0, "none"], "a whole number, 1 or above, or None"),
    (FLAG, [True, np.bool_(False)], [1, "yes", None], "True or False"),
]


@pytest.mark.parametrize(("rule", "right", "wrong", "expected"), RULES)
def test_a_rule_takes_what_it_says(
    rule: Option, right: list[Any], wrong: list[Any], expected: str
) -> None:
    for value in right:
        rule.check("size", value, ProblemError)
    for value in wrong:
        with pytest.raises(ProblemError) as refused:
            rule.check("size", value, ProblemError)
        assert str(refused.value) == f"size is {value!r}; expected {expected}"


def test_a_word_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(ProblemError, match="unknown colour 'gren'; did you mean 'green'"):
        choice(["green", "blue"]).check("colour", "gren", ProblemError)


def test_a_function_is_called_only_with_what_its_table_allows() -> None:
    @checked({"size": whole(), "colour": FLAG}, ProblemError, colour=choice(["green"]))
    def made(size: int, *, colour: str = "green", other: int = 0) -> tuple[int, str, int]:
        return size, colour, other

    assert made(2, other=-1) == (2, "green", -1)
    with pytest.raises(ProblemError, match="size is 0; expected a whole number, 1 or above"):
        made(0)
    with pytest.raises(ProblemError, match="unknown colour 'red'"):
        made(1, colour="red")
