"""Limits as people write them: which can hold, and which are refused with a sentence."""

from fractions import Fraction
from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ProblemError
from tunewise.problem import KNOWN, Constraint, Metric, parse_constraint, quantity
from tunewise.problem.constraint import is_triple, refuse_contradiction

METRICS = {**KNOWN, "loss": Metric("loss"), "memory": Metric("memory", "positive", "GB")}
SPACE = tw.Space(tw.Ordinal("vms", [1, 2, 4]))


def limit(text: str) -> Constraint:
    return parse_constraint(text, METRICS)


@pytest.mark.parametrize(
    "text",
    [
        "accuracy <= 0.5",
        "accuracy <= 0",
        "accuracy >= 1",
        "accuracy >= 0",
        "cost >= 0",
        "cost >= 1e9",
        "loss <= -1",
        "loss <= 0",
        "loss >= -1e9",
        "memory <= 0.1",
    ],
)
def test_a_limit_that_some_value_keeps_is_accepted(text: str) -> None:
    assert str(limit(text)).startswith(text.split()[0])


@pytest.mark.parametrize(
    ("text", "lies"),
    [
        ("accuracy >= 1.01", "accuracy lies between 0 and 1"),
        ("accuracy <= -0.01", "accuracy lies between 0 and 1"),
        ("time <= 0", "time is above 0"),
        ("memory <= -3", "memory is above 0"),
    ],
)
def test_a_limit_that_no_value_keeps_is_refused_with_the_reason(text: str, lies: str) -> None:
    with pytest.raises(ProblemError, match=f"{text} can never hold: {lies}"):
        limit(text)


@pytest.mark.parametrize(
    ("text", "value", "missed"),
    [
        ("loss <= 0", 0.5, 0.5),
        ("loss >= 0", -3.0, 3.0),
        ("loss <= -2", -1.0, 0.5),
        ("loss <= -2", -2.0, 0.0),
        ("loss >= 4", 4.0, 0.0),
    ],
)
def test_a_limit_of_nothing_is_missed_by_the_value_itself(
    text: str, value: float, missed: float
) -> None:
    assert limit(text).violation(value) == pytest.approx(missed)
    assert limit(text).holds(value) == (missed == 0)


@pytest.mark.parametrize(
    "limits",
    [
        ["cost <= 1", "time >= 2"],
        ["cost >= 1", "cost <= 2"],
        ["cost >= 1", "cost <= 1"],
        ["cost <= 1", "cost <= 2"],
    ],
)
def test_limits_that_leave_room_are_kept_together(limits: list[str]) -> None:
    refuse_contradiction(map(limit, limits))


def test_the_pair_that_excludes_each_other_is_named_among_others() -> None:
    limits = ["cost <= 9", "time <= 1", "time >= 2", "cost >= 1"]
    with pytest.raises(ProblemError, match="constraints time >= 2 and time <= 1 cannot both hold"):
        refuse_contradiction(map(limit, limits))


@pytest.mark.parametrize(
    ("text", "of", "number"),
    [
        ("90 s", "time", 90.0),
        ("90 seconds", "time", 90.0),
        ("2 days", "time", 172800.0),
        ("1 d 2 h", "time", 93600.0),
        ("1.5 h", "time", 5400.0),
        ("5 ct", "cost", 0.05),
        ("3 $", "cost", 3.0),
        ("+.5e1", "cost", 5.0),
        (Fraction(1, 4), "cost", 0.25),
    ],
)
def test_quantities_are_read_in_their_own_unit(text: Any, of: str, number: float) -> None:
    assert quantity(text, of) == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "of", "sentence"),
    [
        ("$5", "time", r"'\$5' is no time; expected such as '5 min'"),
        ("1h!30m", "time", "not a number for 'time'"),
        ("1h30m", "cost", "not a number for 'cost'"),
        ("3 ms", "latency", "unknown unit 'ms' for 'latency'; it takes a bare number"),
        ("3 mn", "time", "unknown unit 'mn' for 'time'; did you mean 'min'"),
        (True, "cost", "'True' is not a number"),
        (10**400, "cost", "cost is a number beyond 1e308"),
    ],
)
def test_what_is_no_quantity_gets_a_sentence(text: Any, of: str, sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        quantity(text, of)


def test_a_share_may_be_told_in_per_cent_whatever_its_name() -> None:
    assert quantity("85 %", "recall", "share") == pytest.approx(0.85)
    with pytest.raises(ProblemError, match="unknown unit '%'"):
        quantity("85 %", "loss", "real")


def test_longer_texts_than_anybody_writes_are_not_read() -> None:
    assert limit(f"cost <= {'1'.rjust(292)}").bound == 1.0
    with pytest.raises(ProblemError, match="not understood"):
        limit(f"cost <= {'1'.rjust(293)}")
    assert quantity("1".rjust(300), "cost") == 1.0
    with pytest.raises(ProblemError, match="not a number"):
        quantity("1".rjust(301), "cost")


def test_three_limits_in_a_tuple_are_three_limits() -> None:
    assert is_triple(("cost", "<=", 1)) and is_triple(("cost", "≥", 1))
    assert not is_triple(["cost", "<=", 1]) and not is_triple(("cost", "<="))
    assert not is_triple(("cost <= 1", "time <= 2", "accuracy >= 0"))
    problem = tw.Problem(
        SPACE, maximize="accuracy", subject_to=("cost <= 1", "time <= 2", ("accuracy", ">", 0.5))
    )
    assert [str(c) for c in problem.constraints] == ["cost <= 1", "time <= 2", "accuracy >= 0.5"]


def test_measured_metrics_keep_the_limits_only_where_all_were_measured() -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 1", "time <= 2"])
    assert problem.feasible({"cost": 1.0, "time": 2.0})
    assert not problem.feasible({"cost": 1.0, "time": 2.1})
    assert not problem.feasible({"cost": 1.0})
    assert problem.violation({"cost": 1.5, "time": 3.0}) == pytest.approx(1.0)
