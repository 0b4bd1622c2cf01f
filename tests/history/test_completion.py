"""What is told of a trial is checked against its problem, and completed by its price."""

import pytest

import tunewise as tw
from tunewise.errors import MeasurementError
from tunewise.history import Failure, Measurement, Trial, checked_report, completed
from tunewise.history.completion import as_outcome, refuse_larger_snapshots

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
        ({"accuracy": 100.0}, "told as 1$"),
        ({"accuracy": 100.5}, "it lies between 0 and 1$"),
        ({"accuracy": 1.5}, "accuracy is 1.5; it lies between 0 and 1; .* told as 0.015"),
        ({"accuracy": -0.1}, "it lies between 0 and 1$"),
        ({"accuracy": 0.5, "time": -1.0}, "time is -1; expected 0 or more"),
        ({"accuracy": 0.5, "memory": -1.0}, "memory is -1; expected 0 or more"),
        ({"loss": 0.5}, "no 'accuracy', which the problem needs; it has: loss"),
        ({"accuracy": 0.5, "time": 3.0, "resumed": 4.0}, "resumed is 4; .* which is 3"),
        ({"accuracy": 0.5, "resumed": 0.5}, "resumed is 0.5; .* which is 0"),
        ({"accuracy": 0.5, "time": 3.0, "resumed": -1.0}, "resumed is -1; .* which is 3"),
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


def test_a_failure_may_not_have_spent_less_than_nothing_either() -> None:
    with pytest.raises(MeasurementError, match="cost is -2; expected 0 or more"):
        completed(PROBLEM, CONFIG, Failure("broke", {"cost": -2.0}))


def test_metrics_that_no_problem_knows_may_be_any_number() -> None:
    told = Measurement({"accuracy": 0.5, "bias": -7.0})
    assert completed(PROBLEM, CONFIG, told).metrics["bias"] == -7.0


HALF = Trial(4, CONFIG, 0.5)


def test_what_a_running_trial_reports_is_priced() -> None:
    told = checked_report(PROBLEM, HALF, 0.25, {"accuracy": 0.3, "time": 10.0})
    assert told == pytest.approx({"accuracy": 0.3, "time": 10.0, "cost": 0.02})


@pytest.mark.parametrize(
    ("fraction", "metrics", "sentence"),
    [
        (0.0, {"accuracy": 0.3}, "trial 4 runs at fraction 0.5 and cannot have a snapshot at 0"),
        (0.5, {"accuracy": 0.3}, "trial 4 runs at fraction 0.5 .* at 0.5"),
        (0.6, {"accuracy": 0.3}, "trial 4 runs at fraction 0.5 .* at 0.6"),
        (0.1, {"accuracy": 30.0}, "accuracy is 30; .* told as 0.3"),
        (0.1, {"accuracy": 0.3, "time": -1.0}, "time is -1; expected 0 or more"),
        (0.1, {"acuracy": 0.3}, "did you mean 'accuracy'"),
        (0.1, {"accuracy": float("nan")}, "'accuracy' is nan; expected a finite number"),
    ],
)
def test_a_report_that_cannot_be_is_refused(
    fraction: float, metrics: dict[str, float], sentence: str
) -> None:
    with pytest.raises(MeasurementError, match=sentence):
        checked_report(PROBLEM, HALF, fraction, metrics)


def test_a_snapshot_lies_below_the_fraction_of_its_trial() -> None:
    refuse_larger_snapshots(HALF, Measurement({"accuracy": 0.5}, {0.49: {"accuracy": 0.4}}))
    for fraction in (0.5, 0.9):
        told = Measurement({"accuracy": 0.5}, {0.1: {"accuracy": 0.1}, fraction: {"accuracy": 0.4}})
        with pytest.raises(MeasurementError, match=f"cannot have a snapshot at {fraction}"):
            refuse_larger_snapshots(HALF, told)


def test_what_is_told_is_metrics_or_an_outcome() -> None:
    failure = Failure("broke")
    assert as_outcome(failure) is failure
    assert as_outcome({"accuracy": 0.5}) == Measurement({"accuracy": 0.5})
    for wrong in (0.5, None, [("accuracy", 0.5)]):
        with pytest.raises(MeasurementError, match="expected metrics such as"):
            as_outcome(wrong)


def test_a_share_above_one_is_taken_for_a_percentage_only_up_to_a_hundred() -> None:
    def said(value: float) -> str:
        with pytest.raises(MeasurementError) as caught:
            completed(PROBLEM, CONFIG, Measurement({"accuracy": value}))
        return str(caught.value)

    assert said(90.0) == "accuracy is 90; it lies between 0 and 1; a percentage is told as 0.9"
    assert said(100.0).endswith("told as 1") and said(1.5).endswith("told as 0.015")
    assert said(101.0) == "accuracy is 101; it lies between 0 and 1"
    assert said(-1.0) == "accuracy is -1; it lies between 0 and 1"


LOSS = tw.Problem(tw.Space(tw.Ordinal("vms", [1, 2])), minimize="loss")


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            Measurement({"loss": 1e300}),
            "^loss is 1e\\+300; .* between -1e\\+100 and 1e\\+100: .* Fail",
        ),
        (Measurement({"loss": -1.01e100}), "^loss is -1.01e\\+100"),
        (Measurement({"loss": 1.0}, deviations={"loss": 1e200}), "^the deviation of loss is 1e"),
        (Measurement({"loss": 1.0}, {0.5: {"loss": 1e200}}), "^loss is 1e\\+200"),
        (Measurement({"loss": 1.0, "time": 1e200}), "^time is 1e\\+200"),
        (Failure("broke", {"cost": 1e200}), "^cost is 1e\\+200"),
    ],
)
def test_what_is_too_large_to_learn_from_is_refused(
    told: Measurement | Failure, sentence: str
) -> None:
    with pytest.raises(MeasurementError, match=sentence):
        completed(LOSS, CONFIG, told)


def test_what_nobody_learns_may_be_as_large_as_it_likes() -> None:
    told = completed(LOSS, CONFIG, Measurement({"loss": 1e100, "other": 1e300}))
    assert told.metrics == {"loss": 1e100, "other": 1e300}
    failed = Failure("diverged", {"loss": 1e300})
    assert completed(LOSS, CONFIG, failed) == failed


def test_a_report_that_is_too_large_to_learn_from_is_refused() -> None:
    with pytest.raises(MeasurementError, match="loss is 1e"):
        checked_report(LOSS, HALF, 0.25, {"loss": 1e300})
