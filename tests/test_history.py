import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tunewise as tw
from tunewise.errors import MeasurementError
from tunewise.history import completed

finite = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=0, max_value=1e6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "0.9", None, True, [1.0]])
def test_a_metric_that_is_not_a_finite_number_is_refused_by_name(bad: object) -> None:
    with pytest.raises(MeasurementError, match="accuracy"):
        tw.Measurement({"accuracy": bad})  # type: ignore[dict-item] # wrong on purpose


def test_numpy_numbers_become_plain_floats() -> None:
    measured = tw.Measurement({"accuracy": np.float32(0.5), "time": np.int64(3)})  # type: ignore[dict-item] # users do this
    assert measured.metrics == {"accuracy": 0.5, "time": 3.0}
    assert all(type(v) is float for v in measured.metrics.values())
    scalar = tw.Measurement({"accuracy": np.array(0.5)})  # type: ignore[dict-item] # frameworks do this
    assert scalar.metrics == {"accuracy": 0.5}
    with pytest.raises(MeasurementError, match="accuracy"):
        tw.Measurement({"accuracy": np.array([0.5])})  # type: ignore[dict-item] # wrong on purpose


@pytest.mark.parametrize("fraction", [0, 1, 1.5, -0.1, "0.1", math.nan])
def test_a_snapshot_outside_the_open_unit_interval_is_refused(fraction: float) -> None:
    with pytest.raises(MeasurementError, match="snapshot at fraction"):
        tw.Measurement({"accuracy": 0.5}, snapshots={fraction: {"accuracy": 0.1}})


def test_an_empty_measurement_and_a_negative_deviation_are_refused() -> None:
    with pytest.raises(MeasurementError, match="at least one metric"):
        tw.Measurement({})
    with pytest.raises(MeasurementError, match="deviation of 'time' is -1; expected 0 or more"):
        tw.Measurement({"time": 1.0}, deviations={"time": -1.0})


def test_what_preempted_attempts_cost_stays_booked_and_is_no_evidence() -> None:
    trial = tw.Trial(0, {"x": 1}).told(tw.Preempted("spot reclaimed", {"cost": 0.5, "time": 10}))
    assert trial.state == tw.TrialState.PREEMPTED and trial.outcome is None
    again = trial.told(tw.Preempted("spot reclaimed", {"cost": 0.25}))
    done = again.told(tw.Measurement({"accuracy": 0.9, "cost": 1.0, "time": 20.0}))
    assert done.spent == {"cost": 1.75, "time": 30.0}
    history = tw.History([again])
    assert not history.complete and not history.failed and len(history.pending) == 1


@given(st.lists(st.tuples(finite, finite), max_size=20))
def test_everything_that_was_told_is_booked(rows: list[tuple[float, float]]) -> None:
    kinds: list[Callable[[dict[str, float]], tw.Measurement | tw.Failure]] = [
        lambda m: tw.Measurement({"accuracy": 0.5, **m}),
        lambda m: tw.Failure("crashed", m),
        lambda m: tw.Cancelled("stopped", m),
        lambda m: tw.Preempted("gone", m),
        lambda m: tw.TimedOut("pruned", m),
    ]
    trials = [
        tw.Trial(i, {"x": i}).told(kinds[i % 5]({"cost": cost, "time": time}))
        for i, (cost, time) in enumerate(rows)
    ]
    spent = tw.History(trials).spent
    assert spent["cost"] == pytest.approx(math.fsum(c for c, _ in rows))
    assert spent["time"] == pytest.approx(math.fsum(t for _, t in rows))


def test_a_timed_out_trial_has_failed_and_gives_lower_bounds() -> None:
    stopped = tw.Trial(1, {"x": 2}, 0.5).told(tw.TimedOut("pruned", {"time": 30.0}))
    measured = tw.Trial(0, {"x": 1}).told(tw.Measurement({"accuracy": 0.9, "time": 10.0}))
    history = tw.History([measured, stopped, tw.Trial(2, {"x": 3}).told(tw.Failure("crashed"))])
    assert stopped.state == "failed" and [t.number for t in history.timed_out] == [1]
    bounds = history.censored("time")
    assert (bounds.configs, bounds.values.tolist()) == ([{"x": 2}], [30.0])
    assert bounds.fractions.tolist() == [0.5]
    assert len(history.censored("cost")) == 0 and len(history.observations("time")) == 1


def test_observations_have_snapshots_before_their_trial_and_its_deviation() -> None:
    measurement = tw.Measurement(
        {"accuracy": 0.9},
        snapshots={0.5: {"accuracy": 0.8}, 0.1: {"accuracy": 0.6}},
        deviations={"accuracy": 0.01},
    )
    history = tw.History([tw.Trial(0, {"x": 1}).told(measurement), tw.Trial(1, {"x": 2})])
    seen = history.observations("accuracy")
    assert seen.fractions.tolist() == [0.1, 0.5, 1.0]
    assert seen.values.tolist() == [0.6, 0.8, 0.9]
    assert np.isnan(seen.deviations[:2]).all() and seen.deviations[2] == 0.01
    assert len(history.observations("accuracy", snapshots=False)) == 1
    assert len(history.observations("cost")) == 0


def test_a_history_is_ordered_by_number_and_equal_whatever_the_clocks_say() -> None:
    one = tw.History([tw.Trial(1, {"x": 2}, asked_at=5.0), tw.Trial(0, {"x": 1})])
    two = tw.History([tw.Trial(0, {"x": 1}, asked_at=9.0), tw.Trial(1, {"x": 2})])
    assert [t.number for t in one] == [0, 1]
    assert one == two and hash(one) == hash(two)
    assert one[:1] == tw.History([tw.Trial(0, {"x": 1})])


def test_a_deviation_of_what_was_not_measured_is_refused() -> None:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, "random", seed=0)
    trial = study.ask()
    with pytest.raises(MeasurementError, match="deviation of 'acuracy'.*did you mean 'accuracy'"):
        study.tell(trial, tw.Measurement({"accuracy": 0.9}, deviations={"acuracy": 0.01}))
    study.tell(trial, tw.Measurement({"accuracy": 0.9}, deviations={"accuracy": 0.01}))


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        ({"acuracy": 0.4}, "fraction 0.1 has 'acuracy', .* did you mean 'accuracy'"),
        ({"acuracy": 0.4, "time": 3.0}, "fraction 0.1 has 'acuracy', .* did you mean 'accuracy'"),
        ({}, "fraction 0.1 has no metric, and nothing that the problem needs; Valid: accuracy"),
    ],
)
def test_a_snapshot_without_anything_needed_is_refused(
    snapshot: dict[str, float], said: str
) -> None:
    problem = tw.Problem(tw.Space(tw.Choice("x", [1, 2])), maximize="accuracy")
    with pytest.raises(MeasurementError, match=said):
        completed(problem, {"x": 1}, tw.Measurement({"accuracy": 0.5}, {0.1: snapshot}))


@pytest.mark.parametrize("snapshot", [{"accuracy": 0.4, "loss": 2.0}, {"time": 3.0}])
def test_a_snapshot_may_bring_more_or_only_what_was_spent(snapshot: dict[str, float]) -> None:
    problem = tw.Problem(tw.Space(tw.Choice("x", [1, 2])), maximize="accuracy")
    told = tw.Measurement({"accuracy": 0.5}, {0.1: snapshot})
    assert completed(problem, {"x": 1}, told) == told
