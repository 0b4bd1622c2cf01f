"""`tunewise race` lets another tool repeat a finished study, where that is honest."""

from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.cli.shell import invoke, parsed

VMS = ["a", "b", "c"]


def measured(trial: tw.Trial) -> dict[str, float]:
    vm, rate = VMS.index(trial.config["vm"]), trial.config["rate"]
    return {
        "accuracy": (0.9 - 0.05 * abs(vm - 1) - 0.02 * abs(rate - 3)) * trial.fraction**0.1,
        "time": 100.0 * trial.fraction,
        "cost": (0.01 + 0.002 * rate) * trial.fraction,
    }


def ran(path: Path, trials: int, space: tw.Space | None = None, **asked: Any) -> str:
    """A study of the grid of 12 configs, of which so many were run."""
    storage = f"sqlite:///{path}/race.db"
    grid = space or tw.Space(tw.Choice("vm", VMS), tw.Ordinal("rate", [1, 2, 3, 4]))
    problem = tw.Problem(grid, maximize="accuracy", subject_to="cost <= 0.017", **asked)
    with tw.Study(problem, "random", seed=1, storage=storage, name="mine") as study:
        fractions = study.problem.fractions
        configs = grid.configs if grid.finite else [{"vm": "a", "rate": 1.0}]
        for config in configs[:trials]:
            for fraction in fractions:
                study.enqueue(config, fraction=fraction)
                trial = study.ask()
                study.tell(trial, measured(trial))
    return storage


def race(storage: str, *words: object) -> Any:
    return invoke("race", "mine", "--against", "optuna", "--storage", storage, *words)


def test_both_find_the_best_config_of_a_grid_that_was_measured(tmp_path: Path) -> None:
    done = race(ran(tmp_path, 12), "--seeds", 2, "--json")
    assert done.exit_code == 0, done.stderr
    ours, theirs = parsed(done.stdout)
    assert (ours["strategy"], theirs["strategy"]) == ("random", "optuna (TPE)")
    assert ours["final"] == 1.0
    assert theirs["final"] > 0.95, "it had as many trials as there are configs"
    assert theirs["cost"] <= sum(0.03 + 0.006 * rate for rate in (1, 2, 3, 4)) + 1e-9, (
        "no config is paid for twice"
    )


def test_slices_are_raced_with_hyperband_where_all_were_measured(tmp_path: Path) -> None:
    done = race(ran(tmp_path, 12, fractions=(0.25, 1.0)), "--seeds", 1, "--json")
    assert done.exit_code == 0, done.stderr
    _, theirs = parsed(done.stdout)
    assert theirs["strategy"] == "optuna (TPE + Hyperband)"
    assert theirs["fraction"] < 1.0


def test_people_get_a_table_of_both(tmp_path: Path) -> None:
    done = race(ran(tmp_path, 12), "--seeds", 1)
    assert "optuna (TPE)" in done.stdout
    assert "12 configs" in done.stdout


def test_a_study_of_few_configs_is_refused(tmp_path: Path) -> None:
    done = race(ran(tmp_path, 5))
    assert done.exit_code != 0
    assert "measured 5 of 12 configs at the full data; expected 11 or more" in done.stderr


def test_a_space_without_a_list_of_configs_is_refused(tmp_path: Path) -> None:
    endless = tw.Space(tw.Choice("vm", VMS), tw.Real("rate", 1.0, 4.0))
    done = race(ran(tmp_path, 1, endless))
    assert done.exit_code != 0
    assert "no list of configs" in done.stderr


def test_a_study_within_whose_limits_nothing_lies_is_refused(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/race.db"
    problem = tw.Problem(
        tw.Space(tw.Choice("vm", VMS)), maximize="accuracy", subject_to="cost <= 1"
    )
    with tw.Study(problem, "random", seed=1, storage=storage, name="mine") as study:
        for _ in VMS:
            study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0, "cost": 2.0})
    assert "keeps its limits" in race(storage).stderr


def test_another_tool_is_named(tmp_path: Path) -> None:
    done = invoke("race", "mine", "--against", "hyperopt", "--storage", ran(tmp_path, 1))
    assert done.exit_code != 0
    assert "optuna" in done.stderr


def test_repeats_of_a_config_count_as_their_mean() -> None:
    from tunewise.benchmark.own_study import contest_of

    problem = tw.Problem(tw.Space(tw.Choice("vm", ["a"])), maximize="accuracy")
    with tw.Study(problem, "random", seed=1) as study:
        for i in range(2):
            study.enqueue({"vm": "a"})
            study.tell(study.ask(), {"accuracy": 0.5 + 0.2 * i, "time": 1.0, "cost": 1.0})
        contest = contest_of("mine", problem, study.history)
    assert contest.table.values("accuracy") == pytest.approx([0.6])
