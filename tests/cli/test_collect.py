"""`tunewise collect` measures a grid, goes on after an interruption, and feeds `replay`."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import job, tunewise

SPACE = {"x": [0.1, 0.3, 0.9], "y": [1, 2]}


def test_a_grid_is_collected_and_replayed(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE, fractions=[0.5, 1])
    done = tunewise("collect", path, "--repeats", 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "24 of 24 runs are in quick.csv" in done.stdout
    assert "runs, about" in done.stderr
    header = (tmp_path / "quick.csv").read_text().splitlines()[0]
    assert header == "x,y,fraction,accuracy,time,cost,accuracy_std,time_std,cost_std"
    raced = tunewise("replay", "--table", "quick.csv", "--seeds", 2, "--trials", 4, cwd=tmp_path)
    assert raced.returncode == 0, raced.stderr


def test_a_second_call_measures_only_what_is_missing(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE)
    assert tunewise("collect", path, "--repeats", 1, "-o", "t.csv", cwd=tmp_path).returncode == 0
    before = (tmp_path / "t.csv.runs").read_text()
    done = tunewise("collect", path, "--repeats", 2, "-o", "t.csv", "--quiet", cwd=tmp_path)
    assert "12 of 12 runs" in done.stdout and done.stderr == ""
    after = (tmp_path / "t.csv.runs").read_text()
    assert after.startswith(before) and after.count('"outcome"') == 12


def test_a_space_without_a_grid_is_refused(tmp_path: Path) -> None:
    done = tunewise("collect", job(tmp_path), cwd=tmp_path)
    assert done.returncode == 1
    assert "expected lists of values" in done.stderr


def test_what_is_preloaded_is_there_once_for_all_runs(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE, preload=True, python="work.py:train")
    with (tmp_path / "work.py").open("a") as file:
        file.write(
            "\nLOADED = []\n\ndef preload():\n"
            "    open('loads', 'a').write('x')\n    LOADED.append(1)\n"
            "\nwork = train\n\ndef train(trial):\n    assert LOADED\n    return work(trial)\n"
        )
    done = tunewise("collect", path, "--repeats", 1, cwd=tmp_path)
    assert "6 of 6 runs" in done.stdout, done.stderr
    assert (tmp_path / "loads").read_text() == "x"


def test_only_a_function_can_be_preloaded(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE, preload=True, command="python work.py {x} {y}")
    done = tunewise("collect", path, cwd=tmp_path)
    assert done.returncode == 1 and "only a python function" in done.stderr


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"price": 7.2}, "price was 3.6, now it is 7.2"),
        ({"command": "python work.py {x} {y}"}, "command was null"),
        ({"space": {"x": [0.1], "z": [1]}}, 'parameters was ["x", "y"], now it is ["x", "z"]'),
        ({"space": {"x": [0.1, 0.4], "y": [1, 2]}}, "values of x was [0.1, 0.3, 0.9]"),
        ({"fractions": [0.7, 1]}, "fractions was [0.5, 1.0]"),
        ({"maximize": "gain"}, 'metrics was ["accuracy", "cost"]'),
    ],
)
def test_measurements_of_another_job_are_not_mixed_in(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    fields = {"space": SPACE, "price": 3.6, "fractions": [0.5, 1]}
    first = tunewise("collect", job(tmp_path, **fields), "--repeats", 1, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    kept = (tmp_path / "quick.csv.runs").read_text()
    done = tunewise("collect", job(tmp_path, **{**fields, **changes}), cwd=tmp_path)
    assert done.returncode == 1 and "measurements of another job" in done.stderr
    assert sentence in done.stderr
    assert (tmp_path / "quick.csv.runs").read_text() == kept


def test_what_the_environment_holds_is_compared_and_written_nowhere(tmp_path: Path) -> None:
    fields = {"space": SPACE, "env": {"TOKEN": "very-secret"}}
    first = tunewise("collect", job(tmp_path, **fields), "--repeats", 1, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "very-secret" not in (tmp_path / "quick.csv.runs").read_text()
    other = {**fields, "env": {"TOKEN": "another"}}
    done = tunewise("collect", job(tmp_path, **other), cwd=tmp_path)
    assert done.returncode == 1 and "measurements of another job: env was" in done.stderr


def test_more_values_and_fractions_go_on_and_so_does_a_file_that_says_nothing(
    tmp_path: Path,
) -> None:
    options = ["--repeats", 1]
    assert tunewise("collect", job(tmp_path, space=SPACE), *options, cwd=tmp_path).returncode == 0
    more = job(tmp_path, space={**SPACE, "y": [1, 2, 4]}, fractions=[0.5, 1])
    assert "18 of 18" in tunewise("collect", more, *options, cwd=tmp_path).stdout
    runs = tmp_path / "quick.csv.runs"
    lines = runs.read_text().splitlines(keepends=True)
    runs.write_text("".join(line for line in lines if "outcome" in line))
    other = job(tmp_path, space=SPACE, price=1.0)
    assert "6 of 6" in tunewise("collect", other, *options, cwd=tmp_path).stdout


HOLD = """
import sys
from pathlib import Path
from tunewise.benchmark.grid import alone
with alone(Path("quick.csv.runs")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_collections_do_not_measure_into_one_file_and_a_dead_one_is_no_hindrance(
    tmp_path: Path,
) -> None:
    path = job(tmp_path, space=SPACE)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=tmp_path, stdin=pipe, stdout=pipe
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        refused = tunewise("collect", path, cwd=tmp_path)
        assert refused.returncode == 1
        assert f"process {other.pid} is measuring into quick.csv.runs" in refused.stderr
        other.kill()
    done = tunewise("collect", path, "--repeats", 1, cwd=tmp_path)
    assert done.returncode == 0 and "6 of 6 runs" in done.stdout
    assert list(tmp_path.glob(".*")) == []


def test_a_table_is_a_file(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE)
    os.mkfifo(tmp_path / "pipe")
    for place, what in ((".", "a folder"), ("pipe", "a device or a pipe")):
        done = tunewise("collect", path, "-o", place, cwd=tmp_path)
        assert done.returncode == 1
        assert f"the table '{place}' is {what}; expected a CSV file" in done.stderr
    assert (tmp_path / "pipe").is_fifo()


def test_a_job_without_the_wanted_metric_is_told_after_the_first_runs(tmp_path: Path) -> None:
    path = job(tmp_path, space=SPACE, maximize="gain", subject_to=[])
    done = tunewise("collect", path, "--repeats", 5, cwd=tmp_path)
    assert done.returncode == 1
    assert "the first 5 runs failed" in done.stderr
    assert "has no 'gain', which is wanted; it has: accuracy, cost, time" in done.stderr
