"""A hint where slices of the data save nothing."""

import pytest

import tunewise as tw
from tunewise.history import History, Measurement, Trial
from tunewise.report.idle_slices import idle_slices

PROBLEM = tw.Problem(tw.Space(tw.Integer("x", 0, 9)), maximize="accuracy", fractions=(0.25, 1.0))


def took(*times: tuple[float, float]) -> History:
    """Trials on fractions, with their seconds."""
    told = [Measurement({"accuracy": 0.5, "time": seconds}) for _, seconds in times]
    return History(
        Trial(n, {"x": n}, fraction).told(outcome)
        for n, ((fraction, _), outcome) in enumerate(zip(times, told, strict=True))
    )


def test_slices_that_take_as_long_as_all_of_the_data_are_told() -> None:
    said = idle_slices(PROBLEM, took(*[(0.25, 6.0)] * 3, *[(1.0, 6.2)] * 3))
    assert said is not None
    assert said.startswith("Trials on 1/4 of the data take as long as full ones (6 s and")


@pytest.mark.parametrize(
    "times",
    [
        [(0.25, 2.0)] * 3 + [(1.0, 6.2)] * 3,
        [(0.25, 6.0)] * 3 + [(1.0, 6.2)] * 2,
        [(1.0, 6.2)] * 4,
    ],
    ids=["they save", "too few", "none"],
)
def test_there_is_nothing_to_say(times: list[tuple[float, float]]) -> None:
    assert idle_slices(PROBLEM, took(*times)) is None
