"""`tunewise replay --tenants` races rules on a table of users and models."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.shell import invoke, parsed
from tunewise.format import number


@pytest.fixture
def tables(tmp_path: Path) -> tuple[object, ...]:
    rng = np.random.default_rng(0)
    level = rng.normal(1, 0.7, (16, 1)) + rng.normal(0, 0.5, (16, 5))
    values = {"accuracy": 1 / (1 + np.exp(-level)), "seconds": np.exp(rng.normal(0, 1, (16, 5)))}
    for name, table in values.items():
        rows = [f"u{i}," + ",".join(f"{v:.5f}" for v in row) for i, row in enumerate(table)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["user,a,b,c,d,e", *rows]) + "\n")
    return "--tenants", tmp_path / "accuracy.csv", "--costs", tmp_path / "seconds.csv"


def test_it_tells_when_losses_are_small_for_good(tables: tuple[object, ...]) -> None:
    words = ("--rules", "hybrid,round_robin,fcfs", "--repeats", 4, "--users", 4, "--json")
    done = invoke("replay", *tables, *words)
    assert done.exit_code == 0, done.stderr
    told = parsed(done.stdout)
    assert list(told) == ["hybrid", "round_robin", "fcfs"]
    for score in told.values():
        assert list(score["to_loss"]) == ["0.05", "0.02", "0.01"]
        assert 0 < score["to_loss"]["0.05"] <= score["to_loss"]["0.01"] <= 1
    assert told["hybrid"]["to_loss"]["0.05"] < told["fcfs"]["to_loss"]["0.05"]


def test_people_get_a_line_for_each_rule(tables: tuple[object, ...]) -> None:
    words = ("--rules", "hybrid,greedy(cost_aware=false)", "--repeats", 2, "--users", 4)
    options = ("--logs", 0.5, "--until", 0.8, "--devices", 2, "--unknown-costs")
    done = invoke("replay", *tables, *words, *options)
    assert done.exit_code == 0, done.stderr
    assert "16 users and 5 models; 4 test users, 2 repeats" in done.stdout
    assert "greedy(cost_aware=false)" in done.stdout


def test_people_and_machines_are_told_the_same_regrets(tables: tuple[object, ...]) -> None:
    words = ("--rules", "round_robin,fcfs", "--repeats", 2, "--users", 4)
    told = parsed(invoke("replay", *tables, *words, "--json").stdout)
    lines = invoke("replay", *tables, *words).stdout.splitlines()
    head = next(line for line in lines if line.startswith("rule"))
    assert head.index("R_T") < head.index("R'_T")
    for rule, score in told.items():
        line = next(line for line in lines if line.startswith(rule))
        for kind in ("last", "best"):
            assert number(score["regret"][kind], 3) in line.split()


def test_the_page_has_all_figures(tables: tuple[object, ...], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("--rules", "hybrid,greedy", "--repeats", 1, "--users", 3, "--report", page)
    done = invoke("replay", *tables, *words)
    assert done.exit_code == 0, done.stderr
    text = page.read_text()
    for figure in ("Figures 9 to 11", "Figure 12, left", "Figure 12, middle", "Figure 12, right",
                   "Figure 13", "SYN(0.01, 0.1)", "SYN(0.5, 1)", "Figure 11, right"):  # fmt: skip
        assert figure in text


def test_the_page_shows_what_slices_save(tables: tuple[object, ...], tmp_path: Path) -> None:
    rng, curves, page = np.random.default_rng(1), tmp_path / "curves.csv", tmp_path / "page.html"
    rows = [f"u{i},{model},{f},{rng.random():.3f},{f * 3}"
            for i in range(16) for model in "abcde" for f in (0.25, 1)]  # fmt: skip
    curves.write_text("\n".join(["dataset,learner,fraction,accuracy,time", *rows]) + "\n")
    words = ("--rules", "hybrid", "--repeats", 1, "--users", 3, "--report", page)
    done = invoke("replay", *tables, "--curves", curves, *words)
    assert done.exit_code == 0, done.stderr
    assert "with slices and without" in page.read_text()


def test_a_loss_that_is_never_reached_has_no_interval(tables: tuple[object, ...]) -> None:
    words = ("--rules", "fcfs", "--repeats", 2, "--users", 4, "--until", 0.05)
    done = invoke("replay", *tables, *words)
    assert done.exit_code == 0, done.stderr
    assert "never" in done.stdout
    assert "never to never" not in done.stdout


def test_another_seed_draws_other_users(tables: tuple[object, ...]) -> None:
    words = ("--rules", "hybrid", "--repeats", 2, "--users", 4, "--json")

    def drawn(seed: int) -> float:
        done = invoke("replay", *tables, *words, "--seed", seed)
        assert done.exit_code == 0, done.stderr
        return float(parsed(done.stdout)["hybrid"]["to_loss"]["0.01"])

    assert drawn(1) == drawn(1) != drawn(2)


def test_models_may_be_tried_in_the_order_of_a_column(
    tables: tuple[object, ...], tmp_path: Path
) -> None:
    orders = tmp_path / "models.csv"
    orders.write_text("model,cited,year\na,5,2001\nb,4,2002\nc,3,2003\nd,2,\ne,1,2005\n")
    words = ("--rules", "fixed_order(by=cited),fixed_order(by=year)", "--repeats", 3, "--users", 4)
    done = invoke("replay", *tables, *words, "--orders", orders, "--json")
    assert done.exit_code == 0, done.stderr
    cited, year = parsed(done.stdout).values()
    assert cited["to_loss"] != year["to_loss"]
    wrong = invoke("replay", *tables, "--rules", "fixed_order(by=sited)", "--orders", orders)
    assert wrong.exit_code == 1
    assert "did you mean 'cited'" in " ".join(wrong.stderr.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--rules", "hybird"), "did you mean 'hybrid'"),
        (("--rules", "greedy(cost=1)"), "no option 'cost'"),
        (("--rules", "greedy,greedy"), "named twice"),
        (("--rules", "greedy("), "cannot be read"),
        (("--rules", ","), "no rule was named"),
        (("--users", 16), "16 test users of 16"),
        (("--until", 0), "expected above 0"),
    ],
)
def test_a_mistake_gets_a_sentence(
    tables: tuple[object, ...], words: tuple[object, ...], told: str
) -> None:
    done = invoke("replay", *tables, *words)
    assert done.exit_code == 1
    assert told in " ".join(done.stderr.split())


def test_without_a_table_of_costs_they_are_drawn_and_it_says_so(tables: tuple[object, ...]) -> None:
    words = ("--rules", "easeml", "--repeats", 2, "--users", 4)
    done = invoke("replay", *tables[:2], *words)
    assert done.exit_code == 0, done.stderr
    assert "costs from U(0, 1): 16 users and 5 models" in " ".join(done.stdout.split())


def test_models_may_be_tried_by_citations_and_by_year(
    tables: tuple[object, ...], tmp_path: Path
) -> None:
    orders, page = tmp_path / "models.csv", tmp_path / "page.html"
    orders.write_text("model,citations,year\na,5,2001\nb,4,2002\nc,3,2003\nd,2,\ne,1,2005\n")
    words = ("--rules", "most_cited,most_recent", "--repeats", 1, "--users", 4, "--json")
    done = invoke("replay", *tables, *words, "--orders", orders, "--report", page)
    assert done.exit_code == 0, done.stderr
    assert list(parsed(done.stdout)) == ["most_cited", "most_recent"]
    without = invoke("replay", *tables, *words)
    assert without.exit_code == 1
    assert "unknown order 'citations'" in " ".join(without.stderr.split())


def test_one_of_both_tables_must_be_named() -> None:
    done = invoke("replay")
    assert done.exit_code == 1
    assert "--table or --tenants" in done.stderr
