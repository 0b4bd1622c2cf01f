"""`tunewise replay` races strategies on a table."""

from pathlib import Path

import pytest

from tests.cli.shell import invoke, parsed
from tests.tables import table_path

TABLE = "vm,vms,fraction,accuracy,time,cost,accuracy_std\n" + "".join(
    f"{vm},{vms},{fraction},{(0.5 + 0.1 * vms * fraction) / (1 + (vm == 'b'))},"
    f"{100 * fraction / vms},{0.01 * fraction * vms},0.01\n"
    for vm in "ab"
    for vms in (1, 2, 3, 4)
    for fraction in (0.1, 1.0)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def race(table: Path, *words: object) -> list[dict[str, object]]:
    done = invoke("replay", "--table", table, "--json", "--strategies", "random", *words)
    assert done.exit_code == 0, done.stderr
    scores: list[dict[str, object]] = parsed(done.stdout)
    return scores


def test_a_strategy_that_tries_everything_finds_the_optimum(table: Path) -> None:
    [score] = race(table, "--seeds", 3, "--trials", 8)
    assert score["strategy"] == "random"
    assert (score["final"], score["worst"], score["feasible"]) == (1.0, 1.0, 1.0)
    assert score["trials"] == 8
    assert score["cost"] == pytest.approx(0.2)


def test_columns_are_told_apart_by_their_names(table: Path) -> None:
    from tunewise.benchmark.columns import Columns, read

    found = read(table, Columns())
    assert list(found.configs[0]) == ["vm", "vms"]
    assert found.fractions == (0.1, 1.0)
    assert found.rows[0].deviations == {"accuracy": 0.01}


def test_columns_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("size,share,loss,ok\n1,1,0.5,yes\n2,1,0.25,no\n3,1,0.4,yes\n")
    words = ("--config", "size", "--fraction", "share", "--metrics", "loss", "--completed", "ok")
    [score] = race(tmp_path / "t.csv", *words, "--minimize", "loss", "--seeds", 2)
    assert score["final"] == 1.0, "the best that completed has a loss of 0.4"


def test_limits_and_budget_are_kept(table: Path) -> None:
    limit = ("--subject-to", "cost <= 0.025", "--subject-to", "time <= 60")
    [score] = race(table, *limit, "--seeds", 4, "--trials", 8)
    assert score["final"] == 1.0
    [poor] = race(table, *limit, "--seeds", 4, "--budget", 0.03)
    assert isinstance(poor["cost"], float)
    assert poor["cost"] < 0.07


def test_without_slices_every_trial_costs_that_of_the_full_data(table: Path) -> None:
    words = ("--seeds", 1, "--trials", 4, "--strategies", "trimtuner")
    [sliced], [full] = race(table, *words), race(table, *words, "--full-data")
    assert float(str(sliced["cost"])) < float(str(full["cost"]))
    assert float(str(full["cost"])) >= 0.04


def test_the_mean_curve_is_printed_for_machines(table: Path) -> None:
    [score] = race(table, "--seeds", 2, "--trials", 8)
    curve = score["curve"]
    assert isinstance(curve, dict)
    assert curve["cost"][-1] == [pytest.approx(0.2), 1.0]
    assert curve["time"][-1][1] == 1.0


def test_variants_race_and_the_figures_are_drawn(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "race.html"
    named = "cherrypick(initial=2),cherrypick,random"
    words = ("--strategies", named, "--seeds", 2, "--trials", 4, "--report", page)
    done = invoke("replay", "--table", table, *words)
    assert done.exit_code == 0, done.stderr
    assert f"the report is in {page}" in done.stdout.replace("\n", "")
    assert "cherrypick(initial=2)" in done.stdout
    assert "Figure 1" in page.read_text(encoding="utf-8")


def test_a_report_without_a_folder_is_refused_before_the_race(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "race.html"
    words = ("--strategies", "no such strategy", "--report", page)
    refused = invoke("replay", "--table", table, *words)
    assert refused.exit_code != 0
    said = refused.stderr.replace("\n", "")
    assert "there is no folder" in said and str(page.parent) in said
    assert not page.parent.exists()


def test_processes_change_nothing_but_the_time(table: Path) -> None:
    alone, together = (race(table, "--seeds", 4, "--trials", 3, "--jobs", n) for n in (1, 2))
    for score in (*alone, *together):
        del score["seconds_per_ask"]
        del score["curve"]["total"]  # type: ignore[attr-defined]  # holds the time of thinking
    assert alone == together


def test_a_person_sees_a_line_for_each_level(table: Path) -> None:
    done = invoke("replay", "--table", table, "--strategies", "random", "--seeds", 2)
    assert "table.csv: maximise accuracy; 8 configs, the best within the limits has 0.9;" in (
        done.stdout
    )
    for said in ("random", "90%", "95%", "99%", "1.000"):
        assert said in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--strategies", "rndom"], "unknown strategy 'rndom'; did you mean 'random'"),
        (
            ["--strategies", "cherrypick(inital=6)"],
            "has no option 'inital'; did you mean 'initial'",
        ),
        (["--strategies", "cherrypick(initial=x)"], "cherrypick(initial=x) cannot be raced"),
        (["--subject-to", "cost <= 0.001"], "no config of table.csv keeps the limits"),
        (["--maximize", "recall"], "has no metric 'recall'"),
        (["--metrics", "acc"], "has no column 'acc'"),
        (["--config", "vms"], "have the same config"),
        (["--subject-to", "loss < 1"], "constraint on unknown metric 'loss'"),
        (["--budget", "x"], "'x' is not a number"),
    ],
)
def test_what_cannot_be_raced_is_refused(table: Path, words: list[str], sentence: str) -> None:
    done = invoke("replay", "--table", table, *words)
    assert done.exit_code == 1
    assert sentence in done.stderr


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = invoke("replay", "--table", tmp_path / "none.csv")
    assert "cannot be read: No such file" in done.stderr


def test_tables_as_published_can_be_raced() -> None:
    cnn = race(
        table_path("trimtuner/cnn.csv"), "--subject-to", "cost <= 0.1", "--seeds", 2, "--budget", 3
    )
    scout = race(table_path("scout/join_bigdata_spark.csv"), "--seeds", 2, "--trials", 69)
    assert 0.5 < float(str(cnn[0]["final"])) <= 1.0
    assert scout[0]["final"] == 1.0


def test_a_race_for_the_least_cost_tells_its_cno(table: Path) -> None:
    words = ("--minimize", "cost", "--subject-to", "accuracy >= 0.65", "--seeds", 4)
    [score] = race(table, *words, "--trials", 8)
    cno = score["cno"]
    assert isinstance(cno, dict)
    assert cno["final"] == {"50": 1.0, "90": 1.0}
    assert cno["cost_to"]["1.1"]["50"] <= cno["cost_to"]["1.1"]["90"]
    assert cno["curve"]["trials"][-1] == [8.0, 1.0, 1.0]
    done = invoke("replay", "--table", table, *words, "--strategies", "random")
    assert "CNO: cost of the best measured trial within the limits" in done.stdout
    assert "USD to 1.5, 90 %" in done.stdout
    assert "cno" not in race(table, "--seeds", 1)[0], "accuracy is not a cost"


def test_a_fraction_may_be_the_answer(table: Path) -> None:
    words = ("--minimize", "cost", "--subject-to", "accuracy >= 0.5", "--seeds", 2, "--trials", 4)
    [full], [free] = race(table, *words), race(table, *words, "--deploy", "any")
    assert full["cno"]["final"]["50"] >= 1.0  # type: ignore[index]  # of JSON
    assert free["cno"]["final"]["50"] is not None  # type: ignore[index]  # of JSON
    said = invoke("replay", "--table", table, *words, "--deploy", "any", "--strategies", "random")
    assert "the best within the limits has 0.001 on 1/10 of the data;" in said.stdout
    refused = invoke("replay", "--table", table, "--deploy", "ful")
    assert "deploy is 'ful'; did you mean 'full'" in refused.stderr
