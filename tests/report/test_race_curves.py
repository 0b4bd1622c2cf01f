"""How the curves and the bars of a race are drawn: axes, lines, and what is read while hovering."""

import math

import pytest

from tunewise.benchmark.measures.cno import CnoCurve
from tunewise.benchmark.measures.mean_curves import MeanCurve
from tunewise.benchmark.measures.savings import Ratio, Saving, Savings
from tunewise.report.layout import theme
from tunewise.report.race.cno import draw_cno
from tunewise.report.race.curves import draw_mean_curves
from tunewise.report.race.savings import draw_savings


def curve(
    *means: float, name: str = "a", bootstrap: float = 0.0, per: float = 1.0, error: float = 0.05
) -> MeanCurve:
    """A curve that takes a step after each unit of what is spent."""
    spent = tuple(per * (i + 1) for i in range(len(means)))
    return MeanCurve(name, spent, means, (error,) * len(means), bootstrap)


@pytest.mark.parametrize(
    ("curves", "floor"),
    [
        ([curve(0.55, 0.9)], 0.48),
        ([curve(0.55, 0.9), curve(0.35, name="b")], 0.28),
        # What lies in the bootstrap says nothing of the rest.
        ([curve(0.1, 0.62, 0.9, bootstrap=2.0)], 0.58),
        ([curve(0.05)], 0.0),
        ([curve(0.5, bootstrap=9.0)], 0.0),
    ],
)
def test_shares_begin_a_little_below_the_lowest_settled_mean(
    curves: list[MeanCurve], floor: float
) -> None:
    axis = draw_mean_curves(curves, "cost", "accuracy").layout.yaxis
    assert list(axis.range) == pytest.approx([floor, 1.02])
    assert axis.title.text == "accuracy, share of the optimum"
    assert (axis.type, axis.tickformat) == ("linear", "~%")


def test_distances_from_the_optimum_are_shown_between_a_thousandth_and_all() -> None:
    drawn = draw_mean_curves([curve(0.4, 1.0)], "cost", "accuracy", "distance").layout
    low, high = math.log10(1e-3 / 1.15), math.log10(1.1)
    assert list(drawn.yaxis.range) == pytest.approx([low, high])
    assert drawn.yaxis.title.text == "accuracy, distance from the optimum"
    # Both steps count, however far from the optimum the first one is.
    assert list(drawn.xaxis.range) == pytest.approx([math.log10(1 / 1.1), math.log10(2.2)])


def test_what_is_spent_is_shown_from_where_the_first_curve_comes_into_sight() -> None:
    late = curve(0.1, 0.72, 0.9, bootstrap=2.0)
    drawn = draw_mean_curves([late], "cost", "accuracy").layout
    assert list(drawn.xaxis.range) == pytest.approx([math.log10(2 / 1.1), math.log10(3.3)])
    assert (drawn.xaxis.title.text, drawn.xaxis.type) == ("Search cost (USD)", "log")


def test_a_curve_that_begins_with_nothing_spent_still_has_an_axis() -> None:
    free = MeanCurve("a", (0.0, 1.0, 2.0), (0.5, 0.8, 0.9), (0.0, 0.0, 0.0), 0.0)
    drawn = draw_mean_curves([free], "cost", "accuracy").layout
    assert list(drawn.xaxis.range) == pytest.approx([math.log10(1 / 1.1), math.log10(2.2)])


def test_times_are_drawn_in_a_readable_unit_and_trials_as_they_are() -> None:
    by_time = draw_mean_curves([curve(0.5, 0.9, per=3600.0)], "time", "accuracy")
    assert by_time.layout.xaxis.title.text == "Search time (h)"
    assert list(by_time.data[2].x) == pytest.approx([1.0, 2.0])
    assert list(by_time.data[0].x) == pytest.approx([1, 2, 2, 2, 2, 1])
    together = draw_mean_curves([curve(0.5, 0.9, per=60.0)], "total", "accuracy").layout
    assert together.xaxis.title.text == "Search time and the strategy's own (min)"
    by_trials = draw_mean_curves([curve(0.5, 0.9)], "trials", "accuracy").layout
    assert (by_trials.xaxis.title.text, by_trials.xaxis.type) == ("Trials", "linear")
    assert list(by_trials.xaxis.range) == pytest.approx([0.94, 2.06])


def test_each_level_is_a_dotted_line() -> None:
    shares = draw_mean_curves([curve(0.5, 0.9)], "cost", "accuracy").layout.shapes
    assert [line.y0 for line in shares] == pytest.approx([0.9, 0.95, 0.99])
    assert [line.y0 for line in shares] == [line.y1 for line in shares]
    gaps = draw_mean_curves([curve(0.5, 0.9)], "cost", "accuracy", "distance").layout.shapes
    assert [line.y0 for line in gaps] == pytest.approx([0.1, 0.05, 0.01])


