"""CNO says how dear the incumbent is against the optimum, and what it took to get there."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmark.races import run
from tests.report.test_markup import Seen
from tests.report.test_page import charts, without_plotly
from tunewise.benchmark import Table
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.cno import PERCENTILES, cno_curves, cno_scores, yardstick
from tunewise.problem import Problem
from tunewise.report.race.cno import draw_cno
from tunewise.report.race.page import render
from tunewise.strategy.spec import StrategySpec

OPTIMUM = 0.02
RUNS = [run(0, 0.5, 1.0, seed=i, optimum=OPTIMUM) for i in range(9)]
LAST = run(0, 0, 0, 0.8, seed=9, optimum=OPTIMUM)


def contest(folder: Path, **wanted: str) -> Contest:
    (folder / "jobs.csv").write_text("x,time,cost\n1,10,0.04\n2,20,0.02\n3,30,0.01\n")
    table = Table(folder / "jobs.csv", ["x"], fraction=None, metrics=["time", "cost"])
    chosen = wanted or {"minimize": "cost"}
    return Contest(table, Problem(table.space, subject_to="time <= 20", **chosen), 4)  # type: ignore[arg-type]  # only strings are given


def test_it_is_infinite_before_the_first_incumbent_and_one_at_the_optimum() -> None:
    [curve] = cno_curves(RUNS, OPTIMUM, "trials")
    assert curve.spent == (1.0, 2.0, 3.0)
    assert curve.at[50] == pytest.approx((math.inf, 2.0, 1.0))


def test_a_percentile_is_what_so_many_of_the_runs_have_or_beat() -> None:
    [curve] = cno_curves([*RUNS, LAST], OPTIMUM, "cost")
    assert curve.final == {50: pytest.approx(1.0), 90: pytest.approx(1.0)}
    [unlucky] = cno_curves([*RUNS[:8], LAST, LAST], OPTIMUM, "cost")
    assert unlucky.final == {50: pytest.approx(1.0), 90: pytest.approx(1.25)}
    assert unlucky.falls_to(1.5, 90) == pytest.approx(4.0)
    assert unlucky.falls_to(1.1, 90) is None


def test_a_score_says_what_each_level_took_of_cost_time_and_trials() -> None:
    first, second = cno_scores([*RUNS, run(0, 1.0, strategy="b", cost=3.0, optimum=1.0)], OPTIMUM)
    assert (first.strategy, second.strategy) == ("a", "b")
    assert first.cost_to == {1.5: {50: 3.0, 90: 3.0}, 1.1: {50: 3.0, 90: 3.0}}
    assert first.time_to[1.1] == {50: 30.0, 90: 30.0}
    assert first.trials_to[1.5] == {50: 3.0, 90: 3.0}
    assert second.cost_to[1.5] == {50: None, 90: None}
    assert second.final[50] == pytest.approx(50.0)


def test_runs_without_steps_have_none() -> None:
    [score] = cno_scores([run()], OPTIMUM)
    assert score.final == {50: math.inf, 90: math.inf}


@given(st.lists(st.lists(st.floats(0.1, 1), min_size=1, max_size=5), min_size=1, max_size=7))
def test_percentiles_never_rise_and_the_higher_one_is_never_below(
    shares: list[list[float]],
) -> None:
    runs = [run(*sorted(each), seed=i, optimum=1.0) for i, each in enumerate(shares)]
    [curve] = cno_curves(runs, 1.0, "cost")
    for percentile in PERCENTILES:
        assert list(curve.at[percentile]) == sorted(curve.at[percentile], reverse=True)
    assert all(low <= high for low, high in zip(curve.at[50], curve.at[90], strict=True))


def test_it_makes_sense_only_for_what_is_minimised_and_costs_something(tmp_path: Path) -> None:
    assert yardstick(contest(tmp_path)) == 0.02
    assert yardstick(contest(tmp_path, maximize="cost")) is None
    (tmp_path / "free.csv").write_text("x,loss\n1,-0.5\n2,0\n")
    free = Table(tmp_path / "free.csv", ["x"], fraction=None, metrics=["loss"])
    assert yardstick(Contest(free, Problem(free.space, minimize="loss"), 2)) is None


def test_lines_begin_with_the_first_incumbent_on_a_log_axis() -> None:
    drawn = draw_cno(cno_curves([*RUNS, LAST], OPTIMUM, "cost"), "cost", "cost")
    assert drawn.layout.yaxis.type == "log"
    median, ninetieth = drawn.data
    assert list(median.x) == [2.0, 3.0, 4.0]
    assert list(median.y) == pytest.approx([2.0, 1.0, 1.0])
    assert (median.line.dash, ninetieth.line.dash) == ("solid", "dash")
    assert (median.showlegend, ninetieth.showlegend) == (True, False)


def test_the_page_of_a_race_shows_it_where_it_makes_sense(tmp_path: Path) -> None:
    page = render(contest(tmp_path), [StrategySpec("random")], RUNS)
    assert {"cno-cost", "cno-time", "cno-trials"} <= set(charts(page))
    text = Seen(without_plotly(page)).text
    for said in ("CNO: cost of the incumbent", "USD until CNO ≤ 1.5", "trials until CNO ≤ 1.1"):
        assert said in text
    other = render(contest(tmp_path, maximize="cost"), [StrategySpec("random")], RUNS)
    assert "CNO" not in Seen(without_plotly(other)).text


def test_a_race_that_finds_nothing_has_a_page(tmp_path: Path) -> None:
    page = render(contest(tmp_path), [StrategySpec("random")], [run(0, 0, optimum=OPTIMUM)])
    assert "anything that keeps all limits was found" in Seen(without_plotly(page)).text
