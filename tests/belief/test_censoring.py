"""Bounds by hand: the belief that follows is the one before, cut off at the bound."""

import numpy as np
import pytest

from tests.belief import tiny
from tunewise.belief.candidates import Candidates
from tunewise.belief.censoring import with_bounds
from tunewise.belief.metric_belief import MetricBelief
from tunewise.history import Observations
from tunewise.surrogate import Normal

WANTED = tiny.problem(1, minimize="time")
HERE = Candidates.of(WANTED, [{"x": 0}])


def told(*seconds: float) -> Observations:
    """Exact measurements of the one config, or what it had spent when it was stopped."""
    count = len(seconds)
    nothing = np.full(count, np.nan)
    return Observations([{"x": 0}] * count, np.ones(count), np.array(seconds), nothing)


def believing(mean: float, std: float) -> MetricBelief:
    """That the logarithm of the time is so."""
    return tiny.written(WANTED, {"time": ([mean], [std])}).believed("time")


def taught(before: Normal, seen: Observations) -> MetricBelief:
    """The product of a normal belief and normal measurements of its logarithm."""
    precision, moment = float(before.std) ** -2.0, float(before.mean) * float(before.std) ** -2.0
    for value, deviation in zip(seen.values, seen.deviations, strict=True):
        weight = (deviation / value) ** -2.0  # of the logarithm
        precision, moment = precision + weight, moment + weight * np.log(value)
    return believing(moment / precision, precision**-0.5)


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("bound", [-1.0, 0.5, 2.0])
def test_one_bound_cuts_the_belief_off_however_often_it_is_looked_at(
    rounds: int, bound: float
) -> None:
    before = Normal(0.5, 0.8)
    after = with_bounds(
        WANTED, lambda seen: taught(before, seen), told(), told(float(np.exp(bound))), rounds
    ).predict(HERE, 1.0)
    cut = before.above(bound)
    assert np.asarray(after.mean) == pytest.approx([float(cut.mean)], rel=1e-4)
    assert np.asarray(after.std) == pytest.approx([float(cut.std)], rel=1e-4)


def test_a_bound_far_below_what_is_believed_teaches_nothing() -> None:
    before = Normal(5.0, 0.5)
    seen: list[int] = []

    def learned(observations: Observations) -> MetricBelief:
        seen.append(len(observations))
        return taught(before, observations)

    with_bounds(WANTED, learned, told(), told(1.0), 2)
    assert seen == [0, 0, 0]


def test_a_bound_beside_measurements_cuts_off_what_they_leave_open() -> None:
    before, measured = Normal(0.0, 2.0), Normal(0.0, 2.0)
    seen = Observations([{"x": 0}], np.ones(1), np.array([np.e]), np.array([np.e * 0.5]))
    without = taught(before, seen).predict(HERE, 1.0)
    after = with_bounds(WANTED, lambda all_: taught(measured, all_), seen, told(np.exp(1.2)), 3)
    cut = Normal(float(np.asarray(without.mean)[0]), float(np.asarray(without.std)[0])).above(1.2)
    now = after.predict(HERE, 1.0)
    assert np.asarray(now.mean) == pytest.approx([float(cut.mean)], rel=1e-4)
    assert np.asarray(now.std) == pytest.approx([float(cut.std)], rel=1e-4)
