import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise import format as shown
from tunewise.format.numbers import read
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


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (1e-4, 4, "0.0001"),
        (9.99e-5, 4, "9.99e-5"),
        (999_999_999.0, 4, "999,999,999"),
        (1e9, 4, "1e9"),
        (-1234.5, 4, "-1,234"),
        (-0.5, 4, "-0.5"),
        (-2e9, 2, "-2e9"),
        (123.4, 2, "123"),
        (12.34, 2, "12"),
        (12.34, 3, "12.3"),
        (-12.34, 2, "-12"),
        (1000.4, 6, "1,000"),
        (1e-10, 1, "1e-10"),
    ],
)
def test_a_number_never_loses_digits_of_its_whole_part(x: float, digits: int, text: str) -> None:
    assert shown.number(x, digits) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.994, "0.994"),
        (0.995, "0.99"),
        (-0.994, "-0.994"),
        (-5.0, "-5.00"),
        (1.5, "1.50"),
        (1e12, "1e12"),
        (-1e12, "-1e12"),
        (999_999_999_999.0, "999,999,999,999.00"),
        (1e-6, "0.000001"),
        (9e-7, "9e-7"),
        (0.1, "0.10"),
    ],
)
def test_an_amount_is_written_as_money_is(usd: float, text: str) -> None:
    assert shown.amount(usd) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.999, "999 ms"),
        (0.9995, "1 s"),
        (59.9, "59.9 s"),
        (59.95, "1 m"),
        (2.0, "2 s"),
        (86400 * 1e6, "1,000,000 d"),
        (86400 * 1e9, "1e9 d"),
        (86400 * 2.5e9, "2.5e9 d"),
        (7260.0, "2 h 1 m"),
        (-0.5, "-500 ms"),
    ],
)
def test_a_duration_moves_to_the_next_unit_where_it_would_round_to_it(
    seconds: float, text: str
) -> None:
    assert shown.duration(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.009, "< 1 %"),
        (0.01, "1 %"),
        (0.99, "99 %"),
        (0.991, "> 99 %"),
        (1.5, "150 %"),
        (-0.5, "-50 %"),
        (1e6, "1e8 %"),
        (-2e6, "-2e8 %"),
        (999_999.0, "99999900 %"),
    ],
)
def test_a_share_is_honest_at_its_ends(share: float, text: str) -> None:
    assert shown.percent(share) == text


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        (KNOWN["cost"], 0.5, "0.50 USD"),
        (KNOWN["time"], 90.0, "1 m 30 s"),
        (KNOWN["accuracy"], 0.5, "0.5"),
        (Metric("memory", "positive", "GB"), 1.5, "1.5 GB"),
    ],
)
def test_a_measured_value_has_its_unit(metric: Metric, value: float, text: str) -> None:
    assert shown.measured(metric, value) == text


@pytest.mark.parametrize(
    ("metric", "mean", "std", "text"),
    [
        (KNOWN["cost"], 1234.567, 12.0, "1,235 ± 12 USD"),
        (KNOWN["accuracy"], 0.9123, 0.00456, "0.9123 ± 0.0046"),
        (KNOWN["time"], 90.0, 5.0, "1 m 30 s ± 5 s"),
        (Metric("loss"), 0.5, 2.5e-7, "0.50000000 ± 0.00000025"),
        (Metric("loss"), 0.5, 2.5e-8, "0.5 ± 2.5e-8"),
        (Metric("loss"), 1e9, 5.0, "1e9 ± 5"),
        (Metric("loss"), -1e9, 5.0, "-1e9 ± 5"),
        (Metric("loss"), 999_999_999.0, 5.0, "999,999,999.0 ± 5.0"),
        (Metric("memory", "positive", "GB"), 2e9, 5.0, "2e9 ± 5 GB"),
        (KNOWN["accuracy"], 0.5, 0.0, "0.5"),
        (KNOWN["accuracy"], 0.5, math.inf, "0.5"),
        (KNOWN["accuracy"], math.nan, 0.1, "–"),
    ],
)
def test_a_prediction_has_two_digits_of_its_deviation(
    metric: Metric, mean: float, std: float, text: str
) -> None:
    assert shown.expected(metric, mean, std) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(12345.6, "12346"), (0.5, "0.5"), (7, "7"), (True, "True"), ("a,b", "a,b"), (None, "None"),
     (math.inf, "inf"), (1e-7, "1e-7"), (12345, "12345")],
)  # fmt: skip
def test_values_of_a_config_are_short_and_can_be_read_back(value: object, text: str) -> None:
    assert shown.value(value) == text


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("0.5", 0.5), ("x", "x"), ("1e3", 1000.0)])
def test_a_text_is_read_as_the_number_that_it_says(text: str, value: object) -> None:
    found = read(text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(1e-12, "1/1000000000000"), (9e-13, "9e-13"), (0.3, "0.3"), (0.66666, "0.667"),
     (0.016667, "1/60"), (0.33333, "1/3"), (0.3332, "0.333")],
)  # fmt: skip
def test_a_fraction_is_one_of_so_many_parts_where_it_is_close(fraction: float, text: str) -> None:
    assert shown.share_of_data(fraction) == text


def test_a_card_shows_texts_as_they_are() -> None:
    assert shown.card("<b>", {"a&b": "<i>", "empty": ""}) == (
        "<div><b>&lt;b&gt;</b><br>a&amp;b <b>&lt;i&gt;</b></div>"
    )
    assert shown.card("Space") == shown.card("Space", {}) == "<div><b>Space</b></div>"
    both = shown.card("Space", {"a": "1", "b": "2"})
    assert both == "<div><b>Space</b><br>a <b>1</b> · b <b>2</b></div>"


def test_a_card_has_a_table_where_there_are_rows() -> None:
    style = 'style="padding:2px 10px 2px 0;text-align:left"'
    assert shown.card("T", head=["x"], rows=[["<1>"], ["2"]]) == (
        f"<div><b>T</b><table><thead><tr><th {style}>x</th></tr></thead><tbody>"
        f"<tr><td {style}>&lt;1&gt;</td></tr><tr><td {style}>2</td></tr></tbody></table></div>"
    )
    assert "<table>" not in shown.card("T", head=["x"])