@pytest.mark.parametrize(
    ("kind", "amount"), [("cost", "1.00 USD"), ("time", "1 s"), ("trials", "1 trials")]
)
def test_hovering_tells_mean_and_error_and_what_was_spent(kind: str, amount: str) -> None:
    *_, line = draw_mean_curves([curve(0.512, name="<b>")], kind, "accuracy").data  # type: ignore[arg-type] # one of the kinds
    assert list(line.hovertext) == [f"&lt;b&gt;: 51.2% ± 5.0% of the optimum for {amount}"]


def test_a_band_never_leaves_what_a_share_can_be() -> None:
    band, *_ = draw_mean_curves([curve(0.9, 0.2, error=0.3)], "cost", "accuracy").data
    # Above from left to right, then below from right to left.
    assert list(band.x) == pytest.approx([1, 2, 2, 2, 2, 1])
    assert list(band.y) == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.6, 0.6])
    assert not band.showlegend and band.hoverinfo == "skip"


def test_a_line_and_its_band_are_switched_on_and_off_together() -> None:
    drawn = draw_mean_curves([curve(0.5, 0.9), curve(0.4, 0.8, name="b")], "cost", "accuracy")
    assert [trace.legendgroup for trace in drawn.data] == ["a"] * 3 + ["b"] * 3
    assert [trace.line.color for trace in drawn.data] == [
        theme.colour(role) for role in theme.SERIES[:2] for _ in range(3)
    ]
    assert drawn.layout.legend.traceorder == "normal"


def cno(*values: float, name: str = "a") -> CnoCurve:
    return CnoCurve(name, tuple(range(1, len(values) + 1)), {50: values, 90: values})


def test_of_the_cno_colours_begin_again_with_other_dashes() -> None:
    drawn = draw_cno([cno(2.0, 1.0, name=str(i)) for i in range(10)], "cost", "cost").data
    first, last = drawn[:2], drawn[-2:]
    assert [line.line.dash for line in first] == ["solid", "dash"]
    assert [line.line.dash for line in last] == ["dashdot", "dot"]
    assert first[0].line.color == last[0].line.color != drawn[2].line.color
    assert [line.line.width for line in first] == [2.4, 1.6]


@pytest.mark.parametrize(
    ("effort", "title", "told"),
    [
        ("cost", "Search cost (USD)", ["1.00 USD", "2.00 USD"]),
        ("time", "Search time (s)", ["1 s", "2 s"]),
        ("trials", "Trials", ["1 trial", "2 trials"]),
    ],
)
def test_of_the_cno_hovering_tells_what_was_spent(effort: str, title: str, told: list[str]) -> None:
    drawn = draw_cno([cno(2.0, 1.0)], effort, "time")  # type: ignore[arg-type] # one of the efforts
    assert drawn.layout.xaxis.title.text == title
    assert drawn.layout.yaxis.title.text == "CNO of time"
    assert list(drawn.data[1].hovertext) == [
        f"a: 90 % of the seeds at {value} or below after {spent}"
        for value, spent in zip(("2", "1"), told, strict=True)
    ]


def test_the_levels_of_the_cno_are_lines() -> None:
    lines = draw_cno([cno(2.0, 1.0)], "cost", "cost").layout.shapes
    assert [(line.y0, line.y1) for line in lines] == [(1.5, 1.5), (1.1, 1.1)]


def saved(*rivals: Saving) -> Savings:
    return Savings("first", 0.9, rivals)


def test_bars_of_savings_reach_as_far_as_the_largest_and_the_least() -> None:
    far = saved(Saving("b", Ratio(4.0), Ratio(0.5)), Saving("c", None, Ratio(10.0)))
    drawn = draw_savings(far)
    assert list(drawn.layout.xaxis.range) == pytest.approx([math.log10(0.5 / 1.3), math.log10(16)])
    near = draw_savings(saved(Saving("b", Ratio(1.1), None))).layout.xaxis
    assert list(near.range) == pytest.approx([math.log10(0.8), math.log10(2.0)])
    assert near.title.text == "times what first spends"


def test_a_ratio_that_is_not_known_has_no_bar() -> None:
    time, cost = draw_savings(saved(Saving("b", None, Ratio(3.0)))).data
    assert (list(cost.x), list(cost.text), list(cost.hovertext)) == ([None], [""], [""])
    assert (list(time.x), list(time.text)) == ([2.0], ["3×"])
    assert list(time.hovertext) == ["3× the time"]
    assert list(time.marker.opacity) == [0.95]


def test_the_first_of_the_others_stands_on_top_and_one_is_a_line() -> None:
    drawn = draw_savings(saved(*(Saving(name, Ratio(2.0), Ratio(2.0)) for name in "bcd")))
    assert list(drawn.layout.yaxis.ticktext) == ["d", "c", "b"]
    assert list(drawn.data[0].y) == [0, 1, 2]
    [even] = drawn.layout.shapes
    assert (even.x0, even.x1) == (1, 1)
