"""What strategies are raced on, from a table and what a person says; and a race as plain data."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmark.races import run
from tunewise.benchmark import Table
from tunewise.benchmark.contest import Contest, contest
from tunewise.benchmark.measures.summary import described
from tunewise.errors import ExecutionError, ProblemError

PARTS = (
    "x,fraction,accuracy,time,cost,recall\n1,0.5,0.5,10,0.01,0.1\n1,1,0.8,20,0.02,0.2\n"
    "2,0.5,0.6,30,0.03,0.3\n2,1,0.9,40,0.05,0.4\n"
)


def table(folder: Path, text: str = PARTS, metrics: tuple[str, ...] = ()) -> Table:
    (folder / "t.csv").write_text(text)
    known = metrics or ("accuracy", "time", "cost", "recall")
    return Table(folder / "t.csv", ["x"], metrics=known)


def wanted(on: Table, **changes: Any) -> Contest:
    given: dict[str, Any] = {"maximize": None, "minimize": None, "subject_to": [], "trials": 7,
                             "budget": None, "parallel": 2}  # fmt: skip
    return contest(on, **(given | changes))


def test_without_a_word_the_most_accuracy_is_wanted_or_else_the_least_cost(tmp_path: Path) -> None:
    found = wanted(table(tmp_path))
    assert found.problem.aim == "maximise accuracy"
    assert (found.trials, found.parallel, found.job) == (7, 2, None)
    blind = table(tmp_path, metrics=("time", "cost"))
    assert wanted(blind).problem.aim == "minimise cost"
    assert wanted(blind, minimize="time").problem.aim == "minimise time"


def test_a_race_is_over_the_fractions_of_the_table_or_over_all_data_alone(tmp_path: Path) -> None:
    assert wanted(table(tmp_path)).problem.fractions == (0.5, 1.0)
    assert wanted(table(tmp_path), full_data=True).problem.fractions == (1.0,)
    assert wanted(table(tmp_path), deploy="any").problem.deploy == "any"


def test_columns_of_ones_own_are_metrics(tmp_path: Path) -> None:
    found = wanted(table(tmp_path), maximize="recall", subject_to=["recall >= 0.2"], budget="3 USD")
    assert found.problem.goal == "maximise recall with recall ≥ 0.2"
    assert found.problem.budget == 3.0


def test_what_the_table_does_not_have_cannot_be_wanted(tmp_path: Path) -> None:
    blind = table(tmp_path, metrics=("accuracy", "time"))
    with pytest.raises(ExecutionError, match="has no metric 'cost'"):
        wanted(blind, minimize="cost")
    with pytest.raises(ExecutionError, match="has no metric 'cost'"):
        wanted(blind, subject_to=["cost <= 3"])
    with pytest.raises(ProblemError, match="deploy is 'some'"):
        wanted(blind, deploy="some")


RUNS = [
    run(0.5, 1.0, optimum=0.02),
    run(0.5, 0.8, seed=1, optimum=0.02),
    run(0.4, strategy="b", cost=3.0, optimum=0.02),
]


def test_a_race_as_data_has_scores_curves_and_steps_of_each_strategy(tmp_path: Path) -> None:
    first, second = described(wanted(table(tmp_path)), RUNS)
    assert (first["strategy"], first["seeds"], second["strategy"]) == ("a", 2, "b")
    assert first["final"] == pytest.approx(0.9) and second["final"] == pytest.approx(0.4)
    assert set(first["curve"]) == {"cost", "time", "trials", "total"}
    assert first["curve"]["cost"][-1] == pytest.approx([3.0, 0.9])
    assert first["steps"] == [[1.0, 1.0, 1.0], [2.0, 0.5, 1.0]]
    assert second["steps"] == [[1.0, 1.0, 3.0]]
    assert "cno" not in first
    assert json.loads(json.dumps(first))["strategy"] == "a"


def test_where_something_is_minimised_its_cno_is_told_too(tmp_path: Path) -> None:
    first, second = described(wanted(table(tmp_path), minimize="cost"), RUNS)
    # The optimum costs 0.02 on all of the data: incumbents of 0.04, then of 0.02 and 0.025.
    assert first["cno"]["final"] == {50: pytest.approx(1.0), 90: pytest.approx(1.25)}
    assert first["cno"]["curve"]["trials"] == [
        [1.0, pytest.approx(2.0), pytest.approx(2.0)],
        [2.0, pytest.approx(1.0), pytest.approx(1.25)],
    ]
    assert second["cno"]["curve"]["cost"] == [[3.0, pytest.approx(2.5), pytest.approx(2.5)]]
