import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.space.spaces import parameters, refused, unit
from tunewise.errors import SpaceError, shortened
from tunewise.space import Choice, Cluster, Integer, Ordinal, Parameter, Real

positions = st.lists(unit, min_size=1, max_size=8)


@given(parameters(), positions)
def test_decode_undoes_encode(parameter: Parameter, uniform: list[float]) -> None:
    values = parameter.draw(np.array(uniform))
    assert parameter.decode(parameter.encode(values)) == values


@given(parameters())
def test_the_ends_of_a_parameter_survive_encoding(parameter: Parameter) -> None:
    ends: list[Any]
    if isinstance(parameter, Integer | Real):
        ends = [parameter.low, parameter.high]
    else:
        ends = [parameter.values()[0], parameter.values()[-1]]
    assert parameter.decode(parameter.encode(ends)) == ends
    assert [parameter.check(value) for value in ends] == ends


@given(parameters(), positions)
def test_an_encoding_fills_its_columns_within_zero_and_one(
    parameter: Parameter, uniform: list[float]
) -> None:
    encoded = parameter.encode(parameter.draw(np.array(uniform)))
    assert encoded.shape == (len(uniform), parameter.width)
    assert (encoded >= 0).all() and (encoded <= 1).all()


@given(parameters(), positions)
def test_drawn_values_are_canonical(parameter: Parameter, uniform: list[float]) -> None:
    for value in parameter.draw(np.array(uniform)):
        checked = parameter.check(value)
        assert checked == value and type(checked) is type(value)


@given(parameters(), st.lists(st.floats(-1, 2), min_size=1, max_size=8))
def test_any_numbers_decode_to_valid_values(parameter: Parameter, numbers: list[float]) -> None:
    encoded = np.resize(np.array(numbers), (len(numbers), parameter.width))
    assert all(parameter.check(v) == v for v in parameter.decode(encoded))


@given(parameters(), unit)
def test_neighbours_are_other_valid_values(parameter: Parameter, position: float) -> None:
    value = parameter.draw(np.array([position]))[0]
    near = parameter.neighbours(value)
    assert value not in near
    assert all(parameter.check(v) == v for v in near)
    assert len(near) == len(set(near))


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), unit)
def test_checking_a_real_twice_changes_nothing_more(a: float, b: float, position: float) -> None:
    low, high = min(a, b), max(a, b)
    assume(high - low > 1e-6)
    real = Real("x", low, high)
    once = real.check(min(low + position * (high - low), high))
    assert real.check(once) == once
    assert low <= once <= high


@given(parameters())
def test_a_description_is_stable_json(parameter: Parameter) -> None:
    described = parameter.describe()
    assert json.loads(json.dumps(described)) == described == parameter.describe()


def test_equal_parameters_are_those_that_describe_the_same_values() -> None:
    assert Real("x", 0, 1) == Real("x", 0.0, 1.0)
    assert Real("x", 0.1, 1) != Real("x", 0.1, 1, log=True)
    assert Choice("x", [1, 2]) != Ordinal("x", [1, 2])


def test_a_choice_is_one_hot() -> None:
    assert Choice("vm", ["a", "b", "c"]).encode(["c", "a"]).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_a_wide_ordinal_is_spaced_by_its_logarithm() -> None:
    wide = Ordinal("rate", [1e-5, 1e-4, 1e-2])
    assert wide.encode([1e-5, 1e-4, 1e-2])[:, 0].tolist() == pytest.approx([0, 1 / 3, 1])


@pytest.mark.parametrize("values", [[1, 2, 10], [0, 1, 100], ["S", "M", "L"], [10, 2, 1]])
def test_other_ordinals_are_spaced_by_rank(values: list[Any]) -> None:
    assert Ordinal("size", values).encode(values)[:, 0].tolist() == pytest.approx([0, 0.5, 1])


def test_values_too_close_for_a_log_scale_still_decode() -> None:
    close = [1.0, 1.0000000000000002, 1e6]
    assert Ordinal("x", close).decode(Ordinal("x", close).encode(close)) == close


def test_a_log_real_halves_at_its_geometric_mean() -> None:
    assert Real("rate", 1e-4, 1, log=True).encode([1e-2])[0, 0] == pytest.approx(0.5)
    assert Real("rate", 1e-4, 1, log=True).decode(np.array([[0.5]])) == [0.01]


def test_integers_are_drawn_evenly() -> None:
    drawn = Integer("n", 3, 6).draw((np.arange(4000) + 0.5) / 4000)
    assert np.unique(drawn, return_counts=True)[1].tolist() == [1000] * 4


def test_log_integers_are_drawn_more_often_where_they_are_small() -> None:
    drawn = Integer("n", 1, 1000, log=True).draw((np.arange(1000) + 0.5) / 1000)
    assert sum(n <= 31 for n in drawn) == pytest.approx(550, abs=10)


