"""What is told of a trial is checked against its problem, and completed by its price."""

import pytest

import tunewise as tw
from tunewise.errors import MeasurementError
from tunewise.history import Failure, Measurement, completed

PROBLEM = tw.Problem(
    tw.Space(tw.Ordinal("vms", [1, 2])),
    maximize="accuracy",
    metrics={"loss": "real", "memory": "positive"},
    price=lambda config: 3.6 * config["vms"],
)
CONFIG = {"vms": 2}


def test_the_cost_follows_from_time_and_price_unless_it_was_told() -> None:
    told = completed(PROBLEM, CONFIG, Measurement({"accuracy": 0.5, "time": 10.0}))
    assert told.metrics["cost"] == pytest.approx(0.02)
    own = completed(PROBLEM, CONFIG, Measurement({"accuracy": 0.5, "time": 10.0, "cost": 7.0}))
    assert own.metrics["cost"] == 7.0
    failed = completed(PROBLEM, CONFIG, Failure("broke", {"time": 10.0}))
    assert isinstance(failed, Failure) and failed.metrics["cost"] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        ({"accuracy": 93.0}, "accuracy is 93; it lies between 0 and 1; .* told as 0.93"),
        ({"accuracy": -0.1}, "it lies between 0 and 1$"),
        ({"accuracy": 0.5, "time": -1.0}, "time is -1; expected 0 or more"),
        ({"accuracy": 0.5, "memory": -1.0}, "memory is -1; expected 0 or more"),
        ({"loss": 0.5}, "no 'accuracy', which the problem needs; it has: loss"),
        ({"accuracy": 0.5, "time": 3.0, "resumed": 4.0}, "resumed is 4; .* which is 3"),
    ],
)
def test_what_cannot_be_is_refused(metrics: dict[str, float], sentence: str) -> None:
    with pytest.raises(MeasurementError, match=sentence):
        completed(PROBLEM, CONFIG, Measurement(metrics))


def test_what_may_be_is_kept() -> None:
    for metrics in ({"accuracy": 0.0}, {"accuracy": 1.0, "loss": -3.0, "memory": 0.0}):
        assert completed(PROBLEM, CONFIG, Measurement(metrics)).metrics == metrics


def test_a_text_is_ignored_unless_somebody_needs_a_number_there() -> None:
    note = Measurement.of({"accuracy": 0.5, "note": "warm"})
    assert completed(PROBLEM, CONFIG, note).metrics == {"accuracy": 0.5}
    for needed in ("accuracy", "time", "resumed"):
        with pytest.raises(MeasurementError, match=f"metric '{needed}' is 'long'"):
            completed(PROBLEM, CONFIG, Measurement.of({"loss": 0.5, needed: "long"}))
