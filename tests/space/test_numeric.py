"""Numbers between two bounds: their places, steps, digits and limits, computed by hand."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.space.spaces import refused
from tunewise.errors import SpaceError
from tunewise.space import Integer, Parameter, Real, Space
from tunewise.space.description import parameter_of
from tunewise.space.numeric import Scale

TENS = [1.0, 10.0, 100.0]


def test_a_linear_scale_is_even_and_a_log_scale_even_in_its_logarithm() -> None:
    linear, log = Scale(10.0, 30.0, log=False), Scale(1.0, 100.0, log=True)
    assert linear.to_unit(np.array([10.0, 15.0, 30.0])) == pytest.approx([0, 0.25, 1])
    assert log.to_unit(np.array(TENS)) == pytest.approx([0, 0.5, 1])
    assert linear.from_unit(np.array([0.0, 0.25, 1.0])) == pytest.approx([10, 15, 30])
    assert log.from_unit(np.array([0.0, 0.5, 1.0])) == pytest.approx(TENS)


def test_places_outside_of_a_scale_stand_for_the_nearer_bound() -> None:
    for scale in (Scale(1.0, 100.0, log=True), Scale(1.0, 100.0, log=False)):
        assert scale.from_unit(np.array([-3.0, 4.0])) == pytest.approx([1.0, 100.0])
        assert scale.to_unit(np.array([0.5, 200.0])) == pytest.approx([0.0, 1.0])


def test_a_scale_of_one_value_has_one_place() -> None:
    for log in (False, True):
        scale = Scale(3.0, 3.0, log)
        assert scale.to_unit(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]
        assert scale.from_unit(np.array([0.0, 0.7])).tolist() == [3.0, 3.0]


def test_steps_of_a_real_are_a_hundredth_and_a_twentieth_of_its_range() -> None:
    assert Real("x", 0, 2).neighbours(1.0) == pytest.approx([0.98, 1.02, 0.9, 1.1])
    assert Real("x", 0, 1).neighbours(0.0) == pytest.approx([0.01, 0.05])
    decades = Real("x", 1e-4, 1, log=True).neighbours(0.01)
    assert np.log10(decades) == pytest.approx([-2.04, -1.96, -2.2, -1.8])


def test_steps_of_an_integer_are_one_and_then_those_of_its_range() -> None:
    # A hundredth of 1 to 1001 is 10, a twentieth 50.
    assert Integer("n", 1, 1001).neighbours(500) == [499, 501, 490, 510, 450, 550]
    assert Integer("n", 1, 1001).neighbours(1) == [2, 11, 51]
    assert Integer("n", 1, 1001).neighbours(1001) == [1000, 991, 951]
    assert Integer("n", 1, 3).neighbours(2) == [1, 3]
    assert Integer("n", 4, 4).neighbours(4) == []


def test_a_real_of_one_value_is_listed_and_any_other_is_not() -> None:
    single = Real("x", 2, 2)
    assert (single.size, single.values(), single.neighbours(2.0)) == (1, [2.0], [])
    assert single.draw(np.array([0.0, 0.9])) == [2.0, 2.0]
    assert Real("x", 1, 2).size is None
    with pytest.raises(SpaceError, match="'x' is continuous: its values cannot be listed"):
        Real("x", 1, 2).values()


def test_an_integer_lists_both_of_its_bounds() -> None:
    assert Integer("n", -2, 1).values() == [-2, -1, 0, 1]
    assert Integer("n", -2, 1).size == 4


def test_a_linear_real_keeps_twelve_digits_of_its_larger_bound() -> None:
    assert Real("x", 0, 1000).check(123.4567890123456) == 123.45678901
    assert Real("x", -1000, 1).check(0.1234567890123456) == 0.12345679
    assert Real("x", 0, 0.001).check(0.0001234567890123456) == 0.00012345678901
    assert Real("x", 0, 0).check(0) == 0.0


def test_a_log_real_keeps_twelve_digits_of_its_own() -> None:
    log = Real("x", 1e-6, 1000, log=True)
    assert log.check(123.4567890123456) == 123.456789012
    assert log.check(0.0001234567890123456) == 0.000123456789012


def test_a_bound_stands_for_all_that_rounds_as_it_does() -> None:
    third = Real("x", 0, 1 / 3)
    assert third.check(0.333333333333) == 1 / 3
    assert third.decode(np.array([[1.0]])) == [1 / 3]
    assert third.check(0.33333333333) != 1 / 3


@pytest.mark.parametrize(
    ("real", "inside", "outside"),
    [
        (Real("x", 0, 1), 1 + 5e-13, 1 + 3e-12),
        (Real("x", 0, 1), -5e-13, -3e-12),
        (Real("x", -1e6, 1), 1 + 5e-7, 1 + 3e-6),
        (Real("x", 1e-3, 1, log=True), 1e-3 - 5e-16, 1e-3 - 3e-15),
        (Real("x", 1e-3, 1e3, log=True), 1e3 + 5e-10, 1e3 + 3e-9),
    ],
)
def test_rounding_noise_beyond_a_bound_is_the_bound_and_more_is_refused(
    real: Real, inside: float, outside: float
) -> None:
    assert real.check(inside) in (real.low, real.high)
    with pytest.raises(SpaceError, match="the nearest is"):
        real.check(outside)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Integer("x", 0, 10**12 + 1), "expected a number between -1e+12 and 1e+12"),
        (lambda: Integer("x", -(10**12) - 1, 0), "expected a number between -1e+12 and 1e+12"),
        (lambda: Real("x", 0, 1e101), "expected a number between -1e+100 and 1e+100"),
        (lambda: Real("x", 1e-101, 1, log=True), "a log scale expects low of at least 1e-100"),
        (lambda: Integer("x", True, 3), "has the bound True"),
        (lambda: Integer("x", 1, 2.5), "try 2 or a Real"),
        (lambda: Real("x", math.nan, 1), "has the bound nan"),
    ],
)
def test_bounds_that_floats_cannot_keep_apart_are_refused(
    build: Callable[[], Parameter], says: str
) -> None:
    refused(build, says)


def test_the_largest_bounds_are_bounds() -> None:
    assert Integer("x", -(10**12), 10**12).size == 2 * 10**12 + 1
    assert Real("x", 1e-100, 1e100, log=True).decode(np.array([[0.5]])) == pytest.approx([1.0])
    assert Integer("x", 1, 1, log=True).values() == [1]
    assert Integer("x", 2.0, 4).values() == [2, 3, 4]


def test_the_ends_of_a_log_integer_are_drawn_too() -> None:
    ends = Integer("n", 1, 100, log=True).draw(np.array([0.0, np.nextafter(1.0, 0.0)]))
    assert ends == [1, 100]
    # From 0.5 to 100.5: the middle of the logarithm is the root of their product.
    assert Integer("n", 1, 100, log=True).draw(np.array([0.5])) == [round((0.5 * 100.5) ** 0.5)]


def test_a_description_tells_bounds_scale_and_condition() -> None:
    assert Real("x", 1, 2, log=True, when={"kind": "net"}).describe() == {
        "kind": "real",
        "name": "x",
        "low": 1.0,
        "high": 2.0,
        "log": True,
        "when": {"kind": ["net"]},
    }
    assert Integer("n", 1, 2).describe() == {
        "kind": "integer",
        "name": "n",
        "low": 1,
        "high": 2,
        "log": False,
    }


@given(st.integers(-50, 50), st.integers(0, 100), st.floats(0, 1, exclude_max=True))
@settings(max_examples=30)
def test_a_drawn_integer_is_the_one_whose_part_of_the_scale_it_is(
    low: int, span: int, uniform: float
) -> None:
    drawn: Any = Integer("n", low, low + span).draw(np.array([uniform]))[0]
    exact = low - 0.5 + uniform * (span + 1)
    assert abs(drawn - exact) <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (Integer("layers", 2, 11, step=3), [2, 5, 8, 11]),
        (Integer("layers", 2, 10, step=3), [2, 5, 8]),
        (Real("dropout", 0.0, 0.5, step=0.1), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (Real("dropout", 0.1, 0.35, step=0.1), [0.1, 0.2, 0.3]),
    ],
)
def test_with_a_step_only_its_multiples_are_valid(
    parameter: Integer | Real, values: list[float]
) -> None:
    assert parameter.values() == values
    assert parameter.size == len(values)
    assert parameter.decode(parameter.encode(values)) == values
    drawn = parameter.draw(np.linspace(0, 0.999, 50))
    assert set(drawn) == set(values)
    assert set(parameter.neighbours(values[0])) <= set(values)
    assert [parameter.check(value) for value in values] == values
    assert parameter_of(parameter.describe()).describe() == parameter.describe()


@pytest.mark.parametrize("kind", [Real, Integer])
def test_a_step_that_is_wider_than_the_range_is_refused(kind: type[Real | Integer]) -> None:
    with pytest.raises(SpaceError, match=r"step = 5: expected at most 3, the width"):
        kind("x", 0, 3, step=5)
    assert kind("x", 0, 3, step=3).values() == [0, 3]


def test_what_lies_between_two_steps_is_refused_with_the_nearest() -> None:
    with pytest.raises(SpaceError, match="in steps of 0.1; the nearest is 0.3"):
        Real("dropout", 0.0, 0.5, step=0.1).check(0.26)
    with pytest.raises(SpaceError, match="the nearest is 5"):
        Integer("layers", 2, 11, step=3).check(6)


@pytest.mark.parametrize(
    ("step", "log", "sentence"),
    [
        (0, False, "expected a number above 0"),
        ("a", False, "expected a number above 0"),
        (0.1, True, "expected one of them"),
    ],
)
def test_a_senseless_step_is_refused(step: Any, log: bool, sentence: str) -> None:
    with pytest.raises(SpaceError, match=sentence):
        Real("x", 0.1, 1.0, log, step=step)


def test_a_space_of_steps_lists_its_configs() -> None:
    space = Space(Real("dropout", 0.0, 0.5, step=0.1), Integer("layers", 1, 5, step=2))
    assert space.size == 18
    assert not space.smooth
