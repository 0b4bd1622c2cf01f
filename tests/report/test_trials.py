from typing import Any

import pytest

from tests.report.studies import maximising, measured, mixed, recommended, told
from tunewise.history import Failure, History, Measurement
from tunewise.report.charts.trials import Against, draw_scatter, scatter
from tunewise.report.failures import failures
from tunewise.report.standing import Standing, best, feasible, label, standing
from tunewise.report.table import table
from tunewise.surrogate.normal import Normal


def test_a_trial_on_part_of_the_data_does_not_tell_whether_limits_are_kept() -> None:
    problem, history = maximising(), mixed()
    assert [feasible(problem, t) for t in history] == [
        None, True, False, None, True, True, None, None, None
    ]  # fmt: skip


def test_the_best_trial_is_feasible_and_on_the_full_data() -> None:
    found = best(maximising(), list(mixed()))
    assert found is not None
    assert found.number == 4


def test_without_limits_there_is_nothing_to_keep() -> None:
    assert label(maximising(subject_to=[]), Standing.KEEPS) == "complete"
    assert label(maximising(), Standing.KEEPS) == "keeps the limits"


def test_the_scatter_has_every_ended_trial_with_its_standing() -> None:
    data = scatter(maximising(), mixed())
    assert [(m.number, m.stands) for m in data.marks] == [
        (0, Standing.PARTIAL),
        (1, Standing.KEEPS),
        (2, Standing.BREAKS),
        (3, Standing.FAILED),
        (4, Standing.KEEPS),
        (5, Standing.KEEPS),
        (6, Standing.CANCELLED),
    ]


def test_trials_without_a_result_have_no_height() -> None:
    data = scatter(maximising(), mixed(), against="time")
    assert [(m.x, m.y) for m in data.marks if m.number in (3, 6)] == [(5.0, None), (2.0, None)]


def test_the_prediction_stands_among_the_trials() -> None:
    data = scatter(maximising(), mixed(), recommended())
    assert data.recommended is not None
    assert (data.recommended.x, data.recommended.y) == (0.0191, 0.9012)


def test_a_prediction_without_the_metric_is_left_out() -> None:
    assert scatter(maximising(), mixed(), recommended(), "time").recommended is None


def test_smaller_fractions_have_smaller_marks() -> None:
    drawn = draw_scatter(scatter(maximising(), mixed()))
    sizes = {t.name: t.marker.size for t in drawn.data}
    assert sizes["part of the data"][0] < sizes["keeps the limits"][0]


def test_limits_are_drawn_as_lines() -> None:
    drawn = draw_scatter(
        scatter(maximising(subject_to=["cost <= 0.02", "accuracy >= 0.5"]), mixed())
    )
    lines = [(s.x0, s.y0) for s in drawn.layout.shapes]
    assert lines == [(0.02, 0), (0, 0.5)]


def test_long_times_are_drawn_in_units_people_read() -> None:
    history = History([measured(0, 0.9, 0.01, time=7200.0), measured(1, 0.8, 0.01, time=10800.0)])
    drawn = draw_scatter(scatter(maximising(), history, against="time"))
    assert list(drawn.data[0].x) == [2.0, 3.0]
    assert drawn.layout.xaxis.title.text == "time (h)"


def test_hovering_shows_the_config_and_users_text_is_no_markup() -> None:
    history = History([measured(0, 0.9, 0.01, vm='<a href="evil">x</a>')])
    (text,) = draw_scatter(scatter(maximising(), history)).data[0].hovertext
    assert "vm = &lt;a href=" in text
    assert "<a" not in text


def test_the_table_has_every_trial_and_needed_metrics_first() -> None:
    data = table(maximising(), mixed())
    assert [row.number for row in data.rows] == list(range(9))
    assert [m.name for m in data.metrics] == ["accuracy", "cost", "time"]
    assert data.parameters == ("vm", "vms", "rate", "layers")
    assert data.rows[3].reason == "out of memory"
    assert data.rows[8].metrics == {}


@pytest.mark.parametrize(("fractions", "expected"), [((1.0,), False), ((0.5, 1.0), True)])
def test_the_table_shows_fractions_only_where_there_are_several(
    fractions: tuple[float, ...], expected: bool
) -> None:
    history = History([measured(0, 0.9, 0.01)])
    assert table(maximising(fractions=fractions), history).fractions is expected


def test_failures_are_grouped_by_their_headline_and_summed_up() -> None:
    trace = "Traceback (most recent call last):\n  File {}\nValueError: nan"
    history = History(
        [
            told(0, Failure("out of memory", {"cost": 0.1})),
            told(1, Failure(trace.format("a"), {"cost": 0.25, "time": 1.0})),
            told(2, Failure(trace.format("b"), {"cost": 0.5, "time": 2.0})),
            measured(3, 0.9, 0.01),
        ]
    )
    first, second = failures(history)
    assert (first.headline, first.numbers, first.cost, first.time) == (
        "ValueError: nan", (1, 2), 0.75, 3.0
    )  # fmt: skip
    assert second.numbers == (0,)


