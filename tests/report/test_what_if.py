"""What a part of the data saves, for every pair of limits, as data and as a page."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.studies import maximising, measured, told
from tests.report.test_browser import opened
from tests.report.test_markup import Seen
from tests.report.test_page import charts, without_plotly
from tests.tables import published_path
from tunewise.benchmark import Table
from tunewise.errors import ProblemError
from tunewise.history import History, Measurement
from tunewise.problem import KNOWN, Constraint, Metric
from tunewise.report.what_if.answer import (
    NOTHING,
    Point,
    Sign,
    WhatIf,
    measured_points,
    strictest,
    what_if,
)
from tunewise.report.what_if.page import draw_what_if, render, verdict

NAMES: list[tuple[Metric, Sign]] = [(KNOWN["accuracy"], ">="), (KNOWN["time"], "<=")]
LIMITS = (Constraint("accuracy", ">=", 0.85), Constraint("time", "<=", 300.0))


def point(
    accuracy: float, time: float, cost: float, fraction: float = 1.0, **other: float
) -> Point:
    return Point({"x": cost}, fraction, {"accuracy": accuracy, "time": time, "cost": cost, **other})


POINTS = [
    point(0.95, 400, 0.4),
    point(0.90, 200, 0.8),
    point(0.88, 100, 0.1, 0.1, memory=9),
    point(0.60, 20, 0.05, 0.1),
]


def at(data: WhatIf, accuracy: float, time: float) -> Any:
    return data.saving[data.rows.bounds.index(accuracy), data.columns.bounds.index(time)]


def test_a_saving_is_the_cheapest_at_the_full_data_over_the_cheapest_at_any() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    assert data.own is not None
    assert data.saving[data.own] == pytest.approx(8.0)
    assert at(data, 0.85, 480.0) == pytest.approx(4.0), "a looser limit makes the full data cheaper"
    assert at(data, 0.9, 480.0) == 1.0, "the full data is cheapest where no part is good enough"


def test_where_only_a_part_keeps_the_limits_the_saving_is_infinite_and_where_nothing_none() -> None:
    data = what_if(POINTS, NAMES)
    assert at(data, 0.6, 120.0) == np.inf
    assert np.isnan(at(data, 0.95, 300.0))
    assert data.own is None


accuracies, times, costs = st.floats(0, 1), st.floats(1, 1e4), st.floats(0.01, 10)
shares = st.sampled_from([0.1, 0.5, 1.0])


@given(st.lists(st.builds(point, accuracies, times, costs, shares), min_size=1, max_size=12))
def test_every_cell_is_what_a_search_through_all_points_finds(points: list[Point]) -> None:
    data = what_if([*points, point(0.5, 50, 1.0, 0.1)], NAMES, LIMITS)
    for (i, j), saving in np.ndenumerate(data.saving):
        limits = data.rows.limit(i), data.columns.limit(j)
        kept = [p for p in data.points if all(c.holds(p.metrics[c.metric]) for c in limits)]
        any_ = min((p.metrics["cost"] for p in kept), default=np.nan)
        full = min((p.metrics["cost"] for p in kept if p.fraction == 1), default=np.inf)
        assert saving == pytest.approx(full / any_, nan_ok=True)


def test_limits_on_other_metrics_stay_in_force() -> None:
    points = [point(0.9, 100, 0.4, memory=8), *POINTS[2:3], point(0.9, 100, 0.2, 0.5, memory=4)]
    data = what_if(points, NAMES, [*LIMITS, Constraint("memory", "<=", 8.0)])
    assert data.own is not None
    assert data.saving[data.own] == pytest.approx(2.0)


def test_any_two_metrics_may_be_limited_in_either_direction() -> None:
    names: list[tuple[Metric, Sign]] = [(Metric("loss"), "<="), (Metric("reward"), ">=")]
    points = [point(0, 1, 0.4, loss=0.1, reward=5), point(0, 1, 0.1, 0.1, loss=0.2, reward=7)]
    own = [Constraint("loss", "<=", 0.2), Constraint("reward", ">=", 5.0)]
    data = what_if(points, names, own)
    assert data.own is not None
    assert data.saving[data.own] == pytest.approx(4.0)
    assert at(data, 0.1, 5.0) == 1.0
    assert at(data, 0.2, 6.0) == np.inf


@pytest.mark.parametrize(
    ("points", "limits", "sentence"),
    [
        (POINTS[:2], (), "everything was measured at the full data"),
        ([], (), "nothing has measured 'cost'"),
        ([point(0.5, 1, 0.0, 0.5)], (), "cost is 0 for"),
        (POINTS, [Constraint("memory", "<=", 1.0)], "no trial keeps memory <= 1"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    points: list[Point], limits: list[Constraint], sentence: str
) -> None:
    with pytest.raises(ProblemError, match=sentence):
        what_if(points, NAMES, limits)


def test_a_study_knows_its_trials_and_their_snapshots() -> None:
    metrics = {"accuracy": 0.9, "time": 100.0, "cost": 0.2}
    passed = {0.1: {"accuracy": 0.8, "time": 10.0, "cost": 0.02}}
    history = History([told(0, Measurement(metrics, passed)), measured(1, 0.7, 0.1), told(2, None)])
    points = list(measured_points(maximising(), history))
    assert [(p.fraction, p.metrics["cost"]) for p in points] == [
        (0.1, 0.02),
        (1.0, 0.2),
        (1.0, 0.1),
    ]


def test_the_cnn_of_the_thesis_is_four_times_cheaper_on_a_tenth_of_the_data() -> None:
    config = ["vm", "vms", "learning_rate", "batch_size", "mode"]
    table = Table(published_path("trimtuner/cnn.csv"), config)
    data = what_if((Point(r.config, r.fraction, r.metrics) for r in table.rows), NAMES, LIMITS)
    assert data.own is not None
    assert data.saving[data.own] == pytest.approx(4.1, abs=0.05)
    assert data.points[data.best[data.own]].fraction == 0.1
    assert not np.any(data.saving < 1)


def test_the_chart_shows_savings_what_only_a_part_keeps_and_the_limits_set() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    assert data.own is not None
    row, column = data.own
    drawn = draw_what_if(data)
    savings, only = drawn.data
    assert savings.text[row][column] == "8×"
    assert savings.z[row][column] == pytest.approx(np.log10(8))
    nothing, part = np.argwhere(data.best == NOTHING)[0], np.argwhere(np.isposinf(data.saving))[0]
    assert only.z[part[0]][part[1]] == 1.0
    assert savings.z[nothing[0]][nothing[1]] is None
    assert only.z[nothing[0]][nothing[1]] is None
    assert "instead" not in savings.hovertext[row][column]
    assert "0.10 USD on 1/10 of the data" in savings.hovertext[row][column]
    [frame] = drawn.layout.shapes
    assert (frame.x0, frame.y0) == (column - 0.5, row - 0.5)


def test_the_page_tells_the_verdict_at_the_limits_set() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    page = render("digits", data)
    assert list(charts(page)) == ["what-if"]
    text = Seen(without_plotly(page)).text
    for said in ("At accuracy ≥ 0.85 and time ≤ 5 m", "8× cheaper", "only by a part of the data"):
        assert said in text
    assert data.own is not None
    assert verdict(data, *data.own) == (
        "at accuracy ≥ 0.85 and time ≤ 5 m: 8× cheaper"
        " (0.10 USD on 1/10 of the data instead of 0.80 USD on all of the data)"
    )


def test_a_page_without_anything_at_the_full_data_is_drawn() -> None:
    text = Seen(without_plotly(render("digits", what_if(POINTS[2:], NAMES, LIMITS)))).text
    assert "only a part" in text
    assert "unknown" in text


def test_names_cannot_inject_anything() -> None:
    evil = "</script><script>alert(1)</script>"
    points = [*POINTS, Point({evil: evil}, 1.0, {"accuracy": 0.9, "time": 1.0, "cost": 0.01})]
    assert "<script>alert" not in without_plotly(render(evil, what_if(points, NAMES)))


def test_the_browser_draws_it_in_silence(tmp_path: Path) -> None:
    seen, console = opened(render("digits", what_if(POINTS, NAMES, LIMITS)), tmp_path)
    assert console == []
    assert re.findall(r'<div data-plot="([\w-]+)" class="plot[^"]*js-plotly-plot', seen) == [
        "what-if"
    ]


def test_where_nothing_has_a_cost_time_is_what_can_be_saved() -> None:
    points = [Point(p.config, p.fraction, {k: v for k, v in p.metrics.items() if k != "cost"})
              for p in POINTS]  # fmt: skip
    data = what_if(points, NAMES, LIMITS)
    assert (data.objective.name, data.less, data.least) == ("time", "faster", "fastest")
    assert what_if(POINTS, NAMES, LIMITS).less == "cheaper"


def lean(data: WhatIf, *limits: Constraint) -> str:
    return render("digits", data, limits, script="plotly.js")


def cards(data: WhatIf) -> list[str]:
    found = re.findall(r'<section class="card"><h2>.*?</section>', lean(data))
    return [Seen(each).text for each in found]


def test_the_header_counts_what_was_measured_and_names_other_limits() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    text = Seen(lean(data)).text
    assert (
        "What a part of the data saves of the cost, for every limit on accuracy and time." in text
    )
    assert "measured 4" in text and "data 1/10, all" in text and "all within" not in text
    more = Seen(lean(data, Constraint("memory", "<=", 8.0), Constraint("memory", ">=", 1.0))).text
    assert "all within memory <= 8 and memory >= 1" in more


def test_the_cards_tell_the_limits_set_the_largest_saving_and_how_often_a_part_wins() -> None:
    own, widest, wins = cards(what_if(POINTS, NAMES, LIMITS))
    for said in ("accuracy ≥ 0.85 and time ≤ 5 m", "8×", "0.10 USD", "1/10", "0.80 USD"):
        assert said in own
    # At 0.6 or less the cheapest costs 0.05; all data costs 0.8 where the time is 300 s or less.
    assert widest.startswith("Largest saving16×at accuracy ≥ 0.6 and time ≤ ")
    assert wins.startswith("A part of the data wins") and "only by a part of the data" in wins
    assert not any(each.startswith("At ") for each in cards(what_if(POINTS, NAMES)))


def test_how_often_a_part_wins_is_counted_over_pairs_that_can_be_kept() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    kept = int(np.sum(~np.isnan(data.saving)))
    only = int(np.sum(np.isinf(data.saving)))
    wins = int(np.sum(data.saving[~np.isnan(data.saving)] > 1))
    *_, card = cards(data)
    share = f"{100 * wins / kept:.0f} %"
    for said in (share, f" {kept} pairs", f"; {only} only"):
        assert said in card


def test_where_the_full_data_is_the_cheapest_nothing_is_saved() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    row, column = data.rows.bounds.index(0.9), data.columns.bounds.index(480.0)
    assert verdict(data, row, column).endswith(
        ": no saving (0.40 USD on all of the data is the least)"
    )
    nothing = data.rows.bounds.index(0.95), data.columns.bounds.index(300.0)
    assert verdict(data, *nothing).endswith(": nothing (no measured trial keeps both)")
    part = data.rows.bounds.index(0.6), data.columns.bounds.index(120.0)
    assert verdict(data, *part).endswith(
        ": only a part (0.05 USD on 1/10 of the data; no trial at the full data keeps both)"
    )


def test_of_equal_prices_the_one_on_more_data_counts() -> None:
    points = [point(0.9, 100, 0.2, 0.1), point(0.9, 100, 0.2), point(0.9, 100, 0.2, 0.5)]
    data = what_if(points, NAMES, LIMITS)
    assert data.own is not None
    assert data.points[data.best[data.own]].fraction == 1.0
    assert data.saving[data.own] == 1.0


def test_of_several_cells_the_strictest_limits_are_told() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    everywhere = np.ones_like(data.saving, dtype=bool)
    # A least accuracy is strictest at the top, a most time at the left.
    assert strictest(data, everywhere) == (len(data.rows.bounds) - 1, 0)
    alone = np.zeros_like(everywhere)
    alone[2, 3] = True
    assert strictest(data, alone) == (2, 3)


def test_of_two_limits_of_one_metric_the_stricter_is_the_one_set() -> None:
    looser = Constraint("accuracy", ">=", 0.5), Constraint("time", "<=", 900.0)
    data = what_if(POINTS, NAMES, [*looser, *LIMITS])
    assert data.own is not None
    row, column = data.own
    assert (data.rows.bounds[row], data.columns.bounds[column]) == (0.85, 300.0)
    assert 0.5 in data.rows.bounds and 900.0 in data.columns.bounds
    assert what_if(POINTS, NAMES, LIMITS[:1]).own is None


def test_a_limit_in_the_other_direction_stays_in_force() -> None:
    # No faster than 60 s: the trial of 20 s is left out.
    data = what_if(POINTS, NAMES, [*LIMITS, Constraint("time", ">=", 60.0)])
    assert len(data.points) == 3


def test_another_objective_may_be_saved_than_money() -> None:
    data = what_if(POINTS, NAMES, LIMITS, KNOWN["time"])
    assert data.objective.name == "time" and data.own is not None
    assert data.saving[data.own] == pytest.approx(2.0), "200 s on all of the data, 100 s on a part"


def test_points_that_lack_a_metric_are_left_out() -> None:
    lacking = Point({"x": 1}, 0.1, {"accuracy": 0.99, "cost": 0.01})
    assert len(what_if([*POINTS, lacking], NAMES, LIMITS).points) == 4
    with pytest.raises(ProblemError, match="nothing has measured 'time'"):
        what_if([lacking], NAMES, LIMITS)


def test_colours_end_at_the_largest_saving_or_at_thirty() -> None:
    [some, _] = draw_what_if(what_if(POINTS, NAMES, LIMITS)).data
    assert some.zmax == pytest.approx(np.log10(16.0))
    assert list(some.colorbar.ticktext) == ["1×", "1.5×", "2×", "3×", "5×", "10×"]
    assert some.colorbar.title.text == "cheaper by"
    far = [*POINTS, point(0.9, 100, 0.001, 0.1)]
    [much, _] = draw_what_if(what_if(far, NAMES, LIMITS)).data
    assert much.zmax == pytest.approx(np.log10(30.0))
    assert much.colorbar.ticktext[-1] == "30× or more"
    near = [point(0.9, 100, 0.11), point(0.9, 100, 0.1, 0.1)]
    [little, _] = draw_what_if(what_if(near, NAMES, LIMITS)).data
    assert little.zmax == pytest.approx(np.log10(2.0))


def test_with_many_columns_there_is_no_room_for_numbers() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    assert draw_what_if(data).data[0].texttemplate == "%{text}"
    bounds = tuple(float(i) for i in range(36))
    wide = (len(data.rows.bounds), 36)
    many = replace(
        data,
        columns=replace(data.columns, bounds=bounds),
        best=np.resize(data.best, wide),
        full=np.resize(data.full, wide),
        saving=np.resize(data.saving, wide),
        own=None,
    )
    drawn = draw_what_if(many)
    assert drawn.data[0].texttemplate == ""
    assert len(drawn.layout.shapes) == 0
    assert list(drawn.layout.xaxis.range) == [-0.5, 35.5]


def test_hovering_over_a_cell_tells_both_trials_once() -> None:
    data = what_if(POINTS, NAMES, LIMITS)
    assert data.own is not None
    row, column = data.own
    text = draw_what_if(data).data[0].hovertext
    assert text[row][column] == (
        "<b>accuracy ≥ 0.85 and time ≤ 5 m: 8× cheaper</b><br>0.10 USD on 1/10 of the data"
        "<br>    x = 0.1<br>0.80 USD on all of the data<br>    x = 0.8"
    )
    same = text[data.rows.bounds.index(0.9)][data.columns.bounds.index(480.0)]
    assert same.count("on all of the data") == 1
    nothing = text[data.rows.bounds.index(0.95)][data.columns.bounds.index(300.0)]
    assert nothing == ""
