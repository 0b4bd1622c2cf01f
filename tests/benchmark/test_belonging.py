"""Whose measurements a file holds, and who may write into it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tunewise.benchmark.grid import Kept, alone, fingerprint, planned, snapshots_beside
from tunewise.benchmark.grid.belonging import refuse_other
from tunewise.benchmark.grid.tabulate import write_tables
from tunewise.errors import ExecutionError
from tunewise.history import Failure, Measurement, Outcome
from tunewise.job.jobfile import parse
from tunewise.problem import Problem
from tunewise.space import Choice, Ordinal, Space

JOB = """\
command: sh train.sh {x} {mode}
space: {x: [1, 2], mode: [fast, slow]}
maximize: accuracy
"""


def print_of(text: str = JOB, **changes: Any) -> Any:
    return fingerprint(parse(text, Path("/somewhere/job.yaml"), changes))


def differs(now: Any) -> str:
    with pytest.raises(ExecutionError) as caught:
        refuse_other(Path("runs"), print_of(), now)
    return str(caught.value)


def test_a_fingerprint_says_what_is_measured_and_how_it_is_paid_for() -> None:
    said = print_of(JOB + "billing: {tick: 60, minimum: 120}\nprice: 0.5\nfractions: [1/2, 1]\n")
    assert said["command"] == "sh train.sh {x} {mode}"
    assert (said["billing"], said["price"]) == ([60.0, 120.0], 0.5)
    assert said["values of x"] == [1, 2] and said["values of mode"] == ["fast", "slow"]
    assert (said["parameters"], said["fractions"]) == (["mode", "x"], [0.5, 1.0])
    assert said["metrics"] == ["accuracy"]
    assert json.loads(json.dumps(said)) == said


def test_what_is_secret_is_in_no_fingerprint() -> None:
    said = print_of(JOB + "env: {TOKEN: hunter2}\n")
    assert "hunter2" not in json.dumps(said) and list(said["env"]) == ["TOKEN"]
    assert said["env"] != print_of(JOB + "env: {TOKEN: hunter3}\n")["env"]


def test_how_often_and_where_it_is_measured_makes_no_other_job() -> None:
    refuse_other(Path("runs"), print_of(), print_of(JOB + "trials: 3\nparallel: 2\nseed: 5\n"))


def test_more_values_and_fractions_are_welcome_and_fewer_are_not() -> None:
    more = JOB.replace("[1, 2]", "[1, 2, 4]") + "fractions: [0.5, 1]\n"
    refuse_other(Path("runs"), print_of(), print_of(more))
    fewer = differs(print_of(JOB.replace("[1, 2]", "[1, 4]")))
    assert "values of x was [1, 2], now it is [1, 4]; expected the same, another --output" in fewer


def test_another_command_price_or_parameter_is_another_job() -> None:
    assert 'command was "sh train.sh' in differs(print_of(JOB.replace("train.sh", "fit.sh")))
    assert "price was null, now it is 0.5" in differs(print_of(JOB + "price: 0.5\n"))
    wider = JOB.replace("{x: [1, 2],", "{x: [1, 2], y: [1, 2],")
    assert 'parameters was ["mode", "x"], now' in differs(print_of(wider))
    gone = {name: said for name, said in print_of().items() if name != "shell"}
    assert "shell was false, now it is null" in differs(gone)


def test_long_values_are_cut_in_the_message() -> None:
    long = differs(print_of(JOB.replace("train.sh", "x" * 200)))
    assert f'"sh {"x" * 76}…' in long


def test_one_process_measures_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    with alone(path):
        child = os.fork()
        if not child:  # a lock is of a process: only another one can find it taken
            try:
                with alone(path):
                    os._exit(1)
            except ExecutionError as error:
                told = f"process {os.getppid()} is measuring into {path}" in str(error)
                os._exit(0 if told else 2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(tmp_path.iterdir()) == [], "the lock goes with its holder"
    with alone(path):
        pass


PROBLEM = Problem(
    Space(Ordinal("x", [1, 2]), Choice("mode", ["a"])), maximize="accuracy", fractions=(0.5, 1.0)
)


def kept(folder: Path, *outcomes: Outcome, repeats: int = 2) -> tuple[Kept, list[Any]]:
    """The first run of the grid, measured so often."""
    runs = sorted(planned(PROBLEM, repeats), key=lambda run: (run.number % 4, run.repeat))
    found = Kept(folder / "runs")
    for run, outcome in zip(runs, outcomes, strict=False):
        found.add(run, outcome, 1.5)
    return found, runs


def measured(accuracy: float, **more: float) -> Measurement:
    return Measurement({"accuracy": accuracy, **more}, {0.25: {"accuracy": accuracy / 2}})


def test_what_was_kept_is_found_again_by_another_process(tmp_path: Path) -> None:
    _, runs = kept(tmp_path, measured(0.5), Failure("no", {"time": 3.0}))
    again = Kept(tmp_path / "runs")
    assert again[runs[0]].outcome == measured(0.5) and again[runs[0]].took == 1.5
    assert isinstance(again[runs[1]].outcome, Failure)
    assert runs[2] not in again


@pytest.mark.parametrize("odd", ["[1, 2]", "3", '{"took": 1}', "not json", '{"config": {}}', ""])
def test_a_line_that_says_nothing_is_measured_again(tmp_path: Path, odd: str) -> None:
    _, runs = kept(tmp_path, measured(0.5))
    with (tmp_path / "runs").open("a") as file:
        file.write(odd)  # without an end, as a kill leaves it
    again = Kept(tmp_path / "runs")
    assert runs[0] in again and runs[1] not in again
    again.add(runs[1], measured(0.6), 1.0)
    third = Kept(tmp_path / "runs")
    assert runs[0] in third and third[runs[1]].outcome == measured(0.6)


def test_a_file_belongs_to_the_job_that_began_it(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    found, runs = kept(tmp_path)
    found.belong_to(print_of())
    found.belong_to(print_of())
    assert len(path.read_text().splitlines()) == 1, "the same is not said twice"
    # Before anything was measured another job may take it over.
    other = print_of(JOB.replace("train.sh", "fit.sh"))
    Kept(path).belong_to(other)
    begun = Kept(path)
    begun.add(runs[0], measured(0.5), 1.0)
    with pytest.raises(ExecutionError, match="has measurements of another job: command was"):
        Kept(path).belong_to(print_of())
    Kept(path).belong_to(other)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_a_table_has_means_and_deviations_over_repeats(tmp_path: Path) -> None:
    found, runs = kept(tmp_path, measured(0.25, time=2.0), measured(0.75, time=4.0))
    beside = write_tables(tmp_path / "t.csv", runs, found)
    assert lines(tmp_path / "t.csv") == [
        "x,mode,fraction,accuracy,time,accuracy_std,time_std",
        "1,a,0.5,0.5,3,0.353553,1.41421",
    ]
    assert beside == snapshots_beside(tmp_path / "t.csv") == tmp_path / "t_snapshots.csv"
    assert lines(beside) == [
        "x,mode,fraction,snapshot,accuracy,accuracy_std", "1,a,0.5,0.25,0.25,0.176777"
    ]  # fmt: skip


def test_most_of_the_repeats_decide_whether_a_cell_completed(tmp_path: Path) -> None:
    failed, good = Failure("no", {"time": 1.0}), Measurement({"accuracy": 0.5, "time": 3.0})
    found, runs = kept(tmp_path, good, failed)
    assert write_tables(tmp_path / "t.csv", runs, found) is None
    # Half of two is not most; what worked tells the numbers.
    assert lines(tmp_path / "t.csv")[1] == "1,a,0.5,0.5,3,False"
    (tmp_path / "runs").unlink()
    found, runs = kept(tmp_path, good, failed, good, repeats=3)
    write_tables(tmp_path / "t.csv", runs, found)
    assert lines(tmp_path / "t.csv") == [
        "x,mode,fraction,accuracy,time,accuracy_std,time_std", "1,a,0.5,0.5,3,0,0"
    ]  # fmt: skip
    (tmp_path / "runs").unlink()
    found, runs = kept(tmp_path, failed, failed)
    write_tables(tmp_path / "t.csv", runs, found)
    assert lines(tmp_path / "t.csv")[1] == "1,a,0.5,1,0,False"


def test_rows_stand_in_the_order_of_the_space_whatever_was_measured_first(tmp_path: Path) -> None:
    found, runs = Kept(tmp_path / "runs"), planned(PROBLEM, 1)
    for run in reversed(runs):
        found.add(run, Measurement({"accuracy": 0.5, "loss": 1.0, "cost": 2.0}), 1.0)
    write_tables(tmp_path / "t.csv", runs, found)
    head, *rows = lines(tmp_path / "t.csv")
    assert head == "x,mode,fraction,accuracy,cost,loss", "known metrics come before one's own"
    assert [row.split(",")[:3] for row in rows] == [
        ["1", "a", "0.5"], ["1", "a", "1"], ["2", "a", "0.5"], ["2", "a", "1"]
    ]  # fmt: skip


def test_where_nothing_was_measured_no_table_is_written(tmp_path: Path) -> None:
    found, runs = kept(tmp_path)
    assert write_tables(tmp_path / "t.csv", runs, found) is None
    assert not (tmp_path / "t.csv").exists()
