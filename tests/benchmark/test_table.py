"""Measured tables as spaces and jobs."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import published_path
from tunewise.benchmark import Optimum, Table
from tunewise.errors import ExecutionError
from tunewise.history import Failure, Measurement, Trial
from tunewise.problem import Problem

SMALL = """vm,vms,rate,fraction,accuracy,time,cost,accuracy_std,done
t2.small,1,1e-05,0.016667,0.1,1,0.01,0.001,True
t2.small,1,1e-05,0.5,0.4,5,0.05,0.002,yes
t2.small,1,1e-05,1,0.5,10,0.10,0.003,1
t2.small,2,1e-05,0.5,0.6,4,0.08,0.004,True
t2.small,2,1e-05,1,0.9,8,0.16,0.005,True
t2.large,1,0.1,1,,3,0.12,,False
"""
CNN = ["vm", "vms", "learning_rate", "batch_size", "mode"]


def written(folder: Path, text: str = SMALL) -> Path:
    file = folder / "small.csv"
    file.write_text(text, encoding="utf-8")
    return file


def table(folder: Path, text: str = SMALL, **options: Any) -> Table:
    given = {"config": ["vm", "vms", "rate"], "completed": "done", **options}
    return Table(written(folder, text), **given)


def one(vms: int = 1) -> dict[str, Any]:
    return {"vm": "t2.small", "vms": vms, "rate": 1e-05}


def test_numbers_are_numbers_and_whole_ones_stay_whole(tmp_path: Path) -> None:
    config = table(tmp_path).configs[0]
    assert config == one()
    assert [type(value) for value in config.values()] == [str, int, float]


def test_a_column_with_one_word_is_text(tmp_path: Path) -> None:
    text = "size,time\n1,1\nlarge,2\n3,3\n"
    found = Table(written(tmp_path, text), config=["size"], fraction=None, metrics=["time"])
    assert [config["size"] for config in found.configs] == ["1", "large", "3"]


def test_it_is_a_space_and_fractions(tmp_path: Path) -> None:
    found = table(tmp_path)
    assert found.space.size == 3
    assert found.space.names == ("vm", "vms", "rate")
    assert found.fractions == (0.016667, 0.5, 1.0)
    assert len(found) == 6
    assert repr(found) == "Table('small.csv': 3 configs, 6 rows)"


def test_a_trial_gets_what_was_measured_with_the_snapshots_it_asks_for(tmp_path: Path) -> None:
    trial = Trial(0, one(), 1.0, (1 / 60, 0.25, 0.5, 1.0))
    assert table(tmp_path, deviations={"accuracy": "accuracy_std"})(trial) == Measurement(
        {"accuracy": 0.5, "time": 10.0, "cost": 0.1},
        {
            1 / 60: {"accuracy": 0.1, "time": 1.0, "cost": 0.01},
            0.5: {"accuracy": 0.4, "time": 5.0, "cost": 0.05},
        },
        {"accuracy": 0.003},
    )


def test_a_fraction_matches_its_rounded_form(tmp_path: Path) -> None:
    assert table(tmp_path)(Trial(0, one(), 1 / 60)).metrics["accuracy"] == 0.1


def test_a_trial_that_did_not_complete_is_a_failure_that_was_paid(tmp_path: Path) -> None:
    trial = Trial(0, {"vm": "t2.large", "vms": 1, "rate": 0.1})
    assert table(tmp_path)(trial) == Failure("did not complete", {"time": 3.0, "cost": 0.12})


@pytest.mark.parametrize(
    ("trial", "sentence"),
    [
        (Trial(0, one(3)), r"has no row for .*'vms': 3.* at fraction 1; it has 3 configs at"),
        (Trial(0, one(), 0.3), r"at fraction 0.3; .* fractions 0.016667, 0.5, 1"),
        (Trial(0, one(2), 1 / 60), r"no row for .*'vms': 2.* at fraction 0.0166667"),
        (Trial(0, {"vm": "t2.small", "vms": 1}), "differ in the parameter 'rate'"),
        (Trial(0, {**one(), "vmx": 1}), "the parameter 'vmx'; did you mean 'vm'"),
    ],
)
def test_a_combination_that_is_missing_gets_a_sentence(
    tmp_path: Path, trial: Trial, sentence: str
) -> None:
    with pytest.raises(ExecutionError, match=sentence):
        table(tmp_path)(trial)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"config": ["vm", "vm_count"]}, "config: .* no column 'vm_count'; did you mean"),
        ({"metrics": ["acuracy"]}, "metrics: .* 'acuracy'; did you mean 'accuracy'"),
        ({"fraction": "share"}, "fraction: .* 'share'.*give fraction=None where"),
        ({"completed": "dome"}, "completed: .* 'dome'; did you mean 'done'"),
        ({"deviations": {"accuracy": "std"}}, "deviations: .* no column 'std'"),
        ({"deviations": {"acc": "accuracy_std"}}, "'acc' is not one of the metrics; did you"),
        ({"config": []}, "config is empty"),
        ({"config": ["vm", "vm"]}, "config names the column 'vm' twice"),
        ({"config": ["vm", "rate"]}, r"rows 3 and 5 of small.csv have the same config"),
        ({"fraction": None}, r"rows 2 and 3 .* the same config .* or fraction="),
    ],
)
def test_names_that_do_not_fit_get_a_sentence(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ExecutionError, match=sentence):
        table(tmp_path, **options)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("a,1,2,1.5,1,1,1,1,1", "row 2 of small.csv: 'fraction' is '1.5'; expected a number ab"),
        ("a,1,2,x,1,1,1,1,1", "'fraction' is 'x'"),
        ("a,1,2,1,,1,1,1,1", "'accuracy' is ''; expected a finite number"),
        ("a,1,2,1,nan,1,1,1,1", "'accuracy' is 'nan'; expected a finite number"),
        ("a,1,2,1,1_0,1,1,1,1", "'accuracy' is '1_0'; expected a finite number"),
        ("a,1,2,1,1,1,1,1,maybe", "'done' is 'maybe'; expected True or False"),
        ("a,1,2,1,1,1,1,1", "row 2 of small.csv has 8 cells; expected 9"),
        ("", "has no rows"),
    ],
)
def test_cells_that_do_not_fit_get_a_sentence(tmp_path: Path, row: str, sentence: str) -> None:
    header = SMALL.splitlines()[0]
    with pytest.raises(ExecutionError, match=sentence):
        table(tmp_path, f"{header}\n{row}\n")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b""])
def test_a_file_that_is_no_table_gets_a_sentence(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "table.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ExecutionError, match="cannot be read|has no rows"):
        Table(file, config=["vm"])


def test_values_are_in_the_order_of_the_configs(tmp_path: Path) -> None:
    found = table(tmp_path)
    np.testing.assert_array_equal(found.values("accuracy"), [0.5, 0.9, math.nan])
    np.testing.assert_array_equal(found.values("time", 0.5), [5.0, 4.0, math.nan])
    with pytest.raises(ExecutionError, match="no metric 'tim'; did you mean 'time'"):
        found.values("tim")


def test_the_best_config_keeps_the_constraints_and_completed(tmp_path: Path) -> None:
    found = table(tmp_path)
    assert found.best(Problem(found.space, maximize="accuracy")) == Optimum(one(2), 0.9)
    capped = Problem(found.space, maximize="accuracy", subject_to=["cost <= 0.15"])
    assert found.best(capped) == (one(1), 0.5, 1.0)
    assert found.best(Problem(found.space, minimize="time")) == (one(2), 8.0, 1.0)
    hopeless = Problem(found.space, maximize="accuracy", subject_to=["cost <= 0.01"])
    assert found.best(hopeless) is None


def test_the_best_may_be_at_any_fraction_where_any_may_be_deployed(tmp_path: Path) -> None:
    found = table(tmp_path)
    anywhere = Problem(
        found.space,
        minimize="time",
        subject_to=["accuracy >= 0.5"],
        fractions=found.fractions,
        deploy="any",
    )
    assert found.best(anywhere) == Optimum(one(2), 4.0, 0.5)
    only_full = Problem(found.space, minimize="time", subject_to="accuracy >= 0.5", deploy="any")
    assert found.best(only_full) == found.best(
        Problem(found.space, minimize="time", subject_to="accuracy >= 0.5")
    ), "fractions that are no part of the problem are no answer"


def test_the_cost_of_the_best_config_may_come_from_its_price(tmp_path: Path) -> None:
    found = table(tmp_path, metrics=["accuracy", "time"], completed="done")
    problem = Problem(found.space, minimize="cost", price=lambda config: 3600.0 * config["vms"])
    best = found.best(problem)
    assert best is not None
    assert best.config == one(1)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(-5, 5), st.text("abcä", min_size=1, max_size=3)),
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
        max_size=8,
    )
)
def test_every_row_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[int, str], float]
) -> None:
    lines = [f"{a},{b},{value!r}" for (a, b), value in rows.items()]
    file = written(tmp_path_factory.mktemp("table"), "\n".join(["a,b,y", *lines]))
    found = Table(file, config=["a", "b"], fraction=None, metrics=["y"])
    for (a, b), value in rows.items():
        assert found(Trial(0, {"a": a, "b": b})).metrics == {"y": value}
    assert {(c["a"], c["b"]) for c in found.space.configs} == set(rows)


def test_the_cnn_table_agrees_with_its_paper() -> None:
    path = published_path("trimtuner/cnn.csv")
    found = Table(path, config=CNN, metrics=["accuracy", "time", "cost"])
    assert (found.space.size, len(found)) == (288, 1440)
    assert found.fractions == (0.016667, 0.1, 0.25, 0.5, 1.0)
    feasible = found.values("cost") <= 0.10
    best = found.best(Problem(found.space, maximize="accuracy", subject_to=["cost <= 0.10"]))
    assert best is not None
    assert feasible.sum() == 111
    assert (found.values("accuracy")[feasible] >= 0.95 * best.objective).sum() == 39
    assert best.objective == pytest.approx(0.98747, abs=1e-5)


def test_tables_with_failed_trials_are_read() -> None:
    path = published_path("scout/terasort_bigdata_hadoop.csv")
    found = Table(
        path, config=["vm", "vms"], fraction=None, metrics=["time", "cost"], completed="completed"
    )
    assert len(found) == 69
    outcome = found(Trial(0, {"vm": "c4.2xlarge", "vms": 4}))
    assert isinstance(outcome, Failure)
    assert outcome.metrics["cost"] == pytest.approx(3.184002)


def test_an_empty_cell_among_numbers_says_that_a_parameter_does_not_apply(tmp_path: Path) -> None:
    text = "kind,momentum,y\nsgd,0.9,1\nadam,,2\n"
    found = Table(written(tmp_path, text), ["kind", "momentum"], fraction=None, metrics=["y"])
    assert found.configs == [{"kind": "sgd", "momentum": 0.9}, {"kind": "adam"}]
    assert found(Trial(0, {"kind": "adam"})).metrics == {"y": 2.0}
    # Among words an empty cell is a word like any other.
    text = "kind,mode,y\nsgd,x,1\nadam,,2\n"
    words = Table(written(tmp_path, text), ["kind", "mode"], fraction=None, metrics=["y"])
    assert words.configs[1] == {"kind": "adam", "mode": ""}


@pytest.mark.parametrize(("said", "complete"), [("yes", True), ("Y", True), ("0", False),
                                                (" No ", False), ("TRUE", True)])  # fmt: skip
def test_yes_and_no_may_be_written_in_several_ways(
    tmp_path: Path, said: str, complete: bool
) -> None:
    found = Table(
        written(tmp_path, f"x,y,done\n1,1,{said}\n"), "x", fraction=None, metrics="y",
        completed="done",
    )  # fmt: skip
    assert found.rows[0].completed is complete


def test_a_failed_trial_need_not_have_measured_everything_but_no_nonsense(tmp_path: Path) -> None:
    def read(cell: str) -> Table:
        text = f"x,y,z,done\n1,{cell},2,no\n"
        return Table(written(tmp_path, text), ["x"], fraction=None, metrics=["y", "z"],
                     completed="done")  # fmt: skip

    assert read("").rows[0].metrics == {"z": 2.0}
    with pytest.raises(ExecutionError, match="row 2 of small.csv: 'y' is 'much'; expected"):
        read("much")


def test_numbers_that_are_not_whole_make_a_column_of_floats(tmp_path: Path) -> None:
    text = "x,y\n1,1\n2.5,2\n"
    found = Table(written(tmp_path, text), ["x"], fraction=None, metrics=["y"])
    assert [type(config["x"]) for config in found.configs] == [float, float]
    text = "x,y\n+1,1\n-2,2\n"
    whole = Table(written(tmp_path, text), ["x"], fraction=None, metrics=["y"])
    assert [config["x"] for config in whole.configs] == [1, -2]


def test_snapshots_of_rows_that_failed_are_not_told(tmp_path: Path) -> None:
    text = "x,fraction,y,done\n1,0.5,1,no\n1,1,2,yes\n"
    found = Table(written(tmp_path, text), ["x"], metrics=["y"], completed="done")
    assert found(Trial(0, {"x": 1}, 1.0, (0.5,))) == Measurement({"y": 2.0})
