"""A race looks up what a strategy would deploy after each trial, and how good that truly is."""

from pathlib import Path

import pytest

from tunewise.errors import ExecutionError
from tunewise.execution import Table
from tunewise.execution.race import Contest, penalised, race, replayed
from tunewise.problem import Problem
from tunewise.strategy import StrategySpec

ROWS = "x,accuracy,time,cost\n1,0.5,10,0.01\n2,0.8,20,0.02\n3,0.9,30,0.03\n4,0.95,40,0.05\n"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    (tmp_path / "t.csv").write_text(ROWS)
    return Table(tmp_path / "t.csv", ["x"], fraction=None)


def contest(table: Table, trials: int = 4, parallel: int = 1, limit: float = 0.03) -> Contest:
    problem = Problem(table.space, maximize="accuracy", subject_to=f"cost <= {limit}")
    return Contest(table, problem, trials, parallel)


def test_a_run_has_a_step_for_each_trial_with_what_was_spent(table: Table) -> None:
    run = replayed(contest(table), StrategySpec("random"), 0)
    assert len(run.steps) == 4
    assert run.steps[-1].cost == pytest.approx(0.11)
    assert run.steps[-1].time == pytest.approx(100)
    assert run.steps[-1].share == 1.0
    assert run.steps[-1].feasible
    assert [s.cost for s in run.steps] == sorted(s.cost for s in run.steps)
    assert run.seconds_per_ask > 0


def test_trials_at_once_take_less_virtual_time(table: Table) -> None:
    run = replayed(contest(table, parallel=4), StrategySpec("random"), 0)
    assert run.steps[-1].time == pytest.approx(40)
    assert run.steps[-1].cost == pytest.approx(0.11)


def test_a_recommendation_that_misses_a_limit_is_penalised(table: Table) -> None:
    problem = contest(table, limit=0.04).problem
    assert penalised(problem, {"accuracy": 0.95, "cost": 0.05}) == pytest.approx(0.95 * 0.04 / 0.05)
    assert penalised(problem, {"accuracy": 0.9, "cost": 0.03}) == 0.9


def test_both_kinds_of_limits_and_goals_are_penalised(table: Table) -> None:
    problem = Problem(table.space, minimize="cost", subject_to=["accuracy >= 0.9", "time <= 20"])
    missed = penalised(problem, {"cost": 1.0, "accuracy": 0.45, "time": 40.0})
    assert missed == pytest.approx(1.0 / 0.5 / 0.5)


def test_all_strategies_and_seeds_are_run_in_order(table: Table) -> None:
    specs = [StrategySpec("random"), StrategySpec("cherrypick")]
    heard: list[str] = []
    runs = race(contest(table, 2), specs, [5, 6], ran=lambda run: heard.append(run.strategy))
    assert [(r.strategy, r.seed) for r in runs] == [
        ("random", 5), ("random", 6), ("cherrypick", 5), ("cherrypick", 6)
    ]  # fmt: skip
    assert len(heard) == 4


def test_without_a_feasible_config_there_is_nothing_to_race_for(table: Table) -> None:
    with pytest.raises(ExecutionError, match="no config of t.csv keeps the limits"):
        replayed(contest(table, limit=0.001), StrategySpec("random"), 0)
