from pathlib import Path

import numpy as np
import pytest

from tunewise.benchmark.tenants.table import read
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
        ({"a": "user,x\nanna,good\n", "s": "user,x\nanna,3\n"}, "table of numbers"),
        ({"a": "user,x\nanna,1\nbert,1\n", "s": "user,x\nanna,3\n"}, "same users"),
        ({"a": "user,x\nanna,1\n", "s": "user,x\nanna,3\n", "c": "dataset\n"}, "'learner'"),
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
