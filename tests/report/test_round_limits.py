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
