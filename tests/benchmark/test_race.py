"""A race looks up what a strategy would deploy after each trial, and how good that truly is."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tunewise.benchmark import Table
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.race import answer_of, race, replayed, truth_of
from tunewise.errors import ExecutionError, StrategyError
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.strategy import StrategySpec
from tunewise.strategy.random import Random
from tunewise.strategy.strategy import Recommendation

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


def test_variants_of_one_strategy_race_each_other(table: Table) -> None:
    specs = [StrategySpec("cherrypick", {"initial": n}) for n in (1, 3)]
    runs = race(contest(table, 3), specs, [0])
    assert [r.strategy for r in runs] == ["cherrypick(initial=1)", "cherrypick(initial=3)"]
    assert [[s.bootstrap for s in r.steps] for r in runs] == [
        [True, False, False], [True, True, True]
    ]  # fmt: skip


def test_processes_of_a_race_compute_with_one_thread_and_leave_no_trace(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    assert [with_threads(n, table) for n in (1, 2)] == [{"3"}, {"1"}]
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ


def with_threads(jobs: int, table: Table) -> set[str]:
    """The threads that processes of a race may use, as their table told them."""
    spying = Contest(Spy(table.path, ["x"], fraction=None), contest(table).problem, 1)
    said = race(spying, [StrategySpec("random")], [0, 1], jobs)
    return {f"{run.steps[0].time:.0f}" for run in said}


class Spy(Table):
    """Reports as the time of a trial how many threads there are."""

    def __call__(self, trial: Trial) -> Measurement:
        threads = float(os.environ["OMP_NUM_THREADS"])
        return Measurement({"accuracy": 0.5, "time": threads, "cost": 0.01})


def test_a_process_that_is_killed_is_told_in_a_sentence(table: Table) -> None:
    deadly = Contest(Deadly(table.path, ["x"], fraction=None), contest(table).problem, 1)
    with pytest.raises(ExecutionError, match="a process of the race was killed"):
        race(deadly, [StrategySpec("random")], [0, 1], jobs=2)


class Deadly(Table):
    """Kills the process that asks it."""

    def __call__(self, trial: Trial) -> Measurement:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("killed before")


def test_the_incumbent_is_the_best_measured_trial_that_could_be_deployed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "x,fraction,accuracy,time,cost\n1,0.5,0.9,5,0.1\n1,1,0.95,9,0.3\n2,0.5,0.2,5,0.01\n"
        "2,1,0.3,9,0.02\n"
    )
    table = Table(tmp_path / "t.csv", ["x"])
    held = {}
    for deploy in ("full", "any"):
        problem = Problem(
            table.space,
            minimize="cost",
            subject_to="accuracy >= 0.8",
            fractions=table.fractions,
            deploy=deploy,
        )
        run = replayed(Contest(table, problem, 4), StrategySpec("trimtuner"), 0)
        held[deploy] = [step.incumbent for step in run.steps]
    assert held["full"][-1] in (None, 0.3), "a slice may be tried but not deployed"
    assert held["any"][-1] == 0.1
    assert all(value in (None, 0.3, 0.1) for value in held["any"]), "what breaks a limit is none"


def test_a_step_tells_its_number_its_data_and_how_long_the_strategy_thought(table: Table) -> None:
    run = replayed(contest(table), StrategySpec("random"), 0)
    assert [step.number for step in run.steps] == [1, 2, 3, 4]
    assert {step.fraction for step in run.steps} == {1.0}
    thought = [step.thought for step in run.steps]
    assert thought == sorted(thought)
    assert thought[-1] == pytest.approx(run.seconds_per_ask * 4, rel=0.5)
    assert all(step.strict == (step.share if step.feasible else 0.0) for step in run.steps)


def test_a_recommendation_that_fails_is_worth_nothing(tmp_path: Path) -> None:
    rows = ROWS.replace("cost\n", "cost,done\n").replace("\n1,0.5,10,0.01", "\n1,0.5,10,0.01,no")
    text = "\n".join(r if r.endswith(("no", "done")) else f"{r},yes" for r in rows.split())
    (tmp_path / "f.csv").write_text(text + "\n")
    table = Table(tmp_path / "f.csv", ["x"], fraction=None, completed="done")
    wanted = contest(table)
    assert truth_of(wanted, Recommendation({"x": 1})) is None
    assert truth_of(wanted, Recommendation({"x": 2})) == {
        "accuracy": 0.8, "time": 20.0, "cost": 0.02
    }  # fmt: skip


def test_a_strategy_that_knows_nothing_yet_recommends_nothing(table: Table) -> None:
    class Silent(Random):
        def recommend(self, history: History) -> Recommendation:
            raise StrategyError("nothing was measured")

    problem = contest(table).problem
    assert answer_of(Silent(problem, 0), History()) is None
    measured = History([Trial(0, {"x": 2}).told(Measurement({"accuracy": 0.8, "cost": 0.02}))])
    answer = answer_of(Random(problem, 0), measured)
    assert answer is not None and answer.config == {"x": 2}


def test_a_race_may_replay_another_job_than_its_table(table: Table) -> None:
    def slow(trial: Trial) -> dict[str, float]:
        return {"accuracy": 0.5, "time": 1000.0, "cost": 0.01}

    run = replayed(replace(contest(table, trials=2), job=slow), StrategySpec("random"), 0)
    assert [step.time for step in run.steps] == [1000.0, 2000.0]


def test_without_limits_that_can_be_kept_the_place_is_named(table: Table) -> None:
    hopeless = contest(table, limit=0.001)
    with pytest.raises(ExecutionError, match="keeps the limits at the full data; expected at leas"):
        replayed(hopeless, StrategySpec("random"), 0)
    anywhere = Problem(table.space, maximize="accuracy", subject_to="cost <= 0.001", deploy="any")
    with pytest.raises(ExecutionError, match="keeps the limits at any fraction"):
        replayed(replace(hopeless, problem=anywhere), StrategySpec("random"), 0)