def test_neighbours_are_one_step_away() -> None:
    assert Ordinal("o", [1, 2, 4, 8]).neighbours(2) == [1, 4]
    assert Choice("c", ["a", "b", "c"]).neighbours("b") == ["a", "c"]
    assert Integer("i", 1, 4).neighbours(1) == [2]
    assert {4, 6} <= set(Integer("i", 1, 1000).neighbours(5))
    assert all(abs(v - 0.5) < 0.051 for v in Real("r", 0, 1).neighbours(0.5))


@pytest.mark.parametrize(
    ("parameter", "value", "canonical"),
    [
        (Choice("p", ["a", 1]), np.str_("a"), "a"),
        (Choice("p", [True, False]), np.True_, True),
        (Ordinal("p", [1, 2]), np.int64(2), 2),
        (Ordinal("p", [1, 2]), 2.0, 2),
        (Ordinal("p", [0.1, 0.3]), 0.1 + 0.2, 0.3),
        (Integer("p", 1, 9), 4.0, 4),
        (Integer("p", 1, 9), np.float32(4), 4),
        (Real("p", 0, 1), 1, 1.0),
        (Real("p", 0, 1), np.float64(0.1) + 0.2, 0.3),
        (Real("p", 0, 0.3), 0.1 + 0.2, 0.3),
        (Real("p", -1, 1), -0.0, 0.0),
        (Real("p", 1e-5, 1, log=True), 0.0012345678901234, 0.00123456789012),
    ],
)
def test_check_gives_the_canonical_form(parameter: Parameter, value: Any, canonical: Any) -> None:
    checked = parameter.check(value)
    assert repr(checked) == repr(canonical)


@pytest.mark.parametrize(
    ("parameter", "value", "says"),
    [
        (Choice("vm", ["t2.small", "c4"]), "t2.smal", "did you mean 't2.small'?"),
        (Choice("vm", ["t2.small", "c4"]), ["c4"], "one of the listed values"),
        (Ordinal("vms", [1, 2, 4]), 3, "one of [1, 2, 4]; the nearest is 2"),
        (Ordinal("vms", [1, 2, 4]), "2", "did you mean '2'?"),
        (Integer("n", 1, 9), 12, "whole number from 1 to 9; the nearest is 9"),
        (Integer("n", 1, 9), 2.4, "the nearest is 2"),
        (Integer("n", 1, 9), True, "expected a whole number"),
        (Integer("n", 1, 9), 10**400, "the nearest is 9"),
        (Real("rate", 0.1, 1), 0, "number from 0.1 to 1.0; the nearest is 0.1"),
        (Real("rate", 0.1, 1), math.nan, "expected a number"),
        (Real("rate", 0.1, 1), None, "expected a number"),
        (Real("rate", 0.1, 1), 10**400, "the nearest is 1.0"),
        (Cluster("c", ["t2.small"], [1, 2]), "t2.smal:2", "did you mean 't2.small:2'?"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(
    parameter: Parameter, value: Any, says: str
) -> None:
    with pytest.raises(SpaceError) as refused:
        parameter.check(value)
    assert says in str(refused.value)
    assert shortened(f"{parameter.name} = {value!r} is") in str(refused.value)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Choice("learning rate", [1]), "try 'learning_rate'"),
        (lambda: Choice("1st", [1]), "try '_1st'"),
        (lambda: Choice("", [1]), "'' is not a name"),
        (lambda: Choice("naïve", [1]), "try 'na_ve'"),
        (lambda: Choice("x\n", [1]), "is not a name"),
        (lambda: Choice("x", []), "has no values"),
        (lambda: Choice("x", "abc"), "expected a list, ['abc']"),
        (lambda: Choice("x", [1, 2, 1.0]), "lists 1.0 twice"),
        (lambda: Choice("x", [math.nan]), "finite"),
        (lambda: Choice("x", [(1, 2)]), "expected text, numbers"),
        (lambda: Ordinal("x", [1, 3, 2]), "such as [1, 2, 3]"),
        (lambda: Integer("x", 5, 1), "try Integer('x', 1, 5)"),
        (lambda: Integer("x", 0.5, 1), "expected a whole number"),
        (lambda: Integer("x", 0, 9, log=True), "at least 1"),
        (lambda: Real("x", 2, 1), "low = 2 above high = 1"),
        (lambda: Real("x", 0, 1, log=True), "a log scale expects"),
        (lambda: Real("x", 0, math.inf), "has the bound inf"),
        (lambda: Real("x", 1, 1 + 1e-14), "differ in their first 12 digits"),
        (lambda: Real("x", "0", 1), "has the bound '0'"),  # type: ignore[arg-type] # the mistake
    ],
)
def test_a_wrong_parameter_is_refused_with_a_sentence(
    build: Callable[[], Parameter], says: str
) -> None:
    refused(build, says)


def test_there_is_only_one_nothing() -> None:
    assert repr(Real("x", -1.0, 1.0).check(-0.0)) == "0.0"
