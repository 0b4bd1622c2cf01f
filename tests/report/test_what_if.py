"""What a part of the data saves, for every pair of limits, as data and as a page."""

import re
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
from tunewise.report.what_if.answer import NOTHING, Point, Sign, WhatIf, measured_points, what_if
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
    assert re.findall(r'<div id="([\w-]+)" class="plot[^"]*js-plotly-plot', seen) == ["what-if"]


def test_where_nothing_has_a_cost_time_is_what_can_be_saved() -> None:
    points = [Point(p.config, p.fraction, {k: v for k, v in p.metrics.items() if k != "cost"})
              for p in POINTS]  # fmt: skip
    data = what_if(points, NAMES, LIMITS)
    assert (data.objective.name, data.less, data.least) == ("time", "faster", "fastest")
    assert what_if(POINTS, NAMES, LIMITS).less == "cheaper"
