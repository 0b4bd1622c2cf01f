"""What is asked of a what-if: two limits, each with its direction."""

import pytest

from tunewise.errors import ProblemError
from tunewise.problem import KNOWN, Constraint, Metric
from tunewise.report.what_if.asked import varied_limits

METRICS = {**KNOWN, "accuracy": Metric("accuracy", "share"), "rows": Metric("rows")}


@pytest.mark.parametrize(
    ("text", "limits", "signs"),
    [
        ("accuracy,time", (), [("accuracy", ">="), ("time", "<=")]),
        (" time <= , accuracy<=", (), [("time", "<="), ("accuracy", "<=")]),
        ("rows>=,cost", (), [("rows", ">="), ("cost", "<=")]),
        ("time,rows", (Constraint("rows", ">=", 5),), [("time", "<="), ("rows", ">=")]),
        ("time,rows<=", (Constraint("rows", ">=", 5),), [("time", "<="), ("rows", "<=")]),
    ],
)
def test_a_varied_limit_has_the_direction_that_was_said_or_is_limited_or_is_usual(
    text: str, limits: tuple[Constraint, ...], signs: list[tuple[str, str]]
) -> None:
    found = varied_limits(text, METRICS, limits)
    assert [(metric.name, sign) for metric, sign in found] == signs


@pytest.mark.parametrize("text", ["time", "time,time", "time<=,time>=", "a,b,c", ""])
def test_two_different_metrics_are_varied(text: str) -> None:
    with pytest.raises(ProblemError, match="expected two different metrics such as"):
        varied_limits(text, METRICS, ())
