"""Limits are tried at round values that enclose what was measured."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tunewise.problem import KNOWN, Metric
from tunewise.report.what_if.round_limits import round_limits

METRICS = [*KNOWN.values(), Metric("loss")]


@pytest.mark.parametrize(
    ("metric", "values", "some"),
    [
        (KNOWN["time"], (50.0, 2000.0), (60.0, 300.0, 1800.0)),
        (KNOWN["accuracy"], (0.4, 0.96), (0.5, 0.85, 0.9, 0.95)),
        (KNOWN["cost"], (0.003, 0.9), (0.01, 0.05, 0.1)),
        (Metric("loss"), (-1.0, 3.0), (-1.0, 0.0, 2.5)),
        (KNOWN["time"], (100.0, 130.0), (100.0, 120.0)),
    ],
)
def test_its_values_are_such_as_people_choose(
    metric: Metric, values: tuple[float, float], some: tuple[float, ...]
) -> None:
    assert set(some) <= set(round_limits(metric, values))


@example(KNOWN["accuracy"], 1.0, 0.9999999999999999, 0)
@given(st.sampled_from(METRICS), st.floats(0.001, 1), st.floats(0.001, 1), st.integers(0, 6))
def test_it_encloses_all_values_with_a_few_rungs(
    metric: Metric, one: float, other: float, power: int
) -> None:
    scale = 1.0 if metric.kind == "share" else 10.0**power
    values = [one * scale, other * scale]
    rungs = round_limits(metric, values)
    assert list(rungs) == sorted(set(rungs))
    assert rungs[0] <= min(values) * (1 + 1e-6)
    assert rungs[-1] >= max(values) * (1 - 1e-6)
    assert 2 <= len(rungs) <= 35


@pytest.mark.parametrize(
    ("metric", "values", "limits"),
    [
        # Even steps of 1, 2 or 5 times a power of ten, at least eight of them.
        (Metric("loss"), (0.0, 7.0), (0, 1, 2, 3, 4, 5, 6, 7)),
        (Metric("loss"), (1.0, 15.0), (0, 2, 4, 6, 8, 10, 12, 14, 16)),
        (Metric("loss"), (-3.0, 33.0), (-5, 0, 5, 10, 15, 20, 25, 30, 35)),
        # Of one value that is a limit itself, a second one lies close above.
        (Metric("loss"), (5.0, 5.0), (5.0, 5.0000005)),
        (KNOWN["accuracy"], (0.9, 0.97), (0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97)),
    ],
)
def test_limits_by_hand(
    metric: Metric, values: tuple[float, float], limits: tuple[float, ...]
) -> None:
    assert round_limits(metric, values) == pytest.approx(limits, rel=1e-9)


def test_times_below_a_second_or_beyond_years_have_the_steps_of_other_numbers() -> None:
    short = round_limits(KNOWN["time"], (0.01, 10.0))
    assert {0.01, 0.015, 0.1, 1.0, 10.0} <= set(short)
    minutes = round_limits(KNOWN["time"], (60.0, 3600.0))
    assert {60.0, 600.0, 900.0, 1800.0, 3600.0} <= set(minutes)
    assert 700.0 not in minutes and 1000.0 not in minutes


def test_what_spreads_over_many_powers_of_ten_is_thinned_and_keeps_both_ends() -> None:
    wide = round_limits(KNOWN["cost"], (1e-6, 1e6))
    assert len(wide) <= 31
    assert wide[0] == pytest.approx(1e-6) and wide[-1] >= 1e6 * (1 - 1e-9)
