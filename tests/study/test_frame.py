"""A study as a table for pandas: one row a trial."""

import subprocess
import sys

import pytest

import tunewise as tw


@pytest.fixture
def study() -> tw.Study:
    space = tw.Space.of([{"vms": 1, "time": 5}, {"vms": 2, "time": 5}, {"vms": 4, "time": 5}])
    problem = tw.Problem(space, maximize="accuracy", subject_to="cost <= 0.02", fractions=(0.1, 1))
    made = tw.Study(problem, "random", seed=0)
    outcomes: list[tw.Measurement | tw.Failure] = [
        tw.Measurement({"accuracy": 0.9, "cost": 0.01, "time": 60.0}),
        tw.Measurement({"accuracy": 0.95, "cost": 0.03, "time": 90.0}),
        tw.Failure("out of memory", {"cost": 0.002}),
    ]
    for number, outcome in enumerate(outcomes):
        made.enqueue(space.configs[number])
        made.tell(made.ask(), outcome)
    return made


def test_there_is_a_row_for_each_trial_with_config_and_metrics(study: tw.Study) -> None:
    import pandas as pd

    frame = study.dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.name == "number"
    assert frame["vms"].tolist() == [1, 2, 4]
    assert frame["state"].tolist() == ["complete", "complete", "failed"]
    assert frame["accuracy"].tolist()[:2] == [0.9, 0.95]
    assert frame["cost"].sum() == pytest.approx(study.spent["cost"])
    assert frame["feasible"].tolist()[:2] == [True, False]
    assert frame.loc[2, "reason"] == "out of memory"


def test_what_earlier_attempts_used_has_columns_so_that_costs_add_up(study: tw.Study) -> None:
    study.enqueue(study.problem.space.configs[0])
    study.tell(study.ask(), tw.Preempted("gone", {"cost": 0.5, "time": 60.0}))
    study.tell(study.ask(), {"accuracy": 0.9, "cost": 0.01, "time": 60.0})
    frame = study.dataframe()
    assert frame["lost_cost"].tolist() == [0.0, 0.0, 0.0, 0.5]
    whole = frame["cost"].sum() + frame["lost_cost"].sum()
    assert whole == pytest.approx(study.spent["cost"])


def test_a_metric_called_like_a_parameter_has_a_column_of_its_own(study: tw.Study) -> None:
    frame = study.dataframe()
    assert frame["time"].tolist() == [5, 5, 5]
    assert frame["measured_time"].tolist()[:2] == [60.0, 90.0]


def test_a_study_without_trials_is_an_empty_table() -> None:
    problem = tw.Problem(tw.Space(tw.Integer("x", 0, 3)), minimize="cost")
    frame = tw.Study(problem, "random").dataframe()
    assert len(frame) == 0
    assert "x" in frame.columns


def test_without_pandas_the_line_that_installs_it_is_told() -> None:
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import tunewise as tw\n"
        "problem = tw.Problem(tw.Space(tw.Integer('x', 0, 3)), minimize='cost')\n"
        "try: tw.Study(problem, 'random').dataframe()\n"
        "except tw.TunewiseError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'tunewise[pandas]'" in done.stdout
