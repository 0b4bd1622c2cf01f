"""A grid is measured whole, goes on after a kill, and becomes a table that can be replayed."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tunewise.benchmark import ReplayExecutor, Table
from tunewise.benchmark.columns import Columns, read
from tunewise.benchmark.grid import Collection, Kept, planned, write_tables
from tunewise.errors import ExecutionError
from tunewise.execution import RunningTrial
from tunewise.history import Failure, Measurement, Preempted, Trial
from tunewise.problem import Problem
from tunewise.space import Choice, Ordinal, Real, Space

FRACTIONS = (0.1, 0.5, 1.0)


def problem() -> Problem:
    space = Space(Ordinal("width", [1, 2, 4]), Choice("mode", ["sync", "async"]))
    return Problem(space, maximize="accuracy", fractions=FRACTIONS, price=lambda config: 3.6)


def job(trial: RunningTrial) -> dict[str, float]:
    for fraction in trial.snapshots:
        trial.report(fraction=fraction, accuracy=fraction / 2, time=fraction)
    noise = trial.number % 7 / 100
    return {"accuracy": trial.fraction / 2 + noise, "time": 10 * trial.fraction}


def collection(path: Path, repeats: int = 2) -> Collection:
    wanted = problem()
    return Collection(wanted, planned(wanted, repeats), Kept(path))


def test_every_config_is_planned_at_every_fraction_as_often_as_asked() -> None:
    runs = planned(problem(), 2)
    cells = Counter((run.config["width"], run.config["mode"], run.fraction) for run in runs)
    assert len(cells) == 18 and set(cells.values()) == {2}
    assert len({run.number for run in runs}) == len(runs)
    assert [run.repeat for run in runs] == [0] * 18 + [1] * 18
    assert runs[0].snapshots == tuple(s for s in FRACTIONS if s < runs[0].fraction)


def test_more_repeats_leave_the_runs_there_are_as_they_are() -> None:
    assert planned(problem(), 3)[:36] == planned(problem(), 2)


def test_a_continuum_has_no_grid() -> None:
    endless = Problem(Space(Real("x", 0, 1)), maximize="accuracy")
    with pytest.raises(ExecutionError, match="lists of values"):
        planned(endless, 1)


def test_a_collected_grid_is_a_table_for_replay(tmp_path: Path) -> None:
    collected = collection(tmp_path / "runs")
    assert collected.seconds_left is None
    collected.run(job, ReplayExecutor())
    assert collected.open == [] and collected.seconds_left == 0
    beside = write_tables(tmp_path / "grid.csv", collected.runs, collected.kept)
    table = read(tmp_path / "grid.csv", Columns())
    assert len(table.rows) == 18 and table.fractions == FRACTIONS
    found = table(Trial(0, {"width": 2, "mode": "sync"}, 0.5))
    assert isinstance(found, Measurement)
    assert found.metrics["time"] == pytest.approx(5.0)
    assert found.metrics["cost"] == pytest.approx(0.005)
    assert found.deviations["accuracy"] >= 0
    assert beside == tmp_path / "grid_snapshots.csv"
    with beside.open() as file:
        passed = list(csv.DictReader(file))
    assert len(passed) == 6 * 3  # one of a half, two of the whole
    assert {row["snapshot"] for row in passed} == {"0.1", "0.5"}


def test_a_killed_collection_goes_on_where_it_was(tmp_path: Path) -> None:
    begun = collection(tmp_path / "runs")
    asked: list[int] = []

    def counting(trial: RunningTrial) -> dict[str, float]:
        if len(asked) == 10:
            raise KeyboardInterrupt
        asked.append(trial.number)
        return job(trial)

    with pytest.raises(KeyboardInterrupt):
        begun.run(counting, ReplayExecutor())
    with (tmp_path / "runs").open("a") as file:
        file.write('{"config": {"width": 1}, "fract')  # what a kill while writing leaves
    again = collection(tmp_path / "runs")
    assert len(again.open) == 36 - 10
    more: list[int] = []

    def rest(trial: RunningTrial) -> dict[str, float]:
        more.append(trial.number)
        return job(trial)

    again.run(rest, ReplayExecutor())
    assert len(asked) + len(more) == 36 and not set(asked) & set(more)
    assert collection(tmp_path / "runs").open == []


def test_a_preempted_run_is_measured_again_and_a_failed_one_is_told(tmp_path: Path) -> None:
    seen: Counter[int] = Counter()

    def shaky(trial: RunningTrial) -> Any:
        seen[trial.number] += 1
        if trial.number == 3 and seen[3] < 3:
            return Preempted("taken away", {"time": 1.0})
        if trial.config["width"] == 4 and trial.fraction == 1.0:
            return Failure("out of memory", {"time": 2.0})
        return job(trial)

    collected = collection(tmp_path / "runs")
    collected.run(shaky, ReplayExecutor())
    assert seen[3] == 3
    write_tables(tmp_path / "grid.csv", collected.runs, collected.kept)
    table = Table(tmp_path / "grid.csv", ["width", "mode"], completed="completed")
    failed = [row for row in table.rows if not row.completed]
    assert [(row.config["width"], row.fraction) for row in failed] == [(4, 1.0), (4, 1.0)]
    assert failed[0].metrics["cost"] == pytest.approx(0.002)


def test_a_job_that_never_works_is_given_up(tmp_path: Path) -> None:
    def broken(trial: RunningTrial) -> Any:
        return Failure("no module named torch")

    collected = collection(tmp_path / "runs")
    with pytest.raises(ExecutionError, match="the first 5 runs failed.*torch"):
        collected.run(broken, ReplayExecutor())


def test_the_time_left_follows_what_was_measured(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs")
    runs = planned(problem(), 1)
    half = next(run for run in runs if run.fraction == 0.5)
    kept.add(half, Measurement({"accuracy": 0.5}), took=5.0)
    left = Collection(problem(), runs, kept).seconds_left
    assert left == pytest.approx(6 * 1 + 5 * 5 + 6 * 10)
    assert json.loads((tmp_path / "runs").read_text())["took"] == 5.0


def test_no_run_begins_after_the_time_is_over(tmp_path: Path) -> None:
    collected = collection(tmp_path / "runs")
    collected.run(job, ReplayExecutor(), until=20.0)
    assert 0 < len(collected.open) < 36


def test_a_grid_that_nobody_could_measure_is_refused() -> None:
    large = Problem(Space(*(Ordinal(f"p{i}", list(range(10))) for i in range(6))), maximize="f1")
    assert large.space.size == 10**6
    with pytest.raises(ExecutionError, match="the grid has 2,000,000 runs; expected at most 1,000"):
        planned(large, 2)


def test_runs_are_numbered_as_the_space_lists_them_and_repeats_go_on() -> None:
    runs = planned(problem(), 2)
    first = min(runs, key=lambda run: run.number)
    assert (first.config, first.fraction, first.repeat) == ({"width": 1, "mode": "sync"}, 0.1, 0)
    assert sorted(run.number for run in runs if run.repeat == 1) == list(range(18, 36))
    # Each repeat has an order of its own, which is not that of the numbers.
    orders = [[r.number % 18 for r in runs if r.repeat == n] for n in (0, 1)]
    assert orders[0] != orders[1] and sorted(orders[0]) == list(range(18)) != orders[0]
    assert first.trial == Trial(0, {"width": 1, "mode": "sync"}, 0.1, ())


def test_a_run_is_kept_with_its_cost_and_with_what_it_reported_on_its_way(tmp_path: Path) -> None:
    collected = collection(tmp_path / "runs", 1)
    heard: list[tuple[int, float]] = []
    collected.run(job, ReplayExecutor(), told=lambda run, out: heard.append(
        (run.number, out.metrics["cost"])))  # fmt: skip
    whole = next(run for run in collected.runs if run.fraction == 1.0)
    outcome = collected.kept[whole].outcome
    assert isinstance(outcome, Measurement)
    # 3.6 USD an hour are a thousandth a second.
    assert outcome.metrics["cost"] == pytest.approx(0.01)
    assert outcome.snapshots == {
        0.1: {"accuracy": 0.05, "time": 0.1, "cost": pytest.approx(0.0001)},
        0.5: {"accuracy": 0.25, "time": 0.5, "cost": pytest.approx(0.0005)},
    }
    assert [number for number, _ in heard] == [run.number for run in collected.runs]


def test_a_run_that_lacks_what_is_wanted_has_failed(tmp_path: Path) -> None:
    def forgetful(trial: RunningTrial) -> Any:
        return {"loss": 0.5, "time": 1.0} if trial.number == 3 else job(trial)

    collected = collection(tmp_path / "runs", 1)
    collected.run(forgetful, ReplayExecutor())
    [third] = [run for run in collected.runs if run.number == 3]
    outcome = collected.kept[third].outcome
    assert isinstance(outcome, Failure)
    assert outcome.reason == (
        "the measurement has no 'accuracy', which is wanted; it has: cost, loss, time"
    )


def test_failures_after_something_worked_do_not_end_a_collection(tmp_path: Path) -> None:
    worked: list[int] = []

    def once(trial: RunningTrial) -> Any:
        worked.append(trial.number)
        return job(trial) if len(worked) == 4 else Failure("no luck", {"time": 1.0})

    collected = collection(tmp_path / "runs", 1)
    collected.run(once, ReplayExecutor())
    assert collected.open == []


def test_a_run_whose_machine_is_always_taken_is_given_up(tmp_path: Path) -> None:
    tried: Counter[int] = Counter()

    def taken(trial: RunningTrial) -> Any:
        tried[trial.number] += 1
        return Preempted("taken away", {"time": 1.0}) if trial.number == 5 else job(trial)

    collected = collection(tmp_path / "runs", 1)
    collected.run(taken, ReplayExecutor())
    assert tried[5] == 10 and set(tried.values()) == {1, 10}
    [fifth] = [run for run in collected.runs if run.number == 5]
    assert isinstance(collected.kept[fifth].outcome, Preempted)


def test_runs_at_once_take_less_time_and_a_limit_stops_each(tmp_path: Path) -> None:
    clock = ReplayExecutor(6)
    collected = collection(tmp_path / "runs", 1)
    collected.run(job, clock, parallel=6, limit=6.0)
    # Of 18 runs, a third takes 1, 5 and 10 seconds, of which 6 are allowed.
    assert clock.now() <= 6 + 6 + 6
    late = [r for r in collected.runs if isinstance(collected.kept[r].outcome, Failure)]
    assert {run.fraction for run in late} == {1.0} and len(late) == 6
