"""An epoch is a fidelity like a fraction of the data."""

from typing import Any

import pytest

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.errors import MeasurementError, ProblemError
from tunewise.execution import RunningTrial
from tunewise.execution.running_trial import reporting
from tunewise.report.listing import trials_table, wide_columns
from tunewise.study.define_by_run.context import TrialContext
from tunewise.study.executor import Report

SPACE = tw.Space(tw.Real("x", 0, 1))


def problem(**wanted: Any) -> tw.Problem:
    given = {"maximize": "accuracy", "resource": "epochs", "fractions": (1, 3, 9), **wanted}
    return tw.Problem(SPACE, **given)


def train(trial: RunningTrial) -> dict[str, float]:
    accuracy = 0.0
    for epoch in range(1, trial.epochs + 1):
        accuracy = (1 - 0.5**epoch) * (0.9 - (trial.config["x"] - 0.3) ** 2)
        trial.report(accuracy, step=epoch)
    return {"accuracy": accuracy, "time": float(trial.epochs)}


def test_fractions_are_whole_epochs_and_kept_as_such() -> None:
    asked = problem()
    assert asked.fractions == pytest.approx((1 / 9, 1 / 3, 1))
    assert asked.describe()["fractions"] == [1, 3, 9]
    again = tw.Problem.from_description(asked.describe())
    assert (again.epochs, again.fractions) == (9, asked.fractions)


def test_trials_train_for_as_many_epochs_as_asked_and_each_report_is_an_observation() -> None:
    study = tw.Study(problem(), seed=0)
    best = study.optimize(train, trials=10, progress=False)
    assert best is not None
    epochs = {round(trial.metrics["time"]) for trial in study.history.complete}
    assert epochs <= {1, 3, 9}
    assert min(epochs) < 9
    longer = [trial for trial in study.history.complete if trial.fraction > 1 / 9]
    assert longer
    for trial in longer:
        assert trial.measurement is not None
        passed = [round(9 * fraction) for fraction in sorted(trial.measurement.snapshots)]
        assert passed == list(range(1, round(9 * trial.fraction)))


def test_a_step_without_epochs_and_a_slice_with_them_are_refused() -> None:
    plain = RunningTrial.of(tw.Trial(0, {"x": 0.5}))
    with pytest.raises(MeasurementError, match="resource='epochs'"):
        plain.report(0.5, step=3)
    with pytest.raises(MeasurementError, match=r"trial.report\(accuracy=0.5\)"):
        plain.report(0.5, fraction=0.5)


def test_a_step_is_an_epoch_that_has_ended_and_may_follow_the_value() -> None:
    heard: list[Report] = []
    context = TrialContext(("accuracy",), 9, {}, False, 0)
    trial = RunningTrial.of(tw.Trial(0, {"x": 0.5}, 1 / 3)).knowing(context)
    with reporting(heard.append):
        trial.report(0.5, 2)
    assert heard == [Report({"accuracy": 0.5}, 2 / 9)]
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(MeasurementError, match=r"expected the number of epochs .*epoch \+ 1"):
            trial.report(0.5, step=wrong)  # type: ignore[arg-type] # on purpose
    with pytest.raises(MeasurementError, match="trains for trial.epochs = 3 and cannot report"):
        trial.report(0.5, step=4)


@nothing_recommended
def test_a_slice_of_the_data_is_no_part_of_a_problem_in_epochs() -> None:
    def slices(trial: RunningTrial) -> dict[str, float]:
        return {"accuracy": float(len(trial.subset([1, 2, 3])))}

    study = tw.Study(problem(), seed=0)
    study.optimize(slices, trials=1, progress=False)
    assert "differ in epochs and use all the data" in str(study.history[0].outcome)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"fractions": (0.1, 1)}, "expected whole epochs"),
        ({"fractions": (1,)}, "expected whole epochs"),
        ({"resource": "epoch"}, "did you mean 'epochs'"),
    ],
)
def test_what_are_no_epochs_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        problem(**wrong)


def test_epochs_are_called_epochs() -> None:
    study = tw.Study(problem(), "trimtuner", seed=0)
    trial = study.ask()
    study.tell(trial, {"accuracy": 0.5, "time": 1.0})
    columns = wide_columns(trials_table(study.problem, study.history).data, limits=False)
    assert trial.fraction == pytest.approx(1 / 9)
    assert [c.cells for c in columns if c.name == "epochs"] == [["1"]]
    assert study.problem.part(1 / 3) == "3 of 9 epochs"
    for said in (repr(trial), study.problem._repr_html_(), repr(study.recommend())):
        assert "data" not in said
