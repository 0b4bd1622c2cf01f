"""The quick race keeps every tool's accounts itself, in the tool's favour."""

import math

import pytest

from benchmarks.quick.ground import Enough, Ground
from benchmarks.quick.page import page
from benchmarks.quick.questions import questions
from benchmarks.quick.tools import TOOLS, Run, raced

TABLE, PLAIN = "our table fashion_cnn", "plain function, Hartmann 6"


def ground(name: str = TABLE, most: int = 50) -> Ground:
    return Ground(questions()[name], 0, most)


def point(searched: Ground) -> dict[str, float]:
    return {axis.name: axis.values[0] if axis.values else axis.low for axis in searched.axes}


def test_a_config_that_goes_on_from_a_slice_pays_for_the_rest_only() -> None:
    whole, parts = ground(), ground()
    whole.run(point(whole))
    for fraction in parts.fractions:
        parts.run(point(parts), fraction)
    assert parts.course[-1][0] == pytest.approx(whole.course[-1][0])


def test_a_trial_far_over_the_limit_is_stopped_at_twice_its_part() -> None:
    searched = ground()
    world = searched.world
    dearest = max(world.problem.space.configs, key=lambda c: (world.truth(c) or {})["cost"])
    seen = searched.train(dearest)
    assert seen.over is not None and seen.over > 0
    assert searched.course[-1][0] == pytest.approx(min(2.0, math.exp(seen.over)))
    assert seen.penalised < seen.accuracy


def test_a_search_ends_with_its_trials() -> None:
    searched = ground(PLAIN, most=3)
    with pytest.raises(Enough):
        while True:
            searched.run(point(searched))
    assert searched.trials == 3


def test_inactive_parameters_are_left_out() -> None:
    searched = ground("conditional, optimizers")
    chosen = {**point(searched), "optimizer": "adam"}
    assert "beta" in searched.config(chosen) and "momentum" not in searched.config(chosen)


def test_a_tool_that_is_not_installed_is_a_row_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TOOLS, "flaml", TOOLS["flaml"].__class__("FLAML", "no-such-package", ""))
    assert "| FLAML | not installed |" in page([], "here", "now")


def test_rows_that_we_lose_are_listed() -> None:
    def run(tool: str, regret: float) -> Run:
        return Run(question=PLAIN, tool=tool, version="5", seed=0, regrets=[0.5, regret],
                   trials=40, ask=0.1)  # fmt: skip

    told = page([run("tunewise", 0.2), run("optuna_tpe", 0.1)], "here", "now")
    assert "40 trials: Optuna, TPE (5), 0.100 against 0.200" in told
    assert "15 trials: Optuna" not in told, "nobody is ahead there"


def test_random_search_is_raced_as_any_other() -> None:
    run = raced("random", PLAIN, 0)
    assert run is not None and run["trials"] == 40
    assert 0 <= run["regrets"][1] <= run["regrets"][0] <= 1
