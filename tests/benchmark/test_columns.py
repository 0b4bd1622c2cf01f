"""Columns of a table are told apart by their names, unless somebody says."""

from pathlib import Path

import pytest

from tunewise.benchmark import Table
from tunewise.benchmark.columns import Columns, read
from tunewise.errors import ExecutionError

FULL = (
    "vm, vms,fraction,accuracy,accuracy_std,time,cost,completed\n"
    "a,1,1,0.5,0.01,10,0.1,True\nb,2,1,0.6,0.02,20,0.2,False\n"
)


def written(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return folder / "t.csv"


def test_known_names_are_metrics_and_what_is_left_is_the_config(tmp_path: Path) -> None:
    table = read(written(tmp_path, FULL), Columns())
    assert table.space.names == ("vm", "vms")
    assert table.rows[0].metrics == {"accuracy": 0.5, "time": 10.0, "cost": 0.1}
    assert table.rows[0].deviations == {"accuracy": 0.01}
    assert [row.completed for row in table.rows] == [True, False]
    assert table.fractions == (1.0,)


def test_what_a_person_says_counts_before_the_names(tmp_path: Path) -> None:
    text = "vm,share,quality,time,ok,spare\na,0.5,0.1,9,yes,x\na,1,0.2,18,no,y\n"
    given = Columns(config="vm", fraction="share", metrics="quality, time", completed="ok")
    table = read(written(tmp_path, text), given)
    assert table.space.names == ("vm",) and table.fractions == (0.5, 1.0)
    assert table.rows[1].metrics == {"quality": 0.2, "time": 18.0}
    assert [row.completed for row in table.rows] == [True, False]


def test_without_such_columns_all_rows_are_complete_and_on_all_data(tmp_path: Path) -> None:
    table = read(written(tmp_path, "vm,time\na,1\nb,2\n"), Columns())
    assert [(row.fraction, row.completed, row.deviations) for row in table.rows] == [
        (1.0, True, {}), (1.0, True, {})
    ]  # fmt: skip


def test_a_table_without_metrics_or_configs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="has none of the columns accuracy.*--metrics"):
        read(written(tmp_path, "vm,speed\na,1\n"), Columns())
    with pytest.raises(ExecutionError, match="no columns left for configs: fraction, time"):
        read(written(tmp_path, "fraction,time\n1,1\n"), Columns())
    with pytest.raises(ExecutionError, match="cannot be read: No such file"):
        read(tmp_path / "missing.csv", Columns())
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ExecutionError, match="'.*t.csv' cannot be read: .*decode"):
        read(tmp_path / "t.csv", Columns())


def test_the_mark_that_some_programs_put_first_is_no_part_of_a_name(tmp_path: Path) -> None:
    table = read(written(tmp_path, "\ufeffvm,time\na,1\nb,2\n"), Columns())
    assert table.space.names == ("vm",)


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    for text in ("vm,time,time\na,1,2\n", "vm,vm ,time\na,b,1\n"):
        with pytest.raises(ExecutionError, match="two columns of t.csv are called '(time|vm)'"):
            Table(written(tmp_path, text), ["vm"], fraction=None, metrics=["time"])
    # Columns without a name mean nothing, however many there are.
    nameless = written(tmp_path, ",,vm,time\n1,x,a,1\n2,y,b,2\n")
    assert len(Table(nameless, ["vm"], fraction=None, metrics=["time"])) == 2