def drawn(against: Against = "cost", **changes: object) -> Any:
    return draw_scatter(scatter(maximising(**changes), mixed(), recommended(), against))


def test_what_failed_or_was_cancelled_stands_along_the_bottom() -> None:
    figure = drawn()
    by_name = {trace.name: trace for trace in figure.data}
    for name in ("failed", "cancelled"):
        assert (by_name[name].yaxis, list(by_name[name].y)) == ("y2", [0])
        assert not by_name[name].cliponaxis
        assert by_name[name].marker.size == pytest.approx(8.0)
    assert by_name["keeps the limits"].yaxis is None
    below = figure.layout.yaxis2
    assert (below.overlaying, list(below.range), below.visible) == ("y", [-0.03, 1], False)


def test_the_most_telling_marks_lie_on_top_and_the_prediction_above_all() -> None:
    assert [trace.name for trace in drawn().data] == [
        "cancelled", "failed", "part of the data", "breaks a limit", "keeps the limits",
        "recommended (predicted)",
    ]  # fmt: skip


def test_the_prediction_is_a_star_with_its_deviations_in_the_units_of_the_axes() -> None:
    long = Normal(7200.0, 1800.0)
    given = recommended(predicted={"accuracy": Normal(0.9, 0.05), "time": long})
    data = scatter(maximising(), mixed(), given, "time")
    star = draw_scatter(data).data[-1]
    assert (list(star.x), list(star.y)) == ([2.0], [0.9])
    assert list(star.error_x.array) == pytest.approx([0.5])
    assert list(star.error_y.array) == pytest.approx([0.05])
    assert star.marker.symbol == "star"


def test_axes_reach_to_limits_and_prediction_beyond_all_trials() -> None:
    one = History([measured(0, 0.5, 0.010), measured(1, 0.6, 0.012)])
    given = recommended(predicted={"accuracy": Normal(0.9, 0.01), "cost": Normal(0.015, 0.001)})
    layout = draw_scatter(scatter(maximising(), one, given)).layout
    # Cost from 0.010 to the limit of 0.020, accuracy from 0.5 to the predicted 0.9; 6 % around.
    assert list(layout.xaxis.range) == pytest.approx([0.0094, 0.0206])
    assert list(layout.yaxis.range) == pytest.approx([0.476, 0.924])


def test_a_limit_on_time_is_drawn_only_against_time() -> None:
    both = ["time <= 120", "cost <= 0.02"]
    by_time = drawn("time", subject_to=both).layout.shapes
    # The limit makes the axis one of minutes.
    assert [(line.x0, line.x1, line.yref) for line in by_time] == [(2.0, 2.0, "paper")]
    by_cost = drawn("cost", subject_to=both).layout.shapes
    assert [(line.x0, line.y1) for line in by_cost] == [(0.02, 1)]


def test_hovering_tells_standing_result_and_config() -> None:
    texts = {
        number: text
        for trace in drawn().data[:-1]
        for number, text in zip(trace.customdata, trace.hovertext, strict=True)
    }
    config = "vm = small<br>vms = 2<br>rate = 0.01<br>layers = 2"
    for said in ("trial 0", "accuracy 0.95", "0.001 USD", "1/2 of the data", config):
        assert said in texts[0]
    for said in ("trial 3", "failed", "0.002 USD", config):
        assert said in texts[3]


def test_a_complete_trial_without_the_objective_is_no_mark() -> None:
    lacking = told(0, Measurement({"cost": 0.1}))
    assert scatter(maximising(), History([lacking])).marks == ()


def test_of_equally_good_trials_the_earliest_is_the_best() -> None:
    same = History([measured(0, 0.9, 0.01), measured(1, 0.9, 0.005), measured(2, 0.8, 0.01)])
    chosen = best(maximising(), list(same))
    assert chosen is not None and chosen.number == 0
    cheapest = maximising(maximize=None, minimize="cost", subject_to=[])
    least = best(cheapest, list(same))
    assert least is not None and least.number == 1
    assert best(maximising(), []) is None


def test_each_state_has_its_standing_until_something_is_measured() -> None:
    assert [standing(maximising(), t).name for t in mixed()] == [
        "PARTIAL", "KEEPS", "BREAKS", "FAILED", "KEEPS", "KEEPS", "CANCELLED", "PENDING", "PENDING"
    ]  # fmt: skip
    assert label(maximising(subject_to=[]), Standing.BREAKS) == "breaks a limit"
