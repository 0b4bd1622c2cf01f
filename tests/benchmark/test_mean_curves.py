"""The mean curves of a race, as data and as drawn."""

import pytest

from tests.benchmark.races import run
from tunewise.benchmark.measures.mean_curves import mean_curves
from tunewise.report.race.curves import CLOSEST, draw_mean_curves

RUNS = [
    run(0.2, 0.6, 0.6, 1.0, bootstrap=2, cost=0.1),
    run(0.4, 0.8, 0.8, 1.0, bootstrap=2, cost=0.1, seed=1),
    run(0.5, 0.5, strategy="b"),
]


def test_a_curve_is_the_mean_over_seeds_with_its_error() -> None:
    first, second = mean_curves(RUNS)
    assert (first.name, second.name) == ("a", "b")
    assert first.spent == pytest.approx((0.1, 0.2, 0.4)), "a step without a change is left out"
    assert first.mean == pytest.approx((0.3, 0.7, 1.0))
    assert first.error == pytest.approx((0.1, 0.1, 0.0))
    assert second.spent == (1.0, 2.0), "but not the last, which says where the curve ends"


def test_the_bootstrap_ends_with_that_of_the_last_seed() -> None:
    first, second = mean_curves([*RUNS[:1], run(0.1, 0.2, bootstrap=1, seed=1), RUNS[2]])
    assert (first.bootstrap, second.bootstrap) == (1.0, 0.0)


def test_curves_may_be_of_some_strategies_under_other_names() -> None:
    [curve] = mean_curves(RUNS, "time", {"b": "no filter"})
    assert (curve.name, curve.spent) == ("no filter", (10.0, 20.0))


def test_without_any_spending_there_is_no_curve() -> None:
    assert mean_curves([run(0.5, cost=0.0), run(strategy="b")]) == ()


def test_the_bootstrap_is_dashed_and_the_rest_is_not() -> None:
    lines = [t for t in draw_mean_curves(mean_curves(RUNS), "cost", "accuracy").data if t.name]
    shown = [(t.name, t.line.dash, t.showlegend) for t in lines]
    assert shown[:2] == [("a", "dash", False), ("a", "solid", True)]
    assert [list(t.x) for t in lines[:2]] == [pytest.approx([0.1, 0.2]), pytest.approx([0.2, 0.4])]
    assert list(lines[2].x) == [], "without a bootstrap nothing is dashed"


def test_the_band_is_one_error_wide_and_ends_at_the_optimum() -> None:
    band = draw_mean_curves(mean_curves(RUNS), "cost", "accuracy").data[0]
    assert band.fill == "toself"
    assert list(band.y) == pytest.approx([0.4, 0.4, 0.8, 0.8, 1.0, 1.0, 0.6, 0.6, 0.2, 0.2])


def test_distances_are_on_a_log_axis_that_has_no_zero() -> None:
    drawn = draw_mean_curves(mean_curves(RUNS), "cost", "accuracy", "distance")
    assert drawn.layout.yaxis.type == "log"
    assert list(drawn.data[2].y) == pytest.approx([0.3, CLOSEST])


def test_more_curves_than_colours_are_told_apart_by_dots() -> None:
    many = [run(0.5, 1.0, strategy=str(i)) for i in range(12)]
    lines = [t for t in draw_mean_curves(mean_curves(many), "cost", "x").data if t.showlegend]
    assert len({(t.line.color, t.line.dash) for t in lines}) == 12
