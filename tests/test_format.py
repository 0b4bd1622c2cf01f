import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise import format as shown
from tunewise.problem import KNOWN, Metric


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.0, "0.00 USD"),
        (0.0031, "0.0031 USD"),
        (0.5, "0.50 USD"),
        (0.123456, "0.123 USD"),
        (0.9999, "1.00 USD"),
        (12.5, "12.50 USD"),
        (1234.5, "1,234.50 USD"),
        (-0.25, "-0.25 USD"),
        (3e-8, "3e-8 USD"),
    ],
)
def test_money_has_cents_or_as_many_digits_as_small_amounts_need(usd: float, text: str) -> None:
    assert shown.money(usd) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.00042, "0.42 ms"),
        (0.31, "310 ms"),
        (0.9999, "1 s"),
        (3.14, "3.1 s"),
        (59.96, "1 m"),
        (252.0, "4 m 12 s"),
        (300.0, "5 m"),
        (3599.7, "1 h"),
        (3725.0, "1 h 2 m"),
        (90000.0, "1 d 1 h"),
        (-252.0, "-4 m 12 s"),
    ],
)
def test_durations_are_told_in_their_largest_units(seconds: float, text: str) -> None:
    assert shown.duration(seconds) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0, "0"), (0.951234, "0.9512"), (12345.6, "12,346"), (1.23e-5, "1.23e-5"), (4, "4")],
)
def test_numbers_keep_four_digits(x: float, text: str) -> None:
    assert shown.number(x) == text


@pytest.mark.parametrize("form", [shown.number, shown.money, shown.duration, shown.percent])
def test_what_is_not_finite_is_shown_and_never_fails(form: object) -> None:
    assert callable(form)
    assert form(math.nan).startswith(shown.MISSING)
    assert form(math.inf).startswith("∞")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1e-9, "< 1 %"),
        (0.5, "50 %"),
        (0.9999, "> 99 %"),
        (1, "100 %"),
        (1.5, "150 %"),
        (1e300, "1e302 %"),
    ],
)
def test_only_certainty_is_shown_as_certain(share: float, text: str) -> None:
    assert shown.percent(share) == text


def test_a_prediction_has_as_many_digits_as_its_deviation_supports() -> None:
    assert shown.expected(KNOWN["accuracy"], 0.912345, 0.0123) == "0.912 ± 0.012"
    assert shown.expected(KNOWN["cost"], 0.0191, 0.0004) == "0.01910 ± 0.00040 USD"
    assert shown.expected(KNOWN["time"], 252.0, 12.0) == "4 m 12 s ± 12 s"


def test_a_certain_prediction_has_no_deviation() -> None:
    assert shown.expected(KNOWN["accuracy"], 0.9, 0.0) == "0.9"


def test_metrics_of_ones_own_carry_their_unit() -> None:
    assert shown.measured(Metric("speed", "positive", "images/s"), 1234.0) == "1,234 images/s"


def test_fractions_are_said_as_parts() -> None:
    assert [shown.share_of_data(s) for s in (1 / 60, 0.25, 0.3, 1.0)] == [
        "1/60",
        "1/4",
        "0.3",
        "all",
    ]


def test_the_headline_of_a_traceback_is_its_last_line() -> None:
    assert shown.headline("Traceback (most recent call last):\n  File x\nValueError: no\n") == (
        "ValueError: no"
    )
    assert shown.headline("out of memory\nin layer 3") == "out of memory"
    assert shown.headline(" \n") == "no reason was given"


@given(st.floats(min_value=1e-3, max_value=1e8))
def test_a_duration_reads_back_within_its_smallest_unit(seconds: float) -> None:
    sizes = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    parts = re.findall(r"([\d.,]+) (ms|s|m|h|d)", shown.duration(seconds))
    read = sum(float(n.replace(",", "")) * sizes[unit] for n, unit in parts)
    assert read == pytest.approx(seconds, rel=0.05)


@given(st.floats(min_value=1e-12, max_value=1e12))
def test_money_reads_back_to_a_few_digits(usd: float) -> None:
    read = float(shown.money(usd).removesuffix(" USD").replace(",", ""))
    assert read == pytest.approx(usd, rel=0.06)


def test_a_fraction_that_is_next_to_nothing_is_written_as_a_number() -> None:
    assert shown.share_of_data(5e-324) == "4.94e-324"


def test_absurd_times_and_amounts_stay_short() -> None:
    assert shown.duration(1e308) == "1.16e303 d"
    assert shown.money(1e300) == "1e300 USD"
    assert shown.money(-2.5e15) == "-2.5e15 USD"
