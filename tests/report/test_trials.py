import pytest

from tests.report.studies import maximising, measured, mixed, recommended, told
from tunewise.history import Failure, History
from tunewise.report.charts.trials import draw_scatter, scatter
from tunewise.report.failures import failures
from tunewise.report.standing import Standing, best, feasible, label
from tunewise.report.table import table


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
