from pathlib import Path

import numpy as np
import pytest

from tunewise.benchmark.tenants.reading import read
from tunewise.errors import ExecutionError


def written(folder: Path, **files: str) -> list[Path]:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return [folder / f"{name}.csv" for name in files]


def test_an_empty_cell_is_a_model_that_did_not_end(tmp_path: Path) -> None:
    accuracy, seconds = written(tmp_path, a="user,x,y\nanna,0.5,\n", s="user,x,y\nanna,3,\n")
    table = read(accuracy, seconds)
    assert table.models == ("x", "y")
    np.testing.assert_array_equal(table.accuracy, [[0.5, np.nan]])
    np.testing.assert_array_equal(table.seconds, [[3.0, np.nan]])


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a": "user,x\nanna,0.5\n", "s": "user,y\nanna,3\n"}, "other columns"),
        ({"a": "user,x\nanna,0.5\n", "s": "user,x\n"}, "no rows"),
        (
            {"a": "user,x\nanna,good\n", "s": "user,x\nanna,3\n"},
            "column 'x': 'good' is not a number",
        ),
        ({"a": "user,x\nanna,1\nbert,1\n", "s": "user,x\nanna,3\n"}, "same users"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nbert,3\n"}, "'anna' is in one of"),
        ({"a": "user,x\nanna,1\nanna,1\n", "s": "user,x\nanna,3\n"}, "two rows .* 'anna'"),
        ({"a": "user,x,x\nanna,1,1\n", "s": "user,x\nanna,3\n"}, "two columns .* 'x'"),
        ({"a": "user,x\nanna,87\n", "s": "user,x\nanna,3\n"}, "'anna', column 'x': 87;"),
        ({"a": "user,x\nanna,inf\n", "s": "user,x\nanna,3\n"}, "from 0 to 1"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,-3\n"}, "-3; expected a finite number"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,\n"}, "no run time in s.csv"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,0\n"}, "every run time"),
        ({"a": "user,x\nanna,nan\n", "s": "user,x\nanna,3\n"}, "'anna' has no accuracy"),
        ({"a": "user,x\nanna,1,2\n", "s": "user,x\nanna,3\n"}, "3 cells; expected 2"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,3\n", "c": "dataset\n"}, "'learner'"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,3\n", "c": ""}, "'dataset'"),
        (
            {
                "a": "user,x\nanna,1\n",
                "s": "user,x\nanna,3\n",
                "c": "dataset,learner,fraction,accuracy,time\nanna,x,0.5,0.5,1\n",
            },
            "no fraction 1",
        ),
    ],
)
def test_a_wrong_table_gets_a_sentence(tmp_path: Path, files: dict[str, str], told: str) -> None:
    paths = written(tmp_path, **files)
    with pytest.raises(ExecutionError, match=told):
        read(*paths)


def test_a_missing_file_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="cannot be read"):
        read(tmp_path / "a.csv", tmp_path / "s.csv")


def test_run_times_find_their_users_by_name(tmp_path: Path) -> None:
    files = {"a": "user,x\nanna,0.5\nbert,0.6\n", "s": "user,x\nbert,7\nanna,3\n"}
    table = read(*written(tmp_path, **files))
    np.testing.assert_array_equal(table.seconds, [[3.0], [7.0]])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("anna,x,half,0.5,1", "line 3: 'half' is not a number"),
        ("anna,x,0,0.5,1", "a fraction of 0"),
        ("anna,x,2,0.5,1", "a fraction of 2"),
        ("anna,x,-1,0.5,1", "a fraction of -1"),
        ("anna,x,,0.5,1", "a fraction of nan"),
        ("anna,x,0.5,50,1", "an accuracy of 50"),
        ("anna,x,0.5,0.5,-1", "-1 seconds"),
        ("anna,x,0.5,0.5,", "nan seconds"),
        ("anna,x", "2 cells; expected 5"),
    ],
)
def test_a_wrong_curve_gets_a_sentence(tmp_path: Path, row: str, told: str) -> None:
    curves = f"dataset,learner,fraction,accuracy,time\nanna,x,1,0.5,1\n{row}\n"
    tables = {"a": "user,x\nanna,0.5\n", "s": "user,x\nanna,3\n"}
    with pytest.raises(ExecutionError, match=told):
        read(*written(tmp_path, **tables, c=curves))


def test_curves_of_nobody_here_get_a_sentence(tmp_path: Path) -> None:
    curves = "dataset,learner,fraction,accuracy,time\nana,x,1,0.5,1\n"
    tables = {"a": "user,x\nanna,0.5\n", "s": "user,x\nanna,3\n"}
    with pytest.raises(ExecutionError, match="did you mean 'anna'"):
        read(*written(tmp_path, **tables, c=curves))


def test_a_look_without_an_accuracy_did_not_end(tmp_path: Path) -> None:
    curves = "dataset,learner,fraction,accuracy,time\nanna,x,1,0.5,1\nanna,x,0.5,,\n"
    tables = {"a": "user,x\nanna,0.5\n", "s": "user,x\nanna,3\n"}
    assert read(*written(tmp_path, **tables, c=curves)).fractions == ()


def test_without_run_times_costs_are_uniform_and_decided_by_the_seed(tmp_path: Path) -> None:
    rows = "".join(f"u{i}," + ",".join(["0.5"] * 20) + "\n" for i in range(50))
    names = ",".join(f"m{k}" for k in range(20))
    (accuracy,) = written(tmp_path, a=f"user,{names}\n{rows}last,0.5{19 * ','}\n")
    table, again, other = (read(accuracy, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(table.seconds, again.seconds)
    assert (table.seconds[:50] != other.seconds[:50]).all()
    assert np.isnan(table.seconds[-1, 1:]).all(), "what does not end costs nothing"
    shares = np.sort(table.seconds[:50].ravel())
    assert np.abs(shares - np.linspace(0, 1, len(shares))).max() < 0.06, "uniform from 0 to 1"
