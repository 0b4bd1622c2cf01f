"""`tunewise collect` measures a grid, goes on after an interruption, and feeds `replay`."""

from pathlib import Path

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
    assert after.startswith(before) and len(after.splitlines()) == 12


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
